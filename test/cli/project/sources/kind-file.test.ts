import { describe, expect, it } from "vitest";
import { withHub, withStorage } from "../../../../src/cli/project/sources/kind-file.ts";

const page = (options: string): string =>
  `@Resource({ ${options} })\nexport class Page extends CustomResource<PageSpec> {}\n`;

describe("the stored one of several versions", () => {
  it("is the first, unless another was chosen", () => {
    const first = page('version: "v1"');
    const second = page('version: "v2"');
    expect(withStorage([first, second], "Page")).toBe(page('version: "v1", storage: true'));
    expect(withStorage([first, page('version: "v2", storage: true')], "Page")).toBeUndefined();
    expect(withStorage([page('version: "v1", storage: true'), second], "Page")).toBeUndefined();
  });

  it("is told on a line of its own where the other options have theirs", () => {
    const first = page('\n  version: "v1",\n  plural: "pages",\n');
    const stored = page('\n  version: "v1",\n  plural: "pages",\n  storage: true,\n');
    expect(withStorage([first, page('version: "v2"')], "Page")).toBe(stored);
  });

  it("is left to the user where the class is not found", () => {
    expect(withStorage(["// mine\n", page('version: "v2"')], "Page")).toBeUndefined();
    expect(withStorage(["class Page {}\n", page('version: "v2"')], "Page")).toBeUndefined();
  });
});

describe("the hub of several versions", () => {
  it("is stored alone, and converted by its converters alone", () => {
    const hub = page('\n  version: "v1",\n  conversion: { strategy: "Webhook" },\n');
    const spoke = page('version: "v1beta1", storage: true');
    const texts = [hub, spoke].map((text) => ({ className: "Page", text }));
    expect(withHub(texts)).toEqual([
      {
        text: page('\n  version: "v1",\n  storage: true\n'),
        wasStored: false,
        wasConverted: true,
      },
      { text: page('version: "v1beta1", storage: false'), wasStored: true, wasConverted: false },
    ]);
  });
});
