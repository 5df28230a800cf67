/**
 * What a test imports to let vitest's `expect` speak of conditions, owners and idempotence: `import "tsop/testing/vitest"`.
 *
 * @module
 */
import "./testing/vitest-matchers.ts";

export type { ExpectedCondition } from "./testing/matchers/condition.ts";
export type { ExpectedOwnership } from "./testing/matchers/ownership.ts";
