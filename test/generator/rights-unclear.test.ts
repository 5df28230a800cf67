/** What the generator cannot follow is told; what it follows is granted. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Generated, generate } from "../../src/generator/generate.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tsop-unclear-"));
  mkdirSync(join(root, "src"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const KIND = `import { CustomResource, Resource, type Int32 } from "tsop";
export class PageSpec { size!: Int32; }
export class PageStatus { ready?: Int32; }
@Resource({ group: "web.example.com", version: "v1" })
export class Page extends CustomResource<PageSpec, PageStatus> {}
`;

const HEAD = `import { controllerFor, createManager, metadataOf, Rbac, setControllerReference, type Client, type SentObject, type Manager, type ReadToken, type Token } from "tsop";
import { ConfigMap, Deployment, Secret, Service } from "tsop/k8s";
import * as k8s from "tsop/k8s";
import { register } from "somewhere";
import { Page } from "./page.ts";
import Vault, { kindOf } from "./vault.ts";
declare const client: Client;
declare const manager: Manager;
declare const key: { namespace: string; name: string };
declare const page: Page;
`;

const VAULT = [
  'import { Secret } from "tsop/k8s";\nexport default Secret;\n',
  'import { Secret } from "tsop/k8s";\nexport function kindOf() { return Secret; }\n',
] as const;

/** A project whose role is what its markers say. */
const MARKERS = {
  domain: "example.com",
  projectName: "p",
  namespaced: false,
  rbac: "markers",
} as const;

async function run(code: string, markers = ""): Promise<Generated> {
  writeFileSync(join(root, "src/page.ts"), KIND);
  if (/Vault|kindOf/.test(code))
    writeFileSync(join(root, "src/vault.ts"), VAULT[/Vault/.test(code) ? 0 : 1]);
  const source = `${HEAD}${markers}\nexport class PageReconciler {}\n${code}\n`;
  writeFileSync(join(root, "src/controller.ts"), source);
  return generate({ root, cache: false, ...(markers === "" ? {} : { project: MARKERS }) });
}

const told = ({ diagnostics }: Generated): string[] =>
  diagnostics.map(({ file, line, code, message }) => `${file}:${line} ${code}: ${message}`);

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const rulesOf = ({ files }: Generated): readonly string[] => {
  const role = parse(files.get("config/rbac/role.yaml") ?? "{}") as { rules?: Rule[] };
  return (role.rules ?? []).flatMap(({ resources, verbs }) =>
    resources.map((resource) => `${resource}: ${verbs.join(" ")}`),
  );
};

/** Ways to a kind that are followed to the end, by the rule that they need. */
const FOLLOWED: readonly (readonly [way: string, code: string, rule: string])[] = [
  [
    "a kind that is named at run time",
    'const kind = await client.dynamic("apps/v1", "Deployment");\nawait client.delete(kind, key);',
    "deployments: delete",
  ],
  [
    "a kind of the project that is named at run time",
    'await client.delete(await client.dynamic("web.example.com/v1", "Page"), key);',
    "pages: delete",
  ],
  [
    "a field of an abstract base",
    `abstract class Store { abstract readonly kind: Token; remove() { return client.delete(this.kind, key); } }
     class Secrets extends Store { readonly kind = Secret; }
     await new Secrets().remove();`,
    "secrets: delete",
  ],
  [
    "a getter of a class that extends the base",
    `abstract class Store { abstract get kind(): Token; remove() { return client.delete(this.kind, key); } }
     class Secrets extends Store { get kind() { return Secret; } }
     await new Secrets().remove();`,
    "secrets: delete",
  ],
  [
    "a field of the base",
    `class Store { protected readonly kind = Secret; }
     class Secrets extends Store { remove() { return client.delete(this.kind, key); } }
     await new Secrets().remove();`,
    "secrets: delete",
  ],
  [
    "a static list",
    "class Kinds { static readonly all = [Secret] as const; }\nfor (const kind of Kinds.all) await client.delete(kind, key);",
    "secrets: delete",
  ],
  ["a default export", "await client.delete(Vault, key);", "secrets: delete"],
  ["a result", "await client.delete(kindOf(), key);", "secrets: delete"],
  [
    "a map",
    'const kinds = new Map([["a", Secret]]);\nawait client.delete(kinds.get("a")!, key);',
    "secrets: delete",
  ],
  [
    "the values of a map",
    'const kinds = new Map([["a", Secret]]);\nfor (const kind of kinds.values()) await client.delete(kind, key);',
    "secrets: delete",
  ],
  [
    "a map that is filled later",
    'const kinds = new Map<string, Token>();\nkinds.set("a", Secret);\nawait client.delete(kinds.get("a")!, key);',
    "secrets: delete",
  ],
  [
    "a list that is filled later",
    "const kinds: Token[] = [];\nkinds.push(Secret);\nfor (const kind of kinds) await client.delete(kind, key);",
    "secrets: delete",
  ],
  [
    "a set that is filled later",
    "const kinds = new Set<Token>().add(ConfigMap);\nkinds.add(Secret);\nfor (const kind of kinds) await client.delete(kind, key);",
    "secrets: delete",
  ],
  [
    "a curried helper",
    "const remove = (api: Client) => (kind: Token) => api.delete(kind, key);\nawait remove(client)(Secret);",
    "secrets: delete",
  ],
  [
    "a function that is called for each",
    "function each(kinds: Token[], run: (kind: Token) => unknown) { for (const kind of kinds) run(kind); }\neach([Secret], (kind) => client.delete(kind, key));",
    "secrets: delete",
  ],
  [
    "dependents",
    "const builder = controllerFor(manager).for(Page);\nbuilder.dependents({ kinds: [Secret], desired: () => [] });\nbuilder.complete({} as never);",
    "secrets: create delete get list patch watch",
  ],
  [
    "the owner of a child that blocks its deletion",
    "await client.apply(Secret, {} as never, { owner: page });",
    "pages/finalizers: update",
  ],
  [
    "the owner of dependents",
    "const builder = controllerFor(manager).for(Page);\nbuilder.dependents({ kinds: [Secret], desired: () => [] });\nbuilder.complete({} as never);",
    "pages/finalizers: update",
  ],
  [
    "an owner that is set by hand",
    "const own = (owner: Page, child: SentObject) => setControllerReference(child, { owner });\nown(page, {} as never);",
    "pages/finalizers: update",
  ],
  [
    "a controller, which tells of loops",
    "controllerFor(manager).for(Page).complete({} as never);",
    "events: create patch",
  ],
  ["shards", 'createManager({ sharding: { id: "x" } });', "leases: create delete get list update"],
  [
    "a status that is changed by a function",
    "await client.status.patch(page, () => ({}));",
    "pages: get",
  ],
  [
    "a read of a kind of which only the metadata is watched",
    "controllerFor(manager).for(metadataOf(Secret)).complete({} as never);\nawait client.get(Secret, key);",
    "secrets: get list watch",
  ],
  [
    "a method chosen at run time",
    'const verb = key.name as "delete";\nawait client[verb](Secret, key);',
    "secrets: delete",
  ],
  [
    "a method called through call",
    "await client.delete.call(client, Secret, key);",
    "secrets: delete",
  ],
  [
    "a kind that is assigned",
    "let kind: Token = ConfigMap;\nif (key.name) kind = Secret;\nawait client.get(kind, key);",
    "secrets: get",
  ],
  [
    "a client that is taken apart",
    "const remove = ({ delete: one }: Client) => one(Secret, key);\nawait remove(client);",
    "secrets: delete",
  ],
];

/** Ways that end where nobody can read on, with the line and what is told there. */
const UNCLEAR: readonly (readonly [way: string, code: string, message: string])[] = [
  ["other code", "register(Secret);", "permissions for Secret"],
  ["a list for other code", "const kinds = [Secret];\nregister(kinds);", "permissions for Secret"],
  [
    "another name for other code",
    "const kind = Secret;\nawait client.get(kind, key);\nregister(kind);",
    "permissions for Secret",
  ],
  ["options for other code", "register({ a: { kind: Secret } });", "permissions for Secret"],
  [
    "a kind that is handed on",
    "const hand = (kind: Token) => register(kind);\nhand(Secret);",
    "permissions for Secret",
  ],
  [
    "a kind named at run time for other code",
    'register(await client.dynamic("apps/v1", "Deployment"));',
    "permissions for Deployment",
  ],
  [
    "a kind named by a variable",
    "await client.delete(await client.dynamic(key.name, key.name), key);",
    "permission to delete",
  ],
  [
    "a kind from elsewhere",
    "declare const kinds: Record<string, Token>;\nawait client.delete(kinds.a!, key);",
    "permission to delete",
  ],
  [
    "a list from elsewhere",
    "declare const kinds: Token[];\ncontrollerFor(manager).for(Page).dependents({ kinds, desired: () => [] });",
    "permission to list and watch and create and patch and delete",
  ],
  [
    "a helper with a kind from elsewhere",
    "declare const kinds: Token[];\nconst remove = (kind: Token) => client.delete(kind, key);\nawait remove(kinds[0]!);",
    "permission to delete",
  ],
  [
    "a status of what is not known",
    "await client.status.patch(JSON.parse(''), {});",
    "permission to patch",
  ],
  [
    "a subresource that is not known",
    "await client.subresource(key.name).get(Secret, key);",
    "permission to get",
  ],
];

const named = /kind|Secret|client|verb/;

describe("rights that the code alone does not show", () => {
  for (const [way, code, rule] of FOLLOWED) {
    it(`are granted for ${way}`, async () => {
      const generated = await run(code);
      expect(told(generated)).toEqual([]);
      expect(rulesOf(generated)).toContain(rule);
    });
  }

  for (const [way, code, message] of UNCLEAR) {
    it(`are told of at the line of ${way}`, async () => {
      const found = (await run(code)).diagnostics;
      const first = HEAD.split("\n").length + 2;
      expect(found.map(({ code: name, severity }) => `${severity} ${name}`)).toContain(
        "warning right-unclear",
      );
      const hit = found.find((one) => one.message.includes(message));
      expect(hit, JSON.stringify(found)).toBeDefined();
      const line = code.split("\n")[(hit?.line ?? 0) - first] ?? "";
      expect(line).toMatch(named);
    });
  }

  for (const [marker, code] of [
    ['@Rbac(Secret, ["delete"])', "register(Secret);"],
    ['@Rbac({ groups: [""], resources: ["*"], verbs: ["*"] })', "register(Secret);"],
    [
      '@Rbac(Secret, ["delete"])',
      "declare const kinds: Token[];\nawait client.delete(kinds[0]!, key);",
    ],
  ] as const) {
    it(`are not told of where a marker grants them: ${marker} for ${code.split("\n").at(-1) ?? ""}`, async () => {
      expect(told(await run(code, marker))).toEqual([]);
    });
  }

  it("are demanded of the markers where only metadata is watched", async () => {
    const code =
      "controllerFor(manager).for(metadataOf(Secret)).complete({} as never);\nawait client.get(Secret, key);";
    const found = told(await run(code, '@Rbac(Secret, ["list", "watch"])'));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain("needs permission to get secrets");
    expect(
      told(
        await run(
          code.replace("get(Secret", "get(metadataOf(Secret)"),
          '@Rbac(Secret, ["list", "watch"])',
        ),
      ),
    ).toEqual([]);
  });
});

/** Calls that lack a right where the kind has no name that a marker could use. */
const GAPS = [
  "for (const kind of [Secret, Service]) await client.delete(kind, key);",
  "await client.delete(metadataOf(Secret) as never, key);",
  "await client.list(k8s.Service);",
  "const again = Secret;\nawait client.list(again);",
  'await client.delete(await client.dynamic("apps/v1", "Deployment"), key);',
  'await client.subresource("scale").patch(Deployment, key, {} as never);',
  "for (const kind of [Deployment]) await client.subresource('scale').get(kind, key);",
];

describe("the marker that is advised", () => {
  for (const code of GAPS) {
    it(`makes the line right, and has no names of its surroundings: ${code.split("\n").at(-1) ?? ""}`, async () => {
      const first = '@Rbac(ConfigMap, ["create"])';
      const use = "await client.create(ConfigMap, {} as never);\n";
      const { diagnostics } = await run(use + code, first);
      const advice = diagnostics.map(
        ({ fix }) => /Add (@Rbac.*) to the controller\./.exec(fix)?.[1],
      );
      expect(advice.length).toBeGreaterThan(0);
      for (const line of advice) {
        expect(line).toMatch(/^@Rbac\((?:Secret|Service|Deployment|k8s\.Service|\{)/);
      }
      expect(told(await run(use + code, [first, ...advice].join("\n")))).toEqual([]);
      // What is named in a marker is what the file imports; the rest of the file needs packages that are not there.
      const text = `${HEAD}${[first, ...advice].join("\n")}\nexport class PageReconciler {}\n`;
      expect(mistakesIn(text)).toEqual([]);
    });
  }
});

/** What the compiler says of the markers of a file that stands in the project's tests. */
function mistakesIn(text: string): string[] {
  const repository = fileURLToPath(new URL("../../", import.meta.url));
  const path = join(repository, "test/generator/advised.ts");
  const config = ts.getParsedCommandLineOfConfigFile(
    join(repository, "tsconfig.json"),
    { experimentalDecorators: true, noEmit: true, noUnusedLocals: false },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );
  const options = {
    ...config?.options,
    paths: {
      tsop: [join(repository, "src/index.ts")],
      "tsop/k8s": [join(repository, "src/k8s.ts")],
    },
  };
  const host = ts.createCompilerHost(options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => {
    if (name === path) return ts.createSourceFile(name, text, version, true);
    cached.set(name, cached.get(name) ?? getSourceFile(name, version));
    return cached.get(name);
  };
  const program = ts.createProgram([path], options, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(path))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
    .filter((message) => !message.includes("Cannot find module"));
}

const cached = new Map<string, ts.SourceFile | undefined>();
