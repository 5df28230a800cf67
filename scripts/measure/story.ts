import { execa } from "execa";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/clock.ts";
import { clientFolder, hasKubectl } from "../../test/support/kubectl.ts";
import { defineMeasure } from "../programs/program.ts";
import { step } from "../programs/tally.ts";
import { Offline } from "./story/offline.ts";
import { Visitor, type Surroundings } from "./story/visitor.ts";

const MOST_MS = 5 * 60_000;
const IMAGE = "ghcr.io/me/web-operator:0.1.0";
const KIND = "--group operator --version v1 --kind MyWeb";
const FIELDS = "--field image:string=nginx:1.29 --field 'pageContentHtml:string=<h1>Hello</h1>'";
const CONTROLLER = "src/controllers/myweb-controller.ts";
/** The files that an engineer would write, taken from the example. */
const TYPESCRIPT = [
  "src/api/v1/myweb.ts",
  "src/controllers/children.ts",
  CONTROLLER,
  "test/myweb-controller.test.ts",
];

const root = fileURLToPath(new URL("../..", import.meta.url));
const example = join(root, "examples/myweb");
const ONLINE: Surroundings = {
  prefix: [],
  env: {
    NO_COLOR: "1",
    ...(hasKubectl && { PATH: `${clientFolder()}:${process.env["PATH"] ?? ""}` }),
  },
};
/** The files that were written by hand. */
const written = new Set<string>();

/** Every YAML file of the project with its text. */
function yamlFiles(folder: string): ReadonlyMap<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(
      (path) => /\.ya?ml$/.test(path) && !/^node_modules[/\\]|[/\\]node_modules[/\\]/.test(path),
    )
    .sort();
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** Writes a file by hand. */
function write(folder: string, path: string, text: string): void {
  if (!path.endsWith(".ts")) throw new Error(`${path} is written by hand, and is no TypeScript`);
  written.add(path);
  writeFileSync(join(folder, path), text);
}

/** Runs code that writes files by hand. @throws Error when it changed a YAML file */
function byHand(folder: string, work: () => void): void {
  const before = JSON.stringify([...yamlFiles(folder)]);
  work();
  if (JSON.stringify([...yamlFiles(folder)]) !== before)
    throw new Error("a YAML file was edited by hand");
}

async function play(archive: string, home: string, folder: string): Promise<void> {
  const init = "tsop init web-operator --domain k8s-summit.org";
  await step(`npx ${init}   (with the install of its packages)`, () =>
    new Visitor(ONLINE).run(`npx --yes --package ${archive} ${init}`, home),
  );
  const offline = await Offline.enter(ONLINE, home);
  const visitor = new Visitor(offline);
  try {
    const { stdout: registry } = await execa("npm", ["config", "get", "registry"]);
    await offline.prove(ONLINE, registry);
    console.log(`          from here on without a network: ${offline.how}`);
    await develop(visitor, folder);
    await deploy(visitor, folder);
  } finally {
    await visitor.stopAll();
    offline.leave();
  }
}

async function develop(visitor: Visitor, folder: string): Promise<void> {
  await step(`npx tsop create api ${KIND} ...`, () =>
    visitor.run(`npx tsop create api ${KIND} ${FIELDS}`, folder),
  );
  await step(`write ${TYPESCRIPT.length} files of TypeScript`, () =>
    byHand(folder, () => {
      for (const path of TYPESCRIPT) write(folder, path, readFileSync(join(example, path), "utf8"));
    }),
  );
  const dev = visitor.start("npx tsop dev", folder);
  await step("npx tsop dev   (control plane and operator are ready)", () =>
    dev.until(/operator +ready in/),
  );
  const kubectl = (line: string): Promise<string> =>
    visitor.run(`kubectl --kubeconfig .tsop/kubeconfig ${line}`, folder);
  const untilReady = "wait --for=condition=Ready --timeout=60s myweb/myweb-sample";
  await step("kubectl apply -k config/samples, until a pod serves the page", async () => {
    await kubectl("apply -k config/samples");
    await kubectl(untilReady);
  });
  await step("save a line of TypeScript, until it is what the status says", async () => {
    byHand(folder, () => {
      const text = readFileSync(join(folder, CONTROLLER), "utf8");
      write(folder, CONTROLLER, text.replace('"The page is served."', '"Visitors see the page."'));
    });
    await dev.until(/operator +reloaded in/);
    const message = `{.status.conditions[?(@.type=="Ready")].message}`;
    await kubectl(
      `wait --for=jsonpath='${message}'='Visitors see the page.' --timeout=60s myweb/myweb-sample`,
    );
  });
  await step("npx tsop why myweb/myweb-sample", async () => {
    const told = await visitor.run("npx tsop why myweb/myweb-sample", folder);
    if (!told.includes("Visitors see the page.")) throw new Error(`why says:\n${told}`);
  });
  await dev.stop();
}

async function deploy(visitor: Visitor, folder: string): Promise<void> {
  await step("npm test", () => visitor.run("npm test", folder));
  await step("npm run check   (types, lint, tsop manifests --check)", () =>
    visitor.run("npm run check", folder),
  );
  const cluster = visitor.start("npx tsop cluster", folder);
  await step("npx tsop cluster", () => cluster.until(/kubeconfig/));
  await step(`npx tsop deploy --image ${IMAGE}`, () =>
    visitor.run(`npx tsop deploy --kubeconfig .tsop/kubeconfig --image ${IMAGE}`, folder),
  );
  await cluster.stop();
}

/** The package as it would be published. */
async function pack(home: string): Promise<string> {
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", home];
  const { stdout } = await execa("npm", args, { cwd: root });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(home, filename);
}

export const program = defineMeasure({
  about: `Plays the first minutes with the packed package, without a network after the install, in under ${MOST_MS / 60_000} minutes.`,
  needs: ["a build", "kubectl", "the network"],
  options: {},
  run: async () => {
    const home = mkdtempSync(join(tmpdir(), "tsop-story-"));
    const folder = join(home, "web-operator");
    try {
      const archive = await pack(home);
      const beganMs = systemClock.monotonicMs();
      await play(archive, home, folder);
      const totalMs = systemClock.monotonicMs() - beganMs;
      console.log(`by hand: ${[...written].join(", ")}; YAML files: ${yamlFiles(folder).size}`);
      console.log(`all of it: ${(totalMs / 1000).toFixed(1)} s`);
      if (totalMs >= MOST_MS) throw new Error(`that is not under ${MOST_MS / 60_000} minutes`);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
});
