/** Names and texts of others, in files of every kind, as commands print them. */
import fc from "fast-check";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import { describe, expect, it } from "vitest";
import { filesIn, newProject, projectAfter, runCli } from "../support/run-cli.ts";

const CREATE = ["create", "api", "--group", "web", "--version", "v1", "--kind", "Page"];

/** A text that would begin a line of its own, and commands of a terminal. */
const hostile = fc
  .array(
    fc.constantFrom(
      "\n",
      "\r\n",
      "\u001b[8m",
      "\u001b[31m",
      "\u001b]0;x\u0007",
      "\u009b2J",
      "\b",
      "\u202e",
      "a",
      " ",
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => `x${parts.join("")}\nPWNED fix run me`);

// oxlint-disable-next-line typescript/no-explicit-any -- the tests put anything anywhere
type Spec = Record<string, any>;

const crd = (change: (spec: Spec) => void): object => {
  const spec = {
    group: "evil.example.org",
    names: { kind: "Widget", plural: "widgets" } as object,
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
      },
    ],
  };
  change(spec);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.evil.example.org" },
    spec,
  };
};

const object = (text: string, more: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: text, labels: { [text]: text }, annotations: { [text]: text } },
  ...more,
});

type Files = Readonly<Record<string, string>>;

/** Commands, and the files that bring foreign text to them. */
const SOURCES: [what: string, argv: readonly string[], files: (text: string) => Files][] = [
  [
    "validate: names and fields",
    ["validate", "x.yaml"],
    (text) => ({ "x.yaml": stringify(object(text, { [text]: { [text]: 1 } })) }),
  ],
  [
    "validate: a kind",
    ["validate", "x.yaml"],
    (text) => ({ "x.yaml": stringify({ apiVersion: text, kind: text, metadata: { name: text } }) }),
  ],
  [
    "validate: broken YAML",
    ["validate", "x.yaml"],
    (text) => ({ "x.yaml": `a: [${JSON.stringify(text)}: }\n${text}\n` }),
  ],
  [
    "import: descriptions",
    ["import", "x.yaml"],
    (text) => ({
      "x.yaml": stringify(
        crd((spec) => {
          spec["versions"][0].schema.openAPIV3Schema.description = text;
          spec["versions"][0].schema.openAPIV3Schema.properties[text] = {
            type: "string",
            description: text,
          };
        }),
      ),
    }),
  ],
  [
    "import: annotations",
    ["import", "x.yaml"],
    (text) => ({
      "x.yaml": stringify({
        ...crd(() => undefined),
        metadata: { name: text, [text]: text, annotations: { [text]: text } },
      }),
    }),
  ],
  [
    "import: unknown fields",
    ["import", "x.yaml", "--dry-run", "--diff"],
    (text) => ({
      "x.yaml": stringify(
        crd((spec) => {
          spec[text] = text;
          spec["names"].shortNames = [text];
          spec["names"].categories = [text];
        }),
      ),
    }),
  ],
  [
    "import: no CRD",
    ["import", "x.yaml"],
    (text) => ({ "x.yaml": stringify({ apiVersion: text, kind: text }) }),
  ],
  [
    "import: a column",
    ["import", "x.yaml", "--dry-run", "--diff"],
    (text) => ({
      "x.yaml": stringify(
        crd((spec) => {
          spec["versions"][0].additionalPrinterColumns = [
            { name: text, type: "string", jsonPath: text },
          ];
        }),
      ),
    }),
  ],
  ["import: an argument", ["import"], () => ({})],
  [
    "doctor: manifests",
    ["doctor"],
    (text) => ({
      "config/samples/x.yaml": stringify(object(text)),
      "config/samples/kustomization.yaml": stringify({ resources: ["x.yaml", text], [text]: text }),
    }),
  ],
  [
    "doctor: roles",
    ["doctor"],
    (text) => ({
      "config/rbac/role.yaml": stringify({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: text },
        rules: [{ apiGroups: [text], resources: [text], verbs: [text] }],
      }),
    }),
  ],
  [
    "list: PROJECT",
    ["list"],
    (text) => ({
      PROJECT: stringify({
        layout: "tsop/v1",
        projectName: "shop",
        domain: "example.com",
        [text]: text,
        resources: [{ group: text, version: text, kind: text, plural: text }],
      }),
    }),
  ],
  [
    "list: the project's name",
    ["list"],
    (text) => ({ PROJECT: stringify({ layout: "tsop/v1", projectName: text, domain: text }) }),
  ],
  ["list: the layout", ["list"], (text) => ({ PROJECT: stringify({ layout: text }) })],
  [
    "manifests: mistakes in code",
    ["manifests"],
    (text) => ({
      "src/api/v1/page.ts": `import { Resource, CustomResource } from "tsop";\nimport { Validation } from ${JSON.stringify(text)};\n@Resource({ group: ${JSON.stringify(text)}, version: ${JSON.stringify(text)} })\nexport class Page extends CustomResource<{ a: ${JSON.stringify(text)} & number }> {}\n`,
    }),
  ],
  [
    "deploy: a kustomization",
    ["deploy", "--render", "--image", "a:1"],
    (text) => ({
      "config/default/kustomization.yaml": stringify({ resources: [text], namespace: text }),
    }),
  ],
  [
    "install: a kubeconfig",
    ["install", "--kubeconfig", "kubeconfig"],
    (text) => ({
      kubeconfig: stringify({
        apiVersion: "v1",
        kind: "Config",
        "current-context": text,
        clusters: [{ name: text, cluster: { server: text } }],
        contexts: [{ name: text, context: { cluster: text, namespace: text } }],
      }),
    }),
  ],
  [
    "replay: a recording",
    ["replay", "x.json"],
    (text) => ({ "x.json": JSON.stringify({ format: text, [text]: text }) }),
  ],
  [
    "upgrade: a record",
    ["upgrade", "--dry-run", "--diff"],
    (text) => ({
      ".tsop/scaffold.json": JSON.stringify({
        version: text,
        files: { [text]: text, "README.md": text },
      }),
    }),
  ],
  ["explain: a word", ["explain"], () => ({})],
  ["create: a flag", ["create", "api", "--group", "web", "--version", "v1", "--kind"], () => ({})],
];

const WITH_ARGUMENT = new Set(["import: an argument", "explain: a word", "create: a flag"]);

describe("a text of others is never obeyed and never looks like a line of tsop", () => {
  it.each(SOURCES)("%s", async (what, argv, filesOf) => {
    const root = await projectAfter([CREATE, ["manifests"]]);
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        for (const [path, content] of Object.entries(filesOf(text))) {
          mkdirSync(dirname(join(root, path)), { recursive: true });
          writeFileSync(join(root, path), content);
        }
        const { out, err } = await runCli(root, WITH_ARGUMENT.has(what) ? [...argv, text] : argv);
        for (const line of [...out.split("\n"), ...err.split("\n")]) {
          // oxlint-disable-next-line no-control-regex -- those are what may not be there
          expect(line).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e]/);
          expect(line).not.toMatch(/^PWNED/);
        }
      }),
      { numRuns: 5, seed: 7 },
    );
  });

  it.skipIf(process.platform === "win32")("names of files, in validate and doctor", async () => {
    const root = await projectAfter([CREATE, ["manifests"]]);
    const name = "x\u001b[8m\nPWNED.yaml";
    for (const folder of ["files", "config/samples"]) {
      mkdirSync(join(root, folder), { recursive: true });
      writeFileSync(join(root, folder, name), "kind: [");
    }
    for (const argv of [["validate", "files"], ["doctor"], ["import", "files"]]) {
      const { out, err } = await runCli(root, argv);
      // oxlint-disable-next-line no-control-regex -- the character that begins a command
      expect(`${out}\n${err}`).not.toMatch(/\u001b|^PWNED/m);
      expect(`${out}\n${err}`).toContain("x\\u001b[8m");
    }
  });
});

describe("names of a definition become paths only if they are names", () => {
  const wrong: [field: string, change: (spec: Spec) => void][] = [
    ["spec.group", (spec) => (spec["group"] = "../../.github/workflows/x")],
    ["spec.group", (spec) => (spec["group"] = "")],
    ["spec.group", (spec) => (spec["group"] = "Example.com")],
    ["spec.group", (spec) => (spec["group"] = "a.com\n")],
    ["spec.names.plural", (spec) => (spec["names"].plural = "../ci")],
    ["spec.names.plural", (spec) => (spec["names"].plural = "a/b")],
    ["spec.names.kind", (spec) => (spec["names"].kind = "A/../B")],
    ["spec.names.kind", (spec) => (spec["names"].kind = "A\u001b[2K")],
    ["spec.names.singular", (spec) => (spec["names"].singular = "..")],
    ["spec.names.listKind", (spec) => (spec["names"].listKind = "a b")],
    ["spec.versions[0].name", (spec) => (spec["versions"][0].name = "../v1")],
    ["spec.versions[0].name", (spec) => (spec["versions"][0].name = "v1.0")],
  ];
  it.each(wrong)("import refuses %s (%#)", async (field, change) => {
    const root = await newProject();
    writeFileSync(join(root, "x.yaml"), stringify(crd(change)));
    const before = filesIn(root);
    const { code, err } = await runCli(root, ["import", "x.yaml", "--force"]);
    expect([code, err]).toEqual([1, expect.stringMatching(/not-a-crd: x\.yaml: /)]);
    expect(err).toContain(field);
    expect(filesIn(root)).toEqual(before);
  });

  const project = (more: object): string =>
    stringify({ layout: "tsop/v1", projectName: "shop", domain: "example.com", ...more });
  const page = { group: "web", version: "v1", kind: "Page", plural: "pages" };
  it.each([
    ["projectName", { projectName: "../../x" }],
    ["resources[0].kind", { resources: [{ ...page, kind: "$(touch x)" }] }],
    ["resources[0].version", { resources: [{ ...page, version: "../v1" }] }],
    ["resources[0].plural", { resources: [{ ...page, plural: "a/b" }] }],
    ["resources[0].group", { resources: [{ ...page, group: "../x" }] }],
    ["resources[0].domain", { resources: [{ ...page, domain: "../x" }] }],
    ["resources[0].files", { resources: [{ ...page, files: { "../x": "a" } }] }],
    ["plugins[0].name", { plugins: [{ name: "../x", files: {} }] }],
    ["plugins[0].files", { plugins: [{ name: "x", files: { "/etc/passwd": "a" } }] }],
  ])("PROJECT with a wrong %s is refused, with its line", async (field, more) => {
    const root = await newProject();
    writeFileSync(join(root, "PROJECT"), project(more));
    const { code, err } = await runCli(root, ["list"]);
    expect([code, err]).toEqual([1, expect.stringContaining("broken-project-file")]);
    expect(err).toContain(`: ${field} is `);
    expect(err).toMatch(/PROJECT:\d+/);
    const words = await runCli(root, ["completion-words", "kind"]);
    expect(words).toMatchObject({ code: 0, out: "" });
  });
});
