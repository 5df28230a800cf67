/** `tsop manifests` on the CronJob type, cold and unchanged, against controller-gen on the same type in Go. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { compare, has, report, run } from "./measure.ts";

const CONTROLLER_GEN = "sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0";
/** What controller-gen takes on this type on the machine of the README, for machines without Go. */
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
  report("manifests, cold, CronJob", times["cold"] ?? NaN, peer, name, 1);
  report("manifests, unchanged, CronJob", times["unchanged"] ?? NaN, peer, name);
  rmSync(root, { recursive: true, force: true });
}
