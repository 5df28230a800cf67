import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { configDefaults, defineConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const SOURCES: Readonly<Record<string, string>> = {
  tsop: resolve("src/index.ts"),
  "tsop/k8s": resolve("src/k8s.ts"),
  "tsop/plugin": resolve("src/plugin.ts"),
};

/** Tests that start processes, build a package, or replay many recordings. The longest ones first. */
const SLOW = [
  "test/conformance/**/*.test.ts",
  "test/journeys/**/*.test.ts",
  "test/package/**/*.test.ts",
  "test/page/**/*.test.ts",
  "test/fuzz/**/*.test.ts",
  "test/controlplane/fuzz/**/*.test.ts",
  "test/house/verify.test.ts",
];
const EXCLUDED = [...configDefaults.exclude, "test/**/fixtures/**"];

/** Slow files start first: a slow one at the end would leave the other cores idle. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ project }: TestSpecification): boolean => project.name === "slow";
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

/** The configuration of all tests but those of some patterns. */
export function configOf(excluded: readonly string[]): ViteUserConfig {
  const others = [...EXCLUDED, ...excluded];
  return defineConfig({
    // An example that a test imports runs on the sources of this checkout.
    plugins: [{ name: "tsop-of-examples", enforce: "pre", resolveId: (name) => SOURCES[name] }],
    test: {
      // What commands keep for their next run stays out of the developer's own folders.
      env: {
        TSOP_CACHE_DIR: resolve("node_modules/.cache/tsop-tests"),
        TSOP_STATE_DIR: resolve("node_modules/.cache/tsop-tests-state"),
      },
      globalSetup: "test/support/side-thread-program.ts",
      // A guard against hanging, not a judgement of speed: a shared machine can be ten times slower.
      testTimeout: 60_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 50_000 } },
      maxWorkers: availableParallelism(),
      // Modules have no state of their own: the files of a worker share them, and a third of the processor time is saved.
      isolate: false,
      sequence: { sequencer: SlowFirst },
      projects: [
        {
          extends: true,
          test: { name: "fast", include: ["test/**/*.test.ts"], exclude: [...others, ...SLOW] },
        },
        { extends: true, test: { name: "slow", include: SLOW, exclude: others } },
      ],
    },
  });
}

export default configOf([]);
