/**
 * The import by which vitest's `expect` knows conditions, owners and idempotence:
 * `import "tsop/testing/vitest"`.
 *
 * @module
 */
import "./testing/vitest-matchers.ts";

export type { ExpectedCondition } from "./testing/matchers/condition.ts";
export type { ExpectedOwnership } from "./testing/matchers/owner.ts";
