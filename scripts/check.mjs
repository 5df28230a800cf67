// `npm run check`: everything that must pass before a commit, except the tests. The steps run on all cores; each prints
// its output when it ends. `npm run check -- lint types` runs the named steps only.
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { execa } from "execa";

const root = fileURLToPath(new URL("..", import.meta.url));
// TypeScript 7. The package with the name typescript is 6, whose JavaScript API the generator needs.
const tsc = ["node", "node_modules/typescript-7/bin/tsc", "--noEmit"];
// The longest ones first.
const STEPS = new Map([
  ["lint", ["oxlint"]],
  ["site", ["vitepress", "build", "docs"]],
  ["types", tsc],
  ["page-types", [...tsc, "-p", "src/page"]],
  ["tables", ["node", "scripts/lint/tables.mjs"]],
  ["pinned", ["node", "scripts/lint/pinned.mjs"]],
  ["imports", ["depcruise", "src"]],
  ["dead-code", ["knip"]],
  ["format", ["oxfmt", "--check"]],
]);

const named = process.argv.slice(2);
const unknown = named.filter((name) => !STEPS.has(name));
if (unknown.length > 0) {
  console.error(`Unknown step: ${unknown.join(", ")}. Steps: ${[...STEPS.keys()].join(", ")}.`);
  process.exit(2);
}

const failed = [];
const waiting = [...STEPS].filter(([name]) => named.length === 0 || named.includes(name));
async function work() {
  for (let step = waiting.shift(); step; step = waiting.shift()) {
    const [name, [command, ...args]] = step;
    const settings = { cwd: root, preferLocal: true, localDir: root, reject: false, all: true };
    const { all, failed: hasFailed, durationMs } = await execa(command, args, settings);
    if (hasFailed) failed.push(name);
    if (hasFailed && all) console.log(all);
    console.log(`${hasFailed ? "FAIL" : "ok  "} ${name} (${(durationMs / 1000).toFixed(1)} s)`);
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(", ")}.`);
  process.exitCode = 1;
}
