/**
 * Where the recorded answers, traces, goldens and the CRD corpus are: beside the checkout, or where
 * `TSOP_SHARED` points. Tests that need them are skipped, visibly, where they are absent.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, it } from "vitest";

const root = resolve(
  process.env["TSOP_SHARED"] ?? new URL("../../../shared", import.meta.url).pathname,
);

/** The path of a file or folder of the shared material. */
export function sharedPath(...parts: string[]): string {
  return resolve(root, ...parts);
}

/** Whether that part of the shared material is there. */
export function hasShared(...parts: string[]): boolean {
  return existsSync(sharedPath(...parts));
}

/** `describe` for tests that read `part`; they show as skipped, unread, where it is absent. */
export function describeShared(part: string, title: string, tests: () => void): void {
  const name = `${title} (needs shared/${part})`;
  if (hasShared(part)) describe(name, tests);
  else describe.skip(name, () => it("compares", () => undefined));
}
