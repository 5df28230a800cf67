// Builds dist/: first the generated sources, then the compiler's output, then the bundles.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundleCached } from "./bundle-cached.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = (...command) =>
  execFileSync(process.execPath, command, { cwd: root, stdio: "inherit" });

run("scripts/k8s-types.mjs");
run("scripts/side-thread-program.mjs");
rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
run("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json");
// Tables that are read at run time lie beside the code that reads them.
for (const file of readdirSync(`${root}src`, { recursive: true })) {
  if (file.endsWith(".data.json")) cpSync(`${root}src/${file}`, `${root}dist/${file}`);
}
await bundleCached("dist");
// Distinguishes builds. It is written last: its existence shows that the build is complete.
const hash = createHash("sha256").update(readFileSync(`${root}package.json`));
for (const file of readdirSync(`${root}dist`, { recursive: true }).sort()) {
  // The generators of the manifests, and the types that they read.
  if (!/(?:program\.cjs|\.d\.ts|generated[/\\]k8s[/\\].*\.js)$/.test(file)) continue;
  hash.update(file).update(readFileSync(`${root}dist/${file}`));
}
writeFileSync(`${root}dist/build-id`, hash.digest("hex"));
