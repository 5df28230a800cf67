/** `tsop manifests` on the CronJob type, cold and unchanged, against controller-gen on the same type in Go. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type * as generator from "../src/generator/generate.ts";
import { compare, has, report, run } from "./measure.ts";

const CONTROLLER_GEN = "sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0";
/**
 * The time of controller-gen on this type, in milliseconds, for machines without Go: measured on
 * the machine of docs/benchmarks.md.
 */
const PUBLISHED_MS = 800;

/** A project of one kind, with this checkout as its tsop. */
function project(): string {
  const root = mkdtempSync(join(tmpdir(), "tsop-bench-"));
  cpSync("bench/cronjob/ts", root, { recursive: true });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(resolve("."), join(root, "node_modules", "tsop"));
  writeFileSync(join(root, "package.json"), '{ "type": "module", "private": true }\n');
  writeFileSync(
    join(root, "tsconfig.json"),
    '{ "compilerOptions": { "target": "es2023", "module": "nodenext", "strict": true, "experimentalDecorators": true, "skipLibCheck": true, "types": [] }, "include": ["src"] }\n',
  );
  writeFileSync(
    join(root, "PROJECT"),
    "layout: tsop/v1\nprojectName: cronjob\ndomain: tutorial.kubebuilder.io\nnamespaced: false\n",
  );
  return root;
}

/** Builds controller-gen once, into the cache; `undefined` where there is no Go. */
function controllerGen(): string | undefined {
  if (!has("go", "version")) return undefined;
  const bin = resolve(".cache/go");
  const program = join(bin, "controller-gen");
  if (!existsSync(program)) {
    run("env", [`GOBIN=${bin}`, "go", "install", CONTROLLER_GEN]);
  }
  return program;
}

/** A project with copies of the one kind; returns a cold run, in milliseconds. */
function coldRun(kinds: number): () => number {
  const root = project();
  const source = readFileSync("bench/cronjob/ts/src/api/v1/cronjob.ts", "utf8");
  for (let index = 1; index < kinds; index++) {
    const text = source
      .replaceAll("CronJob", `CronJob${index}`)
      .replace("cronjobs", `jobs${index}`);
    writeFileSync(join(root, `src/api/v1/cronjob${index}.ts`), text);
  }
  return () => {
    rmSync(join(root, ".tsop"), { recursive: true, force: true });
    rmSync(join(root, "config"), { recursive: true, force: true });
    const began = performance.now();
    run(process.execPath, [resolve("bin/tsop.js"), "manifests"], root);
    return performance.now() - began;
  };
}

/** One edit while the project is open, as under `--watch`: from the save to the new manifests. */
async function editRun(): Promise<() => Promise<number>> {
  const root = project();
  const path = pathToFileURL(resolve("dist/generator/generate.js")).href;
  const { openProject } = (await import(path)) as typeof generator;
  const open = openProject(root);
  await open.generate();
  const file = join(root, "src/api/v1/cronjob.ts");
  const before = readFileSync(file, "utf8");
  let edits = 0;
  return async () => {
    edits++;
    writeFileSync(file, before.replace("Schedule in", `Schedule ${edits} in`));
    const began = performance.now();
    await open.generate();
    return performance.now() - began;
  };
}

/** Goal: cold at most as long as controller-gen. */
export async function benchManifests(): Promise<void> {
  const root = project();
  const tsop = resolve("bin/tsop.js");
  const manifests = (): void => run(process.execPath, [tsop, "manifests"], root);
  const gen = controllerGen();
  const goOut = mkdtempSync(join(tmpdir(), "tsop-bench-go-"));
  const times = await compare(
    {
      cold: () => {
        rmSync(join(root, ".tsop"), { recursive: true, force: true });
        rmSync(join(root, "config"), { recursive: true, force: true });
        const began = performance.now();
        manifests();
        return performance.now() - began;
      },
      unchanged: manifests,
      ...(gen
        ? {
            peer: () =>
              run(
                gen,
                ["crd", "paths=./...", `output:crd:dir=${goOut}`],
                resolve("bench/cronjob/go"),
              ),
          }
        : {}),
    },
    7,
  );
  const peer = times["peer"] ?? PUBLISHED_MS;
  const name = gen ? "controller-gen" : "controller-gen (published)";
  report("manifests, cold, CronJob", times["cold"] ?? NaN, peer, name, 0.75);
  report("manifests, unchanged, CronJob", times["unchanged"] ?? NaN, peer, name, 0.15);
  const edit = await compare({ edit: await editRun() }, 7);
  report("manifests, one edit under --watch", edit["edit"] ?? NaN, peer, name, 0.1);
  const growth = await compare({ one: coldRun(1), ten: coldRun(10), hundred: coldRun(100) }, 3);
  const [one = NaN, ten = NaN, hundred = NaN] = ["one", "ten", "hundred"].map((key) => growth[key]);
  report("manifests, 10 kinds", ten, one * 10, "10 times one kind", 1);
  report("manifests, 100 kinds", hundred, one * 100, "100 times one kind", 1);
  rmSync(root, { recursive: true, force: true });
}
