import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { apiReports, reportPathOf } from "../../scripts/make/api/report.ts";
import { packageEntries } from "../../scripts/make/api/package-entries.ts";
import { ROOT } from "../support/compiled.ts";

describe("the report of the public API", () => {
  const paths = packageEntries(ROOT).map(
    (entry) => [entry.specifier, reportPathOf(entry)] as const,
  );
  let reports: ReadonlyMap<string, string>;
  beforeAll(async () => {
    reports = await apiReports(ROOT);
  }, 300_000);

  it.each(paths)("shows %s as it is", (_, path) => {
    expect(
      reports.get(path),
      `The public API changed. Run \`npm run make -- api\` to write ${path} again, and look at what is different.`,
    ).toBe(readFileSync(ROOT + path, "utf8"));
  });

  it("names no comments, no bodies and no private members, and every export once", () => {
    for (const [, path] of paths) {
      const text = reports.get(path)!;
      expect(text).not.toMatch(/\/\*|#|\bprivate\b|import\(/);
      const declared = [...text.matchAll(/^(?:interface|type|(?:abstract )?class|const) (\w+)/gm)];
      const exported = text.split("// Named by these")[0]!;
      const names = declared.filter(({ index }) => index < exported.length).map(([, name]) => name);
      const twice = names.filter((name, index) => names.indexOf(name) !== index);
      // A value and the type of its name.
      expect(twice.every((name) => new RegExp(`^const ${name}\\b`, "m").test(text))).toBe(true);
    }
  });
});
