import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyFolder, filesIn, runCli } from "./support/run-cli.ts";
import { typeErrors } from "./support/type-errors.ts";

/** A project that an earlier tsop scaffolded. Each line that its user wrote has the word "mine". */
const FIXTURE = join(import.meta.dirname, "fixtures/project-of-before");

const PAGE = ["--group", "web", "--version", "v1", "--kind", "Page"];
const ORDER = ["--group", "store", "--version", "v1", "--kind", "Order"];
const INVOICE = ["--group", "store", "--version", "v1", "--kind", "Invoice"];
const POD = ["--group", "core", "--version", "v1", "--kind", "Pod"];
const DEPLOYMENT = ["--group", "apps", "--version", "v1", "--kind", "Deployment"];

type Files = Readonly<Record<string, string>>;

function project(): string {
  const root = emptyFolder();
  cpSync(FIXTURE, root, { recursive: true });
  return root;
}

async function succeed(root: string, ...argv: string[]): Promise<string> {
  const { code, out, err } = await runCli(root, argv);
  expect([argv, code, code === 0 ? "" : err]).toEqual([argv, 0, ""]);
  return `${out}\n${err}`;
}

const handWritten = (text: string): readonly string[] =>
  text.split("\n").filter((line) => /mine/i.test(line));

/** Every line of the user is in its file still, unless the file is one of the deleted ones. */
function expectKept(before: Files, after: Files, deleted: readonly string[] = []): void {
  for (const [path, text] of Object.entries(before)) {
    if (path.startsWith(".tsop/") || deleted.includes(path)) continue;
    const now = (after[path] ?? "").split("\n").map((line) => line.trim());
    for (const line of handWritten(text))
      expect([path, now]).toEqual([path, expect.arrayContaining([line.trim()])]);
  }
}

const PAIRS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "an API": [
    ["create", "api", ...INVOICE],
    ["delete", "api", ...INVOICE],
  ],
  "a controller of a built-in kind": [
    ["create", "controller", ...POD],
    ["delete", "controller", ...POD],
  ],
  webhooks: [
    ["create", "webhook", ...ORDER, "--defaulting", "--validation"],
    ["delete", "webhook", ...ORDER],
  ],
  "a plugin": [
    ["create", "plugin", "orders", ...ORDER],
    ["delete", "plugin", "orders"],
  ],
  parts: [
    ["edit", "--enable", "ha", "--enable", "metrics-certs"],
    ["edit", "--disable", "ha", "--disable", "metrics-certs"],
  ],
  certificates: [
    ["edit", "--certificates", "cert-manager"],
    ["edit", "--certificates", "self-managed"],
  ],
};

describe("a project of an earlier tsop, edited by hand", { timeout: 240_000 }, () => {
  it.each(["as it is", "after tsop upgrade"])(
    "is the same after each thing was created and deleted again: %s",
    async (state) => {
      const root = project();
      if (state !== "as it is") await succeed(root, "upgrade");
      // The files of a certificate mode are those of this version, whatever the project had before.
      for (const argv of PAIRS["certificates"] ?? []) await succeed(root, ...argv);
      const before = filesIn(root);
      for (const [name, commands] of Object.entries(PAIRS)) {
        for (const argv of commands) {
          await succeed(root, ...argv);
          expectKept(before, filesIn(root));
        }
        expect([name, filesIn(root)]).toEqual([name, before]);
      }
    },
  );

  it("gets the Deployment and the image of this version by tsop upgrade, without a conflict", async () => {
    const root = project();
    expect(await succeed(root, "upgrade")).not.toMatch(/conflict/i);
    const { "config/manager/manager.yaml": manager = "", Dockerfile: image = "" } = filesIn(root);
    expect(manager).toContain("terminationMessagePolicy: FallbackToLogsOnError");
    expect(manager).not.toContain("max-old-space-size");
    expect(image).toContain("ENV NODE_OPTIONS=--max-old-space-size-percentage=75");
  });

  it("compiles, and keeps what its user wrote, through all commands", async () => {
    const root = project();
    const original = filesIn(root);
    const deleted: string[] = [];
    const step = async (...argv: string[]): Promise<void> => {
      await succeed(root, ...argv);
      expectKept(original, filesIn(root), deleted);
      await succeed(root, "manifests");
      await succeed(root, "manifests", "--check");
    };
    await step("create", "api", ...INVOICE);
    await step("create", "webhook", ...ORDER, "--validation");
    await step("edit", "--certificates", "cert-manager", "--enable", "ha");
    expect(typeErrors(root)).toEqual([]);
    const files = filesIn(root);
    expect(files["src/controllers/index.ts"]).toContain("  setUpInvoice(manager);\n}");
    expect(files["src/webhooks/index.ts"]).toContain(
      "  manager.webhooks.add(new OrderValidator());\n}",
    );
    expect(files["src/operator.ts"]).toContain(
      "setUpAll(manager);\naddWebhooks(manager);\nawait manager.start(",
    );

    await step("upgrade");
    const upgraded = filesIn(root);
    expect(upgraded["src/main.ts"]).toBeUndefined();
    expect(upgraded["src/controllers/index.ts"]).toContain(
      "  setUpInvoice(manager);\n  setUpPage(manager);\n}",
    );
    expect(upgraded["src/webhooks/index.ts"]).toContain("new PageV1alpha1Conversion()");
    expect(upgraded["src/operator.ts"]).not.toMatch(/setUpPage|PageValidator/);
    expect(upgraded["src/operator.ts"]).toContain(
      'setUpOrder(manager, flags["mine-only"] ?? false);',
    );
    expect(typeErrors(root)).toEqual([]);
    expect(await succeed(root, "upgrade")).toContain("nothing to change");

    await step("delete", "webhook", ...PAGE, "--defaulting");
    await step("delete", "plugin", "pages");
    await step("edit", "--disable", "ha", "--certificates", "self-managed");
    await step("delete", "api", ...INVOICE);
    expect(typeErrors(root)).toEqual([]);
  });

  it("asks for consent before lines of its user go with what they use", async () => {
    const root = project();
    const before = filesIn(root);
    const { code, err } = await runCli(root, ["delete", "controller", ...DEPLOYMENT]);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/src\/operator.ts:\d+ would be deleted, but you changed it/),
    ]);
    expect(filesIn(root)).toEqual(before);
    await succeed(root, "delete", "controller", ...DEPLOYMENT, "--force");
    const after = filesIn(root);
    expect(after["src/operator.ts"]).not.toContain("setUpDeployment");
    const { "src/operator.ts": main = "", ...others } = before;
    const kept = main.replace(/^.*setUpDeployment.*\n/gm, "");
    expectKept({ ...others, "src/operator.ts": kept }, after);
  });
});
