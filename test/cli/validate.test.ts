import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyFolder, newProject, runCli } from "./support/run-cli.ts";

const MONITORS = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: configmonitors.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: ConfigMonitor, plural: configmonitors }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [configMap]
              properties:
                configMap: { type: string }
                every: { type: integer, minimum: 1, default: 60 }
              x-kubernetes-validations:
                - { rule: "self.every < 3600", message: must be less than an hour }
`;

const monitor = (spec: string): string =>
  `apiVersion: example.com/v1\nkind: ConfigMonitor\nmetadata: { name: page }\nspec: ${spec}\n`;

interface Told {
  readonly objects: readonly {
    readonly kind: string;
    readonly name: string;
    readonly accepted: boolean;
    readonly reason?: string;
    readonly causes: readonly { file: string; line: number; column: number; field?: string }[];
    readonly warnings: readonly string[];
    readonly stored?: { readonly spec?: unknown; readonly metadata?: unknown };
  }[];
  readonly unreadable: readonly { readonly file: string; readonly line: number }[];
}

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = emptyFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

async function told(folder: string, ...argv: string[]): Promise<Told & { code: number }> {
  const { code, out } = await runCli(folder, ["validate", ...argv, "-o", "json"]);
  return { code, ...(JSON.parse(out) as Told) };
}

describe("tsop validate", () => {
  it("S1-03 says which field a custom kind does not have, where it stands, and which was meant", async () => {
    const folder = folderOf({ "a.yaml": monitor("\n  configmap: page"), "crds/b.yaml": MONITORS });
    const { code, out } = await runCli(folder, ["validate", "."]);
    expect(code).toBe(1);
    expect(out.split("\n")).toEqual([
      "a.yaml:5:14 ConfigMonitor page: spec.configmap: unknown field. Did you mean configMap?",
      "a.yaml:5:3 ConfigMonitor page: spec.configMap: Required value",
      "a.yaml:1:1 ConfigMonitor page: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      "1 of 2 objects would be refused",
    ]);
  });

  it("accepts what an API server accepts, and shows it with its defaults", async () => {
    const folder = folderOf({ "a.yaml": monitor("{ configMap: page }"), "b.yaml": MONITORS });
    expect((await runCli(folder, ["validate", "a.yaml", "b.yaml"])).out).toBe("accepted 2 objects");
    const { code, objects } = await told(folder, "a.yaml", "b.yaml", "--namespace", "shop");
    expect(code).toBe(0);
    expect(objects[0]).toMatchObject({
      accepted: true,
      stored: { metadata: { namespace: "shop" }, spec: { configMap: "page", every: 60 } },
    });
  });

  it.each([
    ["a rule of the kind", monitor("{ configMap: a, every: 3600 }"), "Invalid", "spec"],
    ["a value of another type", monitor("{ configMap: 1 }"), "Invalid", "spec.configMap"],
    [
      "a built-in kind's field",
      "apiVersion: v1\nkind: Service\nmetadata: { name: a }\nspec: { ports: [{ prot: 80 }] }\n",
      "BadRequest",
      "spec.ports[0].prot",
    ],
    [
      "a name",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: A_b }\n",
      "Invalid",
      "metadata.name",
    ],
    [
      "a kind that is not served",
      "apiVersion: a.b/v1\nkind: C\nmetadata: { name: c }\n",
      "NotFound",
      undefined,
    ],
  ])("refuses %s, and names its field", async (_what, text, reason, field) => {
    const { code, objects } = await told(
      folderOf({ "a.yaml": text, "z.yaml": MONITORS }),
      "a.yaml",
      "z.yaml",
    );
    expect(code).toBe(1);
    expect(objects[0]).toMatchObject({ accepted: false, reason });
    expect(objects[0]?.causes[0]?.field).toBe(field);
    expect(objects[1]?.accepted).toBe(true);
  });

  it("reads Lists and JSON, and says what is wrong with an item at its line", async () => {
    const pods = {
      apiVersion: "v1",
      kind: "List",
      items: [
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "good" } },
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "bad" }, dta: {} },
      ],
    };
    const folder = folderOf({ "a.json": JSON.stringify(pods, undefined, 1) });
    const { objects } = await told(folder, "a.json");
    expect(objects.map(({ accepted }) => accepted)).toEqual([true, false]);
    expect(objects[1]?.causes).toMatchObject([{ file: "a.json", line: 18, field: "dta" }]);
  });

  it("knows namespaces, accounts and classes that come in a later file, and asks no webhook of the files", async () => {
    const folder = folderOf({
      "a.yaml": `apiVersion: v1
kind: Pod
metadata: { name: a, namespace: shop }
spec:
  serviceAccountName: robot
  priorityClassName: high
  containers: [{ name: a, image: a }]
`,
      "b.yaml": `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: hook }
webhooks:
  - name: hook.example.com
    clientConfig: { url: "https://127.0.0.1:1/" }
    rules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }]
    sideEffects: None
    admissionReviewVersions: [v1]
`,
      "c.yaml": `apiVersion: v1
kind: ServiceAccount
metadata: { name: robot, namespace: shop }
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: high }
value: 1000
`,
    });
    const { objects } = await told(folder, ".");
    expect(objects.filter(({ accepted }) => !accepted)).toEqual([]);
    expect(objects).toHaveLength(4);
  });

  it("honours the Pod Security Standard of a namespace among the files", async () => {
    const restricted = `apiVersion: v1
kind: Namespace
metadata: { name: shop, labels: { pod-security.kubernetes.io/enforce: restricted } }
---
apiVersion: v1
kind: Pod
metadata: { name: a, namespace: shop }
spec: { containers: [{ name: a, image: a }] }
`;
    const { objects } = await told(folderOf({ "a.yaml": restricted }), "a.yaml");
    expect(objects.map(({ accepted, reason }) => [accepted, reason])).toEqual([
      [true, undefined],
      [false, "Forbidden"],
    ]);
  });

  it("knows the kinds of the project that it runs in", async () => {
    const root = await newProject();
    const kind = ["--group", "web", "--version", "v1", "--kind", "Page"];
    await runCli(root, ["create", "api", ...kind, "--field", "size:int=1"]);
    await runCli(root, ["manifests"]);
    expect(await runCli(root, ["validate", "config/samples"])).toMatchObject({ code: 0, err: "" });
    const page =
      "apiVersion: web.example.com/v1\nkind: Page\nmetadata: { name: a }\nspec: { size: big }\n";
    writeFileSync(join(root, "page.yaml"), page);
    const { out, code } = await runCli(join(root, "config"), ["validate", "../page.yaml"]);
    expect(code).toBe(1);
    expect(out).toMatch(/^\.\.\/page\.yaml:4:\d+ Page a: spec\.size: Invalid value: "string"/);
  });

  it("says where a file is no YAML, and judges the others", async () => {
    const folder = folderOf({
      "a.yaml": "a: [1\nb: 2\n",
      "b.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n",
    });
    const { code, objects, unreadable } = await told(folder, ".");
    expect(code).toBe(1);
    expect(objects).toMatchObject([{ kind: "ConfigMap", accepted: true }]);
    expect(unreadable).toMatchObject([{ file: "a.yaml" }]);
    expect((await runCli(folder, ["validate", "a.yaml"])).out).toMatch(
      /^a\.yaml:\d+:\d+ .*\n1 file cannot be read$/,
    );
  });

  it("calls no webhook: an object of another version is checked in its own", async () => {
    let connections = 0;
    const host = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await once(host.listen(0, "127.0.0.1"), "listening");
    const url = `https://127.0.0.1:${(host.address() as AddressInfo).port}/convert`;
    const versionOf = (name: string, field: string, storage: boolean): object => ({
      name,
      served: true,
      storage,
      schema: {
        openAPIV3Schema: {
          type: "object",
          required: [field],
          properties: {
            [field]: { type: "integer", maximum: 9 },
            more: { type: "string", default: name },
          },
        },
      },
    });
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "foos.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" },
        conversion: {
          strategy: "Webhook",
          webhook: { conversionReviewVersions: ["v1"], clientConfig: { url } },
        },
        versions: [versionOf("v1", "old", false), versionOf("v2", "now", true)],
      },
    };
    const hook = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "MutatingWebhookConfiguration",
      metadata: { name: "all" },
      webhooks: [
        {
          name: "all.example.com",
          clientConfig: { url },
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          rules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] }],
        },
      ],
    };
    const foo = (version: string, name: string, fields: object): object => ({
      apiVersion: `example.com/${version}`,
      kind: "Foo",
      metadata: { name },
      ...fields,
    });
    const all = [
      hook,
      definition,
      foo("v1", "a", { old: 3 }),
      foo("v1", "b", { old: 30 }),
      foo("v1", "c", { now: 3 }),
      foo("v2", "d", { now: 3 }),
    ];
    const folder = folderOf({ "a.yaml": all.map((one) => JSON.stringify(one)).join("\n---\n") });
    const { objects } = await told(folder, "a.yaml");
    host.close();
    expect(connections).toBe(0);
    expect(objects.map(({ name, accepted }) => [name, accepted])).toEqual([
      ["all", true],
      ["foos.example.com", true],
      ["a", true],
      ["b", false],
      ["c", false],
      ["d", true],
    ]);
    expect(objects.map(({ stored }) => stored !== undefined)).toEqual([
      ...[true, true, false, false, false, true],
    ]);
    expect(objects.map(({ warnings }) => warnings.length)).toEqual([0, 0, 1, 1, 1, 0]);
    expect(objects[2]?.warnings[0]).toContain(
      "the conversion webhook of foos.example.com was not called",
    );
  });

  it.each([
    [["no-such.yaml"], "nothing-to-examine"],
    [["notes.yaml"], "nothing-to-validate"],
    [["notes.yaml", "-n", "My_Shop"], "wrong-namespace"],
  ])("refuses %j", async (argv, code) => {
    const folder = folderOf({ "notes.yaml": "milk: 2\n" });
    const result = await runCli(folder, ["validate", ...argv]);
    expect([result.code, result.err]).toEqual([2, expect.stringContaining(code)]);
  });
});
