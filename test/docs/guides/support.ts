/** What a guide's example needs in the place of a project's folder: the manifests that `tsop manifests` would write. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { asPublished } from "../../../scripts/make/docs/guide-examples.ts";
import { generate } from "../../../src/generator/generate.ts";

const EXAMPLE = fileURLToPath(new URL("../../../examples/myweb/config/rbac/", import.meta.url));
const list = (...resources: string[]): string =>
  `resources:\n${resources.map((one) => `  - ${one}\n`).join("")}`;

/** Writes the manifests of the example that a test file is about; gives their `config` folder. */
export async function manifestsOf(testUrl: string): Promise<string> {
  const test = fileURLToPath(testUrl);
  const root = mkdtempSync(join(tmpdir(), "tsop-guide-"));
  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
  });
  mkdirSync(join(root, "src"));
  const name = basename(test).replace(".test.ts", ".ts");
  const source = readFileSync(join(dirname(test), name), "utf8");
  writeFileSync(join(root, "src", name), asPublished(source));
  const { files, diagnostics } = await generate({ root, cache: false });
  const [problem] = diagnostics;
  if (problem) throw new Error(`${name}:${problem.line} ${problem.message}`);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of files) write(path, text);
  const bases = [...files.keys()].filter((path) => path.startsWith("config/crd/bases/"));
  write("config/crd/kustomization.yaml", list(...bases.map((path) => `bases/${basename(path)}`)));
  const scaffolded = ["service_account.yaml", "role_binding.yaml", "leader_election_role.yaml"];
  for (const file of scaffolded) {
    cpSync(join(EXAMPLE, file), join(root, "config/rbac", file));
  }
  write("config/rbac/kustomization.yaml", list(...scaffolded, "role.yaml"));
  const crds = bases.length > 0 ? ["../crd"] : [];
  write("config/default/kustomization.yaml", `namespace: default\n${list(...crds, "../rbac")}`);
  return join(root, "config");
}
