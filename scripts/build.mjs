// Builds dist/: generated sources first, then the compiler, then what is bundled.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundleVendor } from "./bundle-vendor.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = (...command) =>
  execFileSync(process.execPath, command, { cwd: root, stdio: "inherit" });

run("scripts/k8s-types.mjs");
rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
run("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json");
await bundleVendor("dist");
// Tables that are read at run time lie beside the code that reads them.
for (const file of readdirSync(`${root}src`, { recursive: true })) {
  if (file.endsWith(".data.json")) cpSync(`${root}src/${file}`, `${root}dist/${file}`);
}
