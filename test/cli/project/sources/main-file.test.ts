import { describe, expect, it } from "vitest";
import { withSetUp } from "../../../../src/cli/project/sources/main-file.ts";

const CALL = { setUp: "setUpPage", from: "./controllers/page-controller.ts" };

describe("src/main.ts", () => {
  it("gets an import and a call before the manager starts, once", () => {
    const text = `import { createManager } from "tsop";\n\nconst m = createManager();\n\nawait m.start();\n`;
    const once = withSetUp(text, CALL);
    expect(once).toBe(`import { createManager } from "tsop";
import { setUpPage } from "./controllers/page-controller.ts";

const m = createManager();

setUpPage(m);
await m.start();
`);
    expect(withSetUp(once, CALL)).toBe(once);
  });

  it("finds the place inside a function, and leaves other formatting alone", () => {
    const text = `import {createManager} from 'tsop'\nasync function run() {\n    const manager = createManager()   // mine\n    await manager.start()\n}\n`;
    const edited = withSetUp(text, CALL);
    expect(edited).toContain("setUpPage(manager);");
    expect(edited.indexOf("setUpPage(manager)")).toBeLessThan(edited.indexOf("manager.start()"));
    expect(edited).toContain("const manager = createManager()   // mine");
  });

  it.each([
    ["after a comment", "  // Starts it all.\n  await m.start();", "  "],
    ["with tabs", "\t/**\n\t * Starts.\n\t */\n\tawait m.start();", "\t"],
    [
      "four deep",
      "    try {\n        // now\n        await m.start();\n    } finally {}",
      "        ",
    ],
  ])("indents the call as the line that follows it: %s", (_case, body, indent) => {
    const text = `async function run() {\n${indent}const m = createManager();\n${body}\n}\n`;
    expect(withSetUp(text, CALL)).toContain(`\n${indent}setUpPage(m);\n${indent}await m.start();`);
  });

  it("stays on the line where several statements share one", () => {
    expect(withSetUp("const m = create(); /* now */ await m.start();\n", CALL)).toContain(
      "const m = create(); /* now */ setUpPage(m); await m.start();\n",
    );
  });

  it("says which lines to add when there is no place", () => {
    expect(() => withSetUp("export {};\n", CALL)).toThrow(
      expect.objectContaining({
        code: "main-not-understood",
        fix: expect.stringContaining("setUpPage(manager);") as string,
      }) as Error,
    );
  });
});
