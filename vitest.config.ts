import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

const SOURCES: Readonly<Record<string, string>> = {
  tsop: resolve("src/index.ts"),
  "tsop/k8s": resolve("src/k8s.ts"),
  "tsop/plugin": resolve("src/plugin.ts"),
};

export default defineConfig({
  // An example that a test imports runs on the sources of this checkout.
  plugins: [{ name: "tsop-of-examples", enforce: "pre", resolveId: (name) => SOURCES[name] }],
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/**/fixtures/**"],
    // What commands keep for their next run stays out of the developer's own cache.
    env: { TSOP_CACHE_DIR: resolve("node_modules/.cache/tsop-tests") },
    globalSetup: "test/support/side-thread-program.ts",
    // Against what hangs, not a judgement of speed: a shared machine may be ten times slower.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Two cores are what CI has; more workers only make each of them slower.
    maxWorkers: 2,
    // No module has state of its own: the files of a worker share them, and a third of the processor time is saved.
    isolate: false,
    // CI's machine is shared: what waits for real processes gets a second try there, and is shown as retried.
    retry: Number(process.env["TSOP_TEST_RETRIES"] ?? 0),
  },
});
