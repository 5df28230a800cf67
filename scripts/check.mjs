// `npm run check`: everything that must hold before a commit, then the failures. What is quick runs at once on all cores and
// shows its output when it ends; the tests come last and show theirs as they go.
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { execa } from "execa";

const root = fileURLToPath(new URL("..", import.meta.url));
// The longest ones first.
const STEPS = [
  ["lint", "eslint", "."],
  ["format", "prettier", "--check", "."],
  ["types", "tsc", "--noEmit"],
  ["site", "vitepress", "build", "docs"],
  ["types of the page", "tsc", "--noEmit", "-p", "src/page"],
  ["dead code", "knip"],
  ["imports", "depcruise", "src"],
];
const TESTS = ["tests", "vitest", "run"];
const skipped = new Set(
  process.argv.slice(2).map((argument) => argument.replace(/^--no-/, "").replaceAll("-", " ")),
);

const failed = [];
async function run([title, command, ...args], options) {
  const settings = { cwd: root, preferLocal: true, localDir: root, reject: false, ...options };
  const { all = "", failed: hasFailed, durationMs } = await execa(command, args, settings);
  if (all) console.log(all);
  if (hasFailed) failed.push(title);
  console.log(`${hasFailed ? "FAIL" : "ok  "} ${title} (${(durationMs / 1000).toFixed(1)} s)`);
}

const waiting = STEPS.filter(([title]) => !skipped.has(title));
async function work() {
  for (let step = waiting.shift(); step; step = waiting.shift()) await run(step, { all: true });
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
if (!skipped.has("tests")) await run(TESTS, { stdio: "inherit" });
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(", ")}.`);
  process.exitCode = 1;
}
