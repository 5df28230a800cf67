/** The example as a project of its own, against the sources of this checkout. */
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The names of all examples. */
export const exampleNames = (): string[] =>
  readdirSync(join(root, "examples"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Copies an example without what was installed or generated for running it. */
export function copyExampleTo(folder: string, name = "myweb"): void {
  cpSync(join(root, "examples", name), folder, {
    recursive: true,
    filter: (path) => !/[/\\](node_modules|\.tsop)$/.test(path),
  });
}

/** Has the `tsop` of a project be this checkout's sources, so that nothing has to be built. */
export function useSources(folder: string): void {
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  const tsconfig = join(folder, "tsconfig.json");
  const settings = JSON.parse(readFileSync(tsconfig, "utf8")) as {
    compilerOptions: Record<string, unknown>;
  };
  const paths = Object.fromEntries(
    [
      ["tsop", "index"],
      ["tsop/k8s", "k8s"],
      ["tsop/testing", "testing"],
    ].map(([name, file]) => [name, [join(root, `src/${file ?? ""}.ts`)]]),
  );
  Object.assign(settings.compilerOptions, { paths });
  writeFileSync(tsconfig, JSON.stringify(settings));
}

/** A copy on the sources of this checkout. */
export function exampleOnSources(name = "myweb"): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "tsop-example-"));
  copyExampleTo(folder, name);
  useSources(folder);
  return {
    folder,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
