// Builds dist/: first the generated sources, then the compiler's output, then the bundles. What did not change since the
// last build is kept; what a file that is gone had left in dist/ is deleted.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleCached, doorOf } from "./build/bundle-cached.mjs";
import { writeSideThreadProgram } from "./build/side-thread-program.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const compiled = `${root}.cache/compiled`;
const dist = `${root}dist`;

/** What distinguishes builds. It is written last: where it exists, the build is complete. */
const buildId = `${dist}/build-id`;
rmSync(buildId, { force: true });

execFileSync(process.execPath, ["scripts/build/k8s-types.mjs"], { cwd: root, stdio: "inherit" });
await writeSideThreadProgram();
execFileSync(process.execPath, ["node_modules/typescript-7/bin/tsc", "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});

const shipped = new Set(["THIRD-PARTY.txt"]);
for (const file of filesOf(compiled)) {
  const source = join(root, "src", file).replace(/(\.d)?\.[jt]s$/, "");
  if (![".ts", ".tsx"].some((ending) => existsSync(source + ending))) {
    rmSync(join(compiled, file));
    continue;
  }
  shipped.add(file);
  const door = doorOf(file.replaceAll("\\", "/"));
  write(file, door === undefined ? readFileSync(join(compiled, file)) : Buffer.from(door));
}
// Tables that are read at run time lie beside the code that reads them.
for (const file of filesOf(`${root}src`).filter((name) => name.endsWith(".data.json"))) {
  shipped.add(file);
  write(file, readFileSync(join(root, "src", file)));
}
await bundleCached(compiled, dist);
for (const file of filesOf(dist)) {
  if (!shipped.has(file) && !/\.cjs$|^page[/\\]/.test(file)) rmSync(join(dist, file));
}

const hash = createHash("sha256").update(readFileSync(`${root}package.json`));
for (const file of filesOf(dist)) {
  // The generators of the manifests, and the types that they read.
  if (!/(?:program\.cjs|\.d\.ts|generated[/\\]k8s[/\\].*\.js)$/.test(file)) continue;
  hash.update(file).update(readFileSync(join(dist, file)));
}
writeFileSync(buildId, hash.digest("hex"));

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== ".tsbuildinfo")
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** A file that did not change keeps its time of change: what is made from it is not made again. */
function write(file, bytes) {
  const to = join(dist, file);
  if (existsSync(to) && readFileSync(to).equals(bytes)) return;
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, bytes);
}
