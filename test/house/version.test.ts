import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { TSOP_VERSION } from "../../src/version.ts";

it("the version in logs is that of the package", () => {
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
  expect(TSOP_VERSION).toBe(version);
});
