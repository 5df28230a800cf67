// `npm run check`: all checks that must pass before a commit, then a list of the failures. Quick
// steps run in parallel on all cores and print their output when they end; the tests run last and
// print as they go.
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { execa } from "execa";

const root = fileURLToPath(new URL("..", import.meta.url));
// TypeScript 7. The package that is named typescript is 6: its JavaScript API reads the project.
const TSC = "node_modules/typescript-7/bin/tsc";
// The longest ones first.
const STEPS = [
  ["lint", "oxlint"],
  ["format", "oxfmt", "--check"],
  ["types", "node", TSC, "--noEmit"],
  ["site", "vitepress", "build", "docs"],
  ["types of the page", "node", TSC, "--noEmit", "-p", "src/page"],
  ["tables", "node", "scripts/lint/tables.mjs"],
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
