// `npm run check`: everything that must hold before a commit, one line each; all are run, then the failures are told.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const STEPS = [
  ["format", "prettier", "--check", "."],
  ["lint", "eslint", "."],
  ["imports", "depcruise", "src"],
  ["dead code", "knip"],
  ["types", "tsc", "--noEmit"],
  ["tests", "vitest", "run"],
];
const skipped = new Set(
  process.argv.slice(2).map((argument) => argument.replace(/^--no-/, "").replaceAll("-", " ")),
);

const failed = [];
for (const [title, command, ...args] of STEPS) {
  if (skipped.has(title)) continue;
  const began = performance.now();
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PATH: `${root}node_modules/.bin:${process.env.PATH ?? ""}` },
  });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${status === 0 ? "ok  " : "FAIL"} ${title} (${seconds} s)`);
  if (status !== 0) failed.push(title);
}
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(", ")}.`);
  process.exitCode = 1;
}
