import { describe, expect, it } from "vitest";
import { parseProject, withResource } from "../../../src/cli/project/project-file.ts";

const TEXT = `# ours
layout: tsop/v1
projectName: shop # the prefix
domain: example.com
`;
const WEB = {
  group: "web",
  version: "v1",
  kind: "Page",
  plural: "pages",
  api: true,
  controller: true,
};

describe("PROJECT", () => {
  it("keeps comments and order when a kind is added", () => {
    const once = withResource(parseProject("/p", TEXT), WEB);
    expect(once).toBe(`${TEXT}resources:
  - group: web
    version: v1
    kind: Page
    plural: pages
    api: true
    controller: true
`);
    expect(parseProject("/p", once).resources).toEqual([WEB]);
    expect(withResource(parseProject("/p", once), WEB)).toBe(once);
    const twice = withResource(parseProject("/p", once), {
      ...WEB,
      version: "v2",
      controller: false,
    });
    expect(parseProject("/p", twice).resources.map(({ version }) => version)).toEqual(["v1", "v2"]);
  });

  it.each([
    ["projectName: [", "PROJECT:1:15 is not valid YAML"],
    ["- a", "not a mapping"],
    ["projectName: 1\ndomain: x", "must be strings"],
    [
      "projectName: a\ndomain: acme..io",
      '/p/PROJECT:2:9: the domain "acme..io" cannot end an API group: a lowercase RFC 1123 subdomain',
    ],
    ["projectName: a\ndomain: b\nresources: {}", "not a list"],
    ["projectName: a\ndomain: b\nresources: [{group: a}]", "resources[0].version"],
    // Text that would be code in the scaffold's files, and paths out of the project.
    ["projectName: 'x\"; run() //'\ndomain: b", 'projectName is "x\\"; run() //"'],
    ['projectName: "a\\n\\trm -rf ~"\ndomain: b', "projectName is"],
    ["projectName: a\ndomain: b\nresources: [{group: ../a}]", "resources[0].group is"],
    [
      "projectName: a\ndomain: b\nresources: [{version: v1, kind: ../../A, plural: as}]",
      'resources[0].kind is "../../A"',
    ],
    [
      "projectName: a\ndomain: b\nresources: [{version: v1, kind: A, plural: as, files: {../../x: h}}]",
      'resources[0].files is "../../x": it is not a path in the project',
    ],
    ["projectName: a\ndomain: b\nplugins: [{name: ../x}]", 'plugins[0].name is "../x"'],
  ])("says what is wrong with %j", (text, problem) => {
    expect(() => parseProject("/p", text)).toThrow(problem);
    expect(() => parseProject("/p", text)).toThrow(
      expect.objectContaining({ code: "broken-project-file" }) as Error,
    );
  });
});
