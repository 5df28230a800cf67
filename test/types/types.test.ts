import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { problemsIn, programOf, ROOT, settingsWith } from "../support/compiled.ts";

/** Each file says at its lines what must not compile. */
const FILES = {
  "objects that were read": "read-objects.ts",
  "objects that are written": "written-objects.ts",
  "keys, metadata and options": "keys.ts",
};

const pathOf = (file: string): string => `test/types/fixtures/${file}`;

describe.each([
  ["where what is absent may not be undefined", { exactOptionalPropertyTypes: true }],
  ["where what is absent may be undefined", { exactOptionalPropertyTypes: false }],
])("%s", { timeout: 120_000 }, (_, changes) => {
  const files = Object.values(FILES).map(pathOf);
  const texts = new Map(files.map((path) => [path, readFileSync(ROOT + path, "utf8")]));
  const program = programOf(texts, settingsWith(changes));

  it.each(Object.entries(FILES))("%s have the types that they say", (_title, file) => {
    expect(problemsIn(program, pathOf(file))).toEqual([]);
  });
});
