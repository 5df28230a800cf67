import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineVerification } from "../programs/program.ts";

const SOURCES = join(process.cwd(), "scripts/verify/clients");
const CACHE = join(process.cwd(), ".cache/clients");

/** A client of the control plane, and the test that it must pass. */
interface Suite {
  readonly name: string;
  /** Installs the client. @throws Error with the reason that it cannot be installed here */
  install(): void;
  /** The program that exits with 0 when the client works, and its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
}

function run(program: string, args: readonly string[], cwd = process.cwd()): void {
  const { error, status, stderr, stdout } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (error) throw new Error(`${program} does not run here: ${error.message}`);
  if (status === 0) return;
  const [reason = ""] = `${stderr}${stdout}`.split("\n").filter((line) => line.trim() !== "");
  throw new Error(`${program} ${args[0] ?? ""} exited with ${String(status)}: ${reason}`);
}

const dependency = (artifact: string): string => {
  const [group, id, version] = artifact.split(":");
  return `<dependency><groupId>${group}</groupId><artifactId>${id}</artifactId><version>${version}</version></dependency>`;
};

/** The artifacts of a Java client, and the class in `clients/` that uses it. */
function javaSuite(
  name: string,
  artifacts: readonly string[],
  [main, ...args]: readonly [string, ...string[]],
): Suite {
  const folder = join(CACHE, name.replaceAll(/[^\w.]+/g, "-"));
  const classpath = [folder, join(folder, "lib/*")].join(":");
  return {
    name,
    install() {
      mkdirSync(folder, { recursive: true });
      const dependencies = artifacts.map(dependency).join("");
      const head =
        "<modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>";
      const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">${head}<dependencies>${dependencies}</dependencies></project>`;
      writeFileSync(join(folder, "pom.xml"), pom);
      if (!existsSync(join(folder, "lib"))) {
        run("mvn", ["-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib"], folder);
      }
      run("javac", ["-d", folder, "-cp", classpath, join(SOURCES, `${main}.java`)]);
    },
    command: ["java", "-cp", classpath, main, ...args],
  };
}

const FACTORIES = [
  ["jdk", "jdkhttp.JdkHttpClientFactory"],
  ["okhttp", "okhttp.OkHttpClientFactory"],
  ["vertx", "vertx.VertxHttpClientFactory"],
] as const;

const fabric8 = (version: string, http: readonly (typeof FACTORIES)[number][]): Suite[] =>
  http.map(([id, factory]) =>
    javaSuite(
      `fabric8 ${version} with ${id}`,
      [
        `io.fabric8:kubernetes-client:${version}`,
        `io.fabric8:kubernetes-httpclient-${id}:${version}`,
      ],
      ["Informers", `io.fabric8.kubernetes.client.${factory}`],
    ),
  );

const PYTHON = join(CACHE, "python");

const SUITES: readonly Suite[] = [
  // Version 6 has only this one in all registries.
  ...fabric8("6.13.5", [FACTORIES[1]]),
  ...fabric8("7.5.2", FACTORIES),
  ...fabric8("8.0.0", FACTORIES),
  javaSuite(
    "Java Operator SDK 5.2.3",
    ["io.javaoperatorsdk:operator-framework:5.2.3"],
    ["Reconciles"],
  ),
  {
    name: "Python client and kopf",
    install() {
      if (existsSync(join(PYTHON, "bin/kopf"))) return;
      run("python3", ["-m", "venv", PYTHON]);
      run(join(PYTHON, "bin/pip"), ["install", "--quiet", "kubernetes", "kopf"]);
    },
    command: [join(PYTHON, "bin/python"), join(SOURCES, "session.py")],
  },
];

/** Starts a control plane; resolves when it answers. */
async function start(kubeconfig: string): Promise<() => Promise<void>> {
  const args = ["bin/tsop.js", "cluster", "--kubeconfig", kubeconfig, "--json"];
  const server = spawn(process.execPath, [...args, "--exit-on-stdin-close"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(server, "exit").then(() => {
    throw new Error("The control plane ended before it was ready. Run `npm run build` first.");
  });
  await Promise.race([once(server.stdout, "data"), ended]);
  ended.catch(() => undefined);
  return async () => {
    server.stdin.end();
    await once(server, "exit");
  };
}

export const program = defineVerification({
  about: "Runs clients in other languages against a control plane, each on a fresh one.",
  compares: "clients",
  needs: ["a build", "the network"],
  words: {
    name: "CLIENT",
    about: "some of the clients",
    choices: SUITES.map(({ name }) => name),
  },
  options: {},
  run: async ({ words, tally }) => {
    mkdirSync(CACHE, { recursive: true });
    const kubeconfig = join(CACHE, "kubeconfig");
    for (const suite of SUITES) {
      const { name, command } = suite;
      if (words.length > 0 && !words.includes(name)) continue;
      try {
        suite.install();
      } catch (error) {
        console.log(`skipped  ${name}: ${(error as Error).message}`);
        continue;
      }
      const stop = await start(kubeconfig);
      const [file, ...args] = command;
      const { status, stderr } = spawnSync(file, args, {
        env: { ...process.env, KUBECONFIG: kubeconfig },
        encoding: "utf8",
        timeout: 120_000,
      });
      await stop();
      const isGood = status === 0;
      tally.add(1, isGood ? 1 : 0);
      console.log(`${isGood ? "ok      " : "FAIL    "} ${name}`);
      if (!isGood) console.log(stderr.split("\n").slice(-15).join("\n"));
    }
  },
});
