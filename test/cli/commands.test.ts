import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandsBelow } from "../../src/cli/help.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { emptyFolder, filesIn, newProject, runCli, testContext } from "./support/run-cli.ts";

const program = buildProgram(testContext(), () => undefined);
const commands = new Map(
  commandsBelow(program)
    .filter(({ command }) => command.commands.length === 0)
    .map(({ path, command }) => [path, command]),
);

/** What each command is for; a new one has to say it. */
const SORTS: Readonly<Record<string, readonly string[]>> = {
  "writes files": [
    ...[
      "init",
      "create api",
      "create controller",
      "create webhook",
      "delete api",
      "delete controller",
    ],
    ...["delete webhook", "edit", "upgrade", "manifests", "import", "chart", "bundle", "image"],
    "build",
    "generate client",
    ...["create plugin", "delete plugin", "krew"],
  ],
  "writes to a cluster": ["install", "uninstall", "deploy", "undeploy", "migrate"],
  "prints facts": [
    ...["list", "doctor", "validate", "plan", "migrate", "explain", "why", "replay", "version"],
    // With --check, or --against.
    ...["manifests", "chart", "bundle", "generate client"],
  ],
  "goes on": ["run", "dev", "cluster"],
  "prints a script": ["completion"],
};

const flagsOf = (path: string): readonly string[] =>
  commands.get(path)?.options.flatMap(({ long }) => long ?? []) ?? [];

const WEB = ["--group", "web", "--version", "v1", "--kind", "Page"];
const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gadgets.other.example }
spec:
  group: other.example
  scope: Namespaced
  names: { kind: Gadget, plural: gadgets, singular: gadget, listKind: GadgetList }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object } } } }
`;

/** Each command that writes files, in an order in which each finds what it needs. */
const LIFE: readonly (readonly string[])[] = [
  ["create", "api", ...WEB, "--field", "title:string"],
  ["create", "webhook", ...WEB, "--defaulting", "--validation"],
  ["edit", "--enable", "ha"],
  ["import", "gadget.yaml"],
  ["manifests"],
  ["chart", "--image", "registry.example.com/shop:1"],
  ["bundle", "--image", "registry.example.com/shop:1"],
  ["generate", "client"],
  ["upgrade"],
  ["edit", "--disable", "network-policy"],
  ["edit", "--enable", "network-policy", "--certificates", "cert-manager"],
  ["delete", "webhook", ...WEB, "--defaulting"],
  ["delete", "controller", ...WEB],
  ["create", "controller", ...WEB],
  ["create", "plugin", "pages"],
  ["delete", "plugin", "pages"],
  ["delete", "api", ...WEB],
];

describe("every command", () => {
  it("is of a sort that this test knows", () => {
    expect(new Set(Object.values(SORTS).flat())).toEqual(new Set(commands.keys()));
  });

  it.each([...commands.keys()])("has help with an example: %s", async (path) => {
    const { code, out } = await runCli(emptyFolder(), [...path.split(" "), "--help"]);
    expect([code, out]).toEqual([0, expect.stringMatching(/\nExamples:\n {2}\S/)]);
  });

  it.each([...(SORTS["writes files"] ?? []), ...(SORTS["writes to a cluster"] ?? [])])(
    "that writes can be asked what it would do, and be quiet or verbose: %s",
    (path) => {
      expect(flagsOf(path)).toEqual(expect.arrayContaining(["--dry-run", "--quiet", "--verbose"]));
    },
  );

  it.each(SORTS["prints facts"] ?? [])("that prints facts prints JSON, too: %s", (path) => {
    expect(flagsOf(path)).toContain("--output");
  });

  it("prints JSON and nothing else with -o json", async () => {
    const root = await newProject();
    writeFileSync(join(root, "gadget.yaml"), CRD);
    for (const argv of [
      ["list"],
      ["doctor"],
      ["validate", "gadget.yaml"],
      ["explain", "Minimum"],
      ["explain", "+kubebuilder:validation:MinLength"],
      ["version"],
    ]) {
      const { out, err } = await runCli(root, [...argv, "-o", "json"]);
      expect([argv, typeof JSON.parse(out), err]).toEqual([argv, "object", ""]);
    }
  });
});

describe("-o json of a command that compares", { timeout: 60_000 }, () => {
  const json = async (root: string, ...argv: string[]): Promise<[number, unknown]> => {
    const { code, out, err } = await runCli(root, [...argv, "-o", "json"]);
    expect([argv, err]).toEqual([argv, ""]);
    return [code, JSON.parse(out)];
  };

  it("says which files differ, and what a run wrote", async () => {
    const root = await newProject();
    await runCli(root, ["create", "api", ...WEB, "--field", "title:string"]);
    const image = ["--image", "registry.example.com/shop:1"];
    const packages = [
      ["chart", ...image],
      ["bundle", ...image],
      ["generate", "client"],
    ];
    for (const argv of [["manifests"], ...packages]) {
      const [code, before] = await json(root, ...argv, "--check");
      const { changes } = before as { changes: { action: string; path: string }[] };
      expect([argv, code, changes.length > 0]).toEqual([argv, 3, true]);
      expect(new Set(changes.map(({ action }) => action)).has("create")).toBe(true);
      const [, written] = await json(root, ...argv);
      expect([argv, (written as { changes: unknown }).changes]).toEqual([argv, changes]);
      expect([argv, await json(root, ...argv, "--check")]).toEqual([
        argv,
        [0, expect.objectContaining({ changes: [] })],
      ]);
    }
  });

  it("leaves optional fields without a default out of sample and test", async () => {
    const root = await newProject();
    const fields = ["schedule:string?", "size:int", "level:int?=3"];
    await runCli(root, ["create", "api", ...WEB, ...fields.flatMap((field) => ["--field", field])]);
    const read = (path: string): string => readFileSync(join(root, path), "utf8");
    const sample = readdirSync(join(root, "config/samples")).find((name) => name.startsWith("web"));
    const test = readdirSync(join(root, "test")).find((name) => name.includes("-controller"));
    const texts = [read(`config/samples/${sample}`), read(`test/${test}`)];
    expect(texts[0]).toContain("size: 1\n  level: 3");
    expect(texts.join("\n")).not.toContain("schedule");
  });

  it("refuses a field for a class that is there without it, and names the file to edit", async () => {
    const root = await newProject();
    await runCli(root, ["create", "api", ...WEB, "--field", "size:int"]);
    const again = await runCli(root, ["create", "api", ...WEB, "--field", "size:int"]);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("nothing to change")]);
    const { code, err } = await runCli(root, ["create", "api", ...WEB, "--field", "title:string"]);
    expect(code).toBe(2);
    expect(err).toContain("kind-exists: src/api/v1/page.ts declares Page v1 without title");
  });

  it("says what breaks, where, and which lines have mistakes", async () => {
    const root = await newProject();
    await runCli(root, ["create", "api", ...WEB, "--field", "size:int=1"]);
    await runCli(root, ["manifests"]);
    const file = join(root, "src/api/v1/page.ts");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("size: Int32 = 1", 'size: string = "1"'));
    expect(await json(root, "manifests", "--against", "config/crd")).toEqual([
      3,
      {
        diagnostics: [],
        against: "config/crd",
        changes: expect.arrayContaining([
          expect.objectContaining({
            severity: "breaking",
            crd: "pages.web.example.com",
            path: [{ field: "spec" }, { field: "size" }],
            file: "src/api/v1/page.ts",
            line: expect.any(Number) as number,
          }),
        ]) as unknown,
      },
    ]);
    writeFileSync(file, text.replace("size: Int32 = 1", "size: symbol"));
    const [code, report] = await json(root, "manifests", "--check");
    expect(code).toBe(1);
    expect(report).toMatchObject({
      changes: [],
      diagnostics: [{ severity: "error", file: "src/api/v1/page.ts" }],
    });
  });
});

describe("a command that writes files", { timeout: 120_000 }, () => {
  it("writes nothing with --dry-run, and nothing new the second time", async () => {
    const root = await newProject();
    writeFileSync(join(root, "gadget.yaml"), CRD);
    for (const argv of LIFE) {
      const before = filesIn(root);
      const dry = await runCli(root, [...argv, "--dry-run"]);
      expect([argv, dry.code]).toEqual([argv, 0]);
      expect([argv, filesIn(root)]).toEqual([argv, before]);

      const first = await runCli(root, [...argv, "--quiet"]);
      expect([argv, first.code, first.out]).toEqual([argv, 0, ""]);
      const after = filesIn(root);
      if (argv[0] !== "upgrade") expect([argv, after]).not.toEqual([argv, before]);

      const again = await runCli(root, argv);
      // What is gone cannot be deleted again: that is said.
      if (argv[0] !== "delete") expect([argv, again.code]).toEqual([argv, 0]);
      else
        expect([argv, again.code, again.err]).toEqual([
          argv,
          2,
          expect.stringContaining("not-in-project"),
        ]);
      expect([argv, filesIn(root)]).toEqual([argv, after]);

      const upgrade = await runCli(root, ["upgrade", "--dry-run"]);
      expect([argv, upgrade.out]).toEqual([argv, expect.stringContaining("nothing to change")]);
    }
  });

  it("leaves a project alone that is started again", async () => {
    const root = await newProject();
    const before = filesIn(root);
    const again = await runCli(root, ["init", "--domain", "example.com", "--no-install"]);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining("already-a-project")]);
    expect(filesIn(root)).toEqual(before);
  });

  it("tells programs and stacks with --verbose", async () => {
    const root = await newProject();
    const { err } = await runCli(root, ["manifests", "--against", "HEAD", "--verbose"]);
    expect(err).toContain("git rev-parse --verify");
    expect(err).toMatch(/\n +at /);
  });
});
