import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of the package: `package.json`, `templates/` and `dist/` are in it. */
export function packageRoot(): string {
  return fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");
}

/** The version in tsop's `package.json`. */
export function packageVersion(): string {
  const text = readFileSync(`${packageRoot()}/package.json`, "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Whether this is a checkout of the source, not an installed package: `src/` is not published. */
export function isSourceCheckout(): boolean {
  return existsSync(`${packageRoot()}/src/cli/main.ts`);
}
