// `npm run watch`: builds dist/ and runs the tests that a change affects, at each change of a source.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { watch } from "chokidar";

const root = fileURLToPath(new URL("..", import.meta.url));
const node = (args, stdio) => spawn(process.execPath, args, { cwd: root, stdio });

/** Waits for more changes of the same save. */
const SETTLE_MS = 100;

let timer;
let running;
let isOutdated = false;

function build() {
  if (running) {
    isOutdated = true;
    return;
  }
  isOutdated = false;
  const startMs = performance.now();
  running = node(["scripts/build.mjs"], ["ignore", "inherit", "inherit"]);
  running.once("close", (code) => {
    running = undefined;
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    console.log(code === 0 ? `Built dist/ in ${seconds} s.` : "The build failed.");
    if (isOutdated) build();
  });
}

const sources = watch(["src", "scripts", "package.json", "tsconfig.json"], {
  cwd: root,
  ignoreInitial: true,
  ignored: (path) => /[/\\]src[/\\]generated(?:[/\\]|$)/.test(path),
});
sources.on("all", () => {
  clearTimeout(timer);
  timer = setTimeout(build, SETTLE_MS);
});
build();

// Vitest watches the tests itself, and knows which of them import a file.
const arguments_ = ["watch", "--project", "fast", "--changed", ...process.argv.slice(2)];
const tests = node(["node_modules/vitest/vitest.mjs", ...arguments_], "inherit");
tests.once("close", (code) => {
  clearTimeout(timer);
  running?.kill();
  process.exitCode = code ?? 1;
  void sources.close();
});
