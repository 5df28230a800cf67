import { describe, expect, it } from "vitest";
import {
  isEmptyIndex,
  INDEXES,
  withEntry,
  withoutEmptyBody,
  type Index,
} from "../../../../src/cli/project/sources/index-file.ts";
import { withoutModules } from "../../../../src/cli/project/sources/module-removal.ts";
import { filesIn, newProject, runCli } from "../../support/run-cli.ts";
import { typeErrors } from "../../support/type-errors.ts";

const index = (sort: string): Index => {
  const found = INDEXES.find((one) => one.sort === sort);
  if (!found) throw new Error(sort);
  return found;
};
const CONTROLLERS = index("controllers");
const EMPTY = `import type { Manager } from "tsop";

export const setUpAll: (manager: Manager) => void = () => undefined;
`;
const PAGE = { name: "setUpPage", from: "./page-controller.ts" };
const POST = { name: "setUpPost", from: "./post-controller.ts" };

const add = (text: string, entry: typeof PAGE): string =>
  withEntry(CONTROLLERS, CONTROLLERS.path, text, entry);
const remove = (text: string, { from }: typeof PAGE): string =>
  withoutEmptyBody(CONTROLLERS, withoutModules(text, (module) => module === from).text);

describe("an index of controllers", () => {
  it("gets an import and a call for each, once, and loses them to the byte", () => {
    const one = add(EMPTY, PAGE);
    const two = add(add(one, POST), PAGE);
    expect(two).toBe(`import type { Manager } from "tsop";
import { setUpPage } from "./page-controller.ts";
import { setUpPost } from "./post-controller.ts";

export function setUpAll(manager: Manager): void {
  setUpPage(manager);
  setUpPost(manager);
}
`);
    expect(remove(two, POST)).toBe(one);
    expect(remove(one, PAGE)).toBe(EMPTY);
    expect([EMPTY, one].map((text) => isEmptyIndex(CONTROLLERS, text))).toEqual([true, false]);
  });

  it.each([
    [
      "another name of the manager",
      "export function setUpAll(m: Manager) {\n  own(m); // mine\n}\n",
      "own(m); // mine\n  setUpPage(m);",
    ],
    [
      "an arrow function",
      "export const setUpAll = (m: Manager) => {\n    own(m);\n};\n",
      "own(m);\n    setUpPage(m);",
    ],
    [
      "a comment alone",
      "export function setUpAll(m: Manager) {\n  // mine\n}\n",
      "  // mine\n  setUpPage(m);\n}",
    ],
    ["one line", "export function setUpAll(m: Manager) { own(m); }\n", "{ own(m); setUpPage(m); }"],
    [
      "a formatter's layout",
      "export const setUpAll: (manager: Manager) => void =\n  () => {};\n",
      "{\n  setUpPage(manager);\n}",
    ],
  ])("keeps what its user wrote: %s", (_case, text, wanted) => {
    expect(add(text, PAGE)).toContain(wanted);
  });

  it("says which lines to add when the function is not found", () => {
    expect(() => add("export {};\n", PAGE)).toThrow(
      expect.objectContaining({
        code: "main-not-understood",
        fix: expect.stringContaining("setUpPage(manager);") as string,
      }) as Error,
    );
  });

  it("can list a kind of the name All", { timeout: 60_000 }, async () => {
    const root = await newProject();
    const { code } = await runCli(root, [
      "create",
      "api",
      "--group",
      "web",
      "--version",
      "v1",
      "--kind",
      "All",
    ]);
    expect(code).toBe(0);
    expect(filesIn(root)["src/controllers/index.ts"]).toContain("setUpWebAll(manager);");
    expect(typeErrors(root)).toEqual([]);
  });
});
