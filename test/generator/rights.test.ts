import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Generated, generate } from "../../src/generator/generate.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tsop-rights-"));
  mkdirSync(join(root, "src"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const KIND = `import { CustomResource, Resource, type Int32 } from "tsop";
export class PageSpec { size!: Int32; }
export class PageStatus { ready?: Int32; }
@Resource({ group: "web.example.com", version: "v1" })
export class Page extends CustomResource<PageSpec, PageStatus> {}
`;

const HEAD = `import { addFinalizer, controllerFor, createClient, createOrPatch, createOrUpdate, createOrUpdateOwned, deleteOwned, findOwned, Rbac, type Client, type Manager, type Token } from "tsop";
import { ConfigMap, Deployment, Secret, Service } from "tsop/k8s";
import * as k8s from "tsop/k8s";
import { Page } from "./page.ts";
declare const client: Client;
declare const key: { namespace: string; name: string };
`;

/** A project whose role is what its markers say. */
const MARKERS = {
  domain: "example.com",
  projectName: "p",
  namespaced: false,
  rbac: "markers",
} as const;

/** @param files - others of the project, by their name */
async function run(
  markers: string,
  code: string,
  files: Readonly<Record<string, string>> = {},
): Promise<Generated> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, "src", name), text);
  writeFileSync(join(root, "src/page.ts"), KIND);
  const source = `${HEAD}${markers}\nexport class PageReconciler {\n#client = client;\nasync reconcile() {\n${code}\n}\n}\n`;
  writeFileSync(join(root, "src/controller.ts"), source);
  return generate({ root, cache: false, ...(markers === "" ? {} : { project: MARKERS }) });
}

const told = ({ diagnostics }: Generated): string[] =>
  diagnostics.map(({ code, message }) => `${code}: ${message}`);

/** A call, and the right that it lacks when there is another one only. */
const GAPS: readonly (readonly [call: string, right: string])[] = [
  ["await client.get(Deployment, key);", "get deployments.apps"],
  ["await client.find(Deployment, key);", "get deployments.apps"],
  ["await client.live.get(Deployment, key);", "get deployments.apps"],
  ["await client.list(Secret);", "list secrets"],
  ["await client.live.list(Secret);", "list secrets"],
  ["for await (const one of client.listAll(Secret)) one;", "list secrets"],
  ["await client.create(Service, {} as never);", "create services"],
  ["await client.update(Service, {} as never);", "update services"],
  ["await client.patch(Service, key, {} as never);", "patch services"],
  ["await client.apply(Service, {} as never);", "create and patch services"],
  [
    "const owner = {} as Page;\nawait client.apply(Service, {} as never, { owner });",
    "get and create and patch services",
  ],
  [
    "controllerFor({} as Manager).for(ConfigMap).dependents({ kinds: [Service], desired: () => [] });",
    "list and watch and create and patch and delete services",
  ],
  ["await findOwned(client, Deployment, key, { owner: {} as Page });", "get deployments.apps"],
  [
    "await createOrUpdateOwned(client, Deployment, key, () => undefined, { owner: {} as Page });",
    "get and create and update deployments.apps",
  ],
  ["await deleteOwned(client, Service, key, { owner: {} as Page });", "get and delete services"],
  [
    "const made = await createOrUpdateOwned(client, Page, key, () => undefined, { owner: {} as Page });\nawait client.status.patch(made.object, { ready: 1 });",
    "patch the status of pages.web.example.com",
  ],
  ["await client.delete(k8s.Service, key);", "delete services"],
  ["await client.deleteAllOf(Service);", "deletecollection services"],
  ["await client.watch(Service);", "watch services"],
  ["controllerFor({} as Manager).for(Page);", "list and watch pages.web.example.com"],
  ["controllerFor({} as Manager).for(ConfigMap).owns(Service);", "list and watch services"],
  [
    "controllerFor({} as Manager).for(ConfigMap).watches(Secret, { map: () => [] });",
    "list and watch secrets",
  ],
  [
    "const page = await client.find(Page, key);\nif (page) await client.status.patch(page, { ready: 1 });",
    "patch the status of pages.web.example.com",
  ],
  [
    "const set = async (page: Page) => client.status.update({ ...page });",
    "update the status of pages.web.example.com",
  ],
  [
    "await createOrUpdate(client, Deployment, key, () => undefined);",
    "get and create and update deployments.apps",
  ],
  [
    "await createOrPatch(client, Deployment, key, () => undefined);",
    "get and create and patch deployments.apps",
  ],
  [
    "await createOrPatch(client, Page, key, (page) => { page.status = { ready: 1 }; });",
    "patch the status of pages.web.example.com",
  ],
  ["await client.pods.exec(key, { command: ['ls'] });", "create and get the exec of pods"],
  ["for await (const line of client.pods.logs(key)) String(line);", "get the log of pods"],
  [
    "const { pods } = client;\nawait pods.portForward(key, 80);",
    "create and get the portforward of pods",
  ],
  ["await addFinalizer(client, Page, {} as Page, 'x/y');", "patch pages.web.example.com"],
  [
    "const late = controllerFor({} as Manager).for(Page).complete({ reconcile: async () => {} });\nlate.watch(Secret, { map: () => [] });",
    "list and watch secrets",
  ],
  [
    "controllerFor({} as Manager).for(Page).complete(new Cleaner());",
    "get and patch pages.web.example.com",
  ],
  [
    "const builder = controllerFor({} as Manager).for(Page);\nbuilder.complete({ reconcile: async () => {}, cleanup: async () => {} });",
    "get and patch pages.web.example.com",
  ],
  [
    "controllerFor({} as Manager).for(Secret).complete(new SpecialCleaner());",
    "get and patch secrets",
  ],
  [
    "await client.subresource('scale').patch(Deployment, key, {} as never);",
    "patch the scale of deployments.apps",
  ],
  [
    "const ensure = async (token: Token) => client.delete(token, key);\nawait helper(Secret);\nfunction nothing() {}",
    "delete secrets",
  ],
  ["const direct = createClient({} as never);\nawait direct.get(Secret, key);", "get secrets"],
];

/** A file of helpers, code in which they are used, and a right that this needs. */
const WAYS: readonly (readonly [way: string, helpers: string, code: string, right: string])[] = [
  [
    "a helper of another file",
    "export async function purge(client: Client, token: Token) { await client.delete(token, key); }",
    "await purge(client, Secret);",
    "delete secrets",
  ],
  [
    "a helper of a helper",
    `const inner = async (client: Client, token: Token) => client.deleteAllOf(token);
     export const purge = (token: Token, client: Client) => inner(client, token);`,
    "await purge(k8s.Secret, client);",
    "deletecollection secrets",
  ],
  [
    "options of a helper",
    "export const purge = ({ client, kind }: { client: Client; kind: Token }) => client.delete(kind, key);",
    "await purge({ client, kind: Secret });",
    "delete secrets",
  ],
  [
    "a list of kinds",
    "export const purge = async (client: Client, ...kinds: Token[]) => { for (const kind of kinds) await client.delete(kind, key); };",
    "await purge(client, ConfigMap, Secret);",
    "delete secrets",
  ],
  [
    "a loop",
    "export const KINDS = [Secret, Service] as const;",
    "for (const kind of KINDS) await client.delete(kind, key);",
    "delete services",
  ],
  [
    "a loop over pairs",
    "",
    'for (const [kind, name] of [[Secret, "a"], [Service, "b"]] as const) await client.delete(kind, { ...key, name });',
    "delete services",
  ],
  [
    "a function for each",
    "export const KINDS = { a: Secret, b: Service };",
    "await Promise.all(Object.values(KINDS).map((kind) => client.delete(kind, key)));",
    "delete secrets",
  ],
  [
    "a field of a record",
    "export const KINDS = { a: Secret, b: Service };",
    "await client.delete(KINDS.b, key);",
    "delete services",
  ],
  [
    "another name",
    "export const Vault = Secret;",
    "await client.delete(Vault, key);",
    "delete secrets",
  ],
  [
    "a choice",
    "",
    "await client.delete(key.name === 'a' ? Secret : Service, key);",
    "delete services",
  ],
  [
    "a re-export",
    'export { Secret as Vault } from "tsop/k8s";',
    "await client.delete(Vault, key);",
    "delete secrets",
  ],
  [
    "a re-exported namespace",
    'export * as kinds from "tsop/k8s";',
    "await client.delete(kinds.Secret, key);",
    "delete secrets",
  ],
  [
    "a namespace of helpers",
    "export const purge = (client: Client) => client.delete(Secret, key);",
    "await helpers.purge(client);",
    "delete secrets",
  ],
  [
    "a method that was taken out",
    "",
    "const { delete: remove } = client;\nawait remove(Secret, key);",
    "delete secrets",
  ],
  [
    "a method that was bound",
    "",
    "const remove = client.delete.bind(client);\nawait remove(Secret, key);",
    "delete secrets",
  ],
  [
    "a status that was taken out",
    "",
    "const { status } = client;\nconst page = await client.get(Page, key);\nawait status.patch(page, {});",
    "patch the status of pages.web.example.com",
  ],
  [
    "a store with a token",
    `export class Store {
       constructor(private readonly api: Client, private readonly kind: Token) {}
       remove() { return this.api.delete(this.kind, key); }
     }`,
    "await new Store(client, Secret).remove();",
    "delete secrets",
  ],
  [
    "a store with private fields",
    `export class Store<T extends SentObject> {
       readonly #api: Client; readonly #kind: Token<T>;
       constructor(deps: { client: Client }, kind: Token<T>) { this.#api = deps.client; this.#kind = kind; }
       remove() { return this.#api.delete(this.#kind, key); }
     }
     export class Secrets extends Store<Secret> { constructor(client: Client) { super({ client }, Secret); } }`,
    "await new Secrets(client).remove();",
    "delete secrets",
  ],
  [
    "a method of an own class",
    "export class Purge { constructor(readonly api: Client) {} all(kind: Token) { return this.api.deleteAllOf(kind); } }",
    "const purge = new Purge(client);\nawait purge.all(Secret);",
    "deletecollection secrets",
  ],
  [
    "an object of helpers",
    "export const purge = { async one(client: Client, kind: Token) { await client.delete(kind, key); } };",
    "await purge.one(client, Secret);",
    "delete secrets",
  ],
  [
    "the objects of a list",
    "",
    "for (const page of await client.list(Page)) await client.status.patch(page, {});",
    "patch the status of pages.web.example.com",
  ],
  [
    "a function for each object",
    "",
    "const pages = await client.list(Page);\nawait Promise.all(pages.filter((page) => page.spec).map((page) => client.status.update({ ...page })));",
    "update the status of pages.web.example.com",
  ],
  [
    "a status that a generic helper writes",
    "export async function ready<T extends SentObject & { status?: object }>(client: Client, object: T) { await client.status.patch(object, {}); }",
    "await ready(client, await client.get(Page, key));",
    "patch the status of pages.web.example.com",
  ],
  [
    "what a method returns",
    "",
    "const find = async () => (await client.list(Page))[0];\nconst page = await find();\nif (page) await client.status.patch(page, {});",
    "patch the status of pages.web.example.com",
  ],
  [
    "a client of other dependencies",
    "export interface Deps { readonly api: Client }\nexport const deps = {} as Deps;",
    "await deps.api.delete(Secret, key);",
    "delete secrets",
  ],
  [
    "a subresource in between",
    "",
    'const scale = client.subresource("scale");\nawait scale.get(Deployment, key);',
    "get the scale of deployments.apps",
  ],
  [
    "an index of cache",
    "declare const manager: Manager;\nexport const index = () => manager.cache.addIndex(Secret, 'a', () => []);",
    "",
    "list and watch secrets",
  ],
  [
    "a timer for each object",
    "declare const manager: Manager;\nexport const timer = () => timerSource(manager, Secret, { everyMs: 1000 });",
    "",
    "list and watch secrets",
  ],
  [
    "metadata only",
    "",
    "controllerFor({} as Manager).for(ConfigMap).watches(metadataOf(Secret), { map: () => [] });",
    "list and watch secrets",
  ],
  [
    "a read of what is watched",
    "export const setUp = (manager: Manager) => controllerFor(manager).for(Secret);",
    "await client.get(Secret, key);",
    "list and watch secrets",
  ],
  [
    "a token that is written out",
    "export const Widget = { group: 'x.example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true } as const;",
    "await client.delete(Widget, key);",
    "delete widgets.x.example.com",
  ],
  [
    "an event",
    "declare const manager: Manager;\nexport const events = manager.recorder('pages');",
    "const details = { type: 'Normal', reason: 'A', message: 'b' } as const;\nevents.event({} as Page, details);",
    "create and patch events",
  ],
  [
    "a leader",
    "",
    "createManager({ leaderElection: { id: 'x' } });",
    "get and create and update leases.coordination.k8s.io",
  ],
];

const HELPER_HEAD = `import { controllerFor, createManager, metadataOf, timerSource, type Client, type SentObject, type Manager, type Token } from "tsop";
import { ConfigMap, Secret, Service } from "tsop/k8s";
import * as helpers from "./helpers.ts";
declare const key: { namespace: string; name: string };
`;

const HELPER = `\nasync function helper(token: Token) { await client.delete(token, key); }\n`;
const CLEANERS =
  "class Cleaner { async reconcile() {} async cleanup() {} }\nclass SpecialCleaner extends Cleaner {}\n";

describe("rights", () => {
  for (const [call, right] of GAPS) {
    it(`that a call lacks are named: ${call.split("\n").at(-1) ?? ""}`, async () => {
      const found = told(
        await run(`${HELPER}${CLEANERS}@Rbac(ConfigMap, ["get", "list", "watch"])`, `${call}\n`),
      );
      const missing = found.filter((line) => line.startsWith("right-missing"));
      expect(
        missing.some((line) => line.includes(`permission to ${right}, but`)),
        found.join("\n"),
      ).toBe(true);
    });
  }

  for (const [way, helpers, code, right] of WAYS) {
    it(`that are needed are found through ${way}`, async () => {
      const exported = [
        ...helpers.matchAll(/export (?:async )?(?:const|function|class) (\w+)|as (\w+)\b.* from/g),
      ];
      const names = ["key as unused", ...exported.map(([, name, other]) => name ?? other)];
      const markers = `import { createManager, metadataOf } from "tsop";
import { ${names.join(", ")} } from "./helpers.ts";
import * as helpers from "./helpers.ts";
@Rbac(ConfigMap, ["get", "list", "watch"])`;
      const found = told(await run(markers, `${code}\n`, { "helpers.ts": HELPER_HEAD + helpers }));
      expect(
        found.some((line) => line.startsWith("right-missing") && line.includes(`to ${right}, but`)),
        found.join("\n"),
      ).toBe(true);
    });
  }

  it("that are missing come with their place and the marker to add", async () => {
    const { diagnostics, files } = await run(
      `@Rbac(ConfigMap, ["get", "list", "watch"])`,
      "await client.find(ConfigMap, key);\nawait this.#client.delete(Deployment, key);",
    );
    expect(diagnostics).toMatchObject([
      {
        severity: "error",
        file: "src/controller.ts",
        line: 12,
        column: 7,
        code: "right-missing",
        fix: 'Add @Rbac(Deployment, ["delete"]) to the controller.',
      },
    ]);
    expect(files.size).toBe(0);
  });

  const USES = "await client.find(Page, key);\nawait client.apply(Deployment, {} as never);";
  const NEEDED = `@Rbac(Page, ["get", "list", "watch"])\n@Rbac(Deployment, ["create", "patch"])`;

  for (const [marker, unused] of [
    [`@Rbac(Secret, ["get", "list", "watch"])`, "get, list, watch secrets"],
    [`@Rbac(Deployment, ["delete"])`, "delete deployments.apps"],
    [`@Rbac(Deployment, ["create", "patch", "update"])`, "update deployments.apps"],
    [`@Rbac(Deployment, ["get"])`, "get deployments.apps"],
    [`@Rbac(Page, ["delete"])`, "delete pages.web.example.com"],
    [`@Rbac(Page, ["get", "patch"], { subresource: "status" })`, "get, patch pages/status.web"],
    [`@Rbac({ groups: [""], resources: ["pods"], verbs: ["list"] })`, "list pods"],
    [`@Rbac({ groups: [""], resources: ["pods/log"], verbs: ["get"] })`, "get pods/log"],
    [`@Rbac(Page, ["deletecollection"])`, "deletecollection pages.web.example.com"],
    [`@Rbac(k8s.Service, ["create"])`, "create services"],
    [`@Rbac({ groups: [""], resources: ["events"], verbs: ["create"] })`, "create events"],
    [
      `@Rbac({ groups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "update"] })`,
      "get, update leases.coordination",
    ],
    [
      `@Rbac({ groups: ["apps"], resources: ["deployments", "statefulsets"], verbs: ["patch"] })`,
      "patch statefulsets.apps",
    ],
    [`@Rbac(Secret, ["update"], { resourceNames: ["tls"] })`, "update secrets"],
    [`@Rbac(Secret, ["delete"], { namespace: "system" })`, "delete secrets"],
  ] as const) {
    it(`that nothing uses are named: ${marker}`, async () => {
      const found = told(await run(`${NEEDED}\n${marker}`, USES));
      expect(found).toHaveLength(1);
      expect(found[0]).toContain(`right-unused: Unused permission: nothing calls ${unused}`);
    });
  }

  it("of which some moments or some clusters need one are warned of, where markers write the rights", async () => {
    const markers = `@Rbac(Page, ["list", "watch"])
@Rbac(Page, ["patch"], { subresource: "status" })
@Rbac(Secret, ["get", "create", "patch"])`;
    const code = `controllerFor({} as Manager).for(Page).complete({} as never);
const work = async (page: Page) => {
  await client.status.patch(page, () => ({ ready: 1 }));
  await client.apply(Secret, {} as never, { owner: page });
};
await work({} as never);`;
    const { diagnostics, files } = await run(markers, code);
    expect(
      diagnostics
        .filter(({ code: name }) => name === "right-missing")
        .map(({ severity, line, code, message }) => [severity, line, code, message]),
    ).toEqual([
      [
        "warning",
        15,
        "right-missing",
        "status.patch(page) needs permission to get pages.web.example.com, but no @Rbac grants it.",
      ],
      [
        "warning",
        16,
        "right-missing",
        "apply() needs permission to update the finalizers of pages.web.example.com, but no @Rbac grants it.",
      ],
    ]);
    // They are what the role is: nothing is added in silence.
    expect(files.get("config/rbac/role.yaml")).not.toContain("finalizers");
    const once = await run(
      markers,
      `const set = (page: Page) => client.status.patch(page, () => ({ ready: 1 }));\nset({} as never);\nawait client.get(Page, key);`,
    );
    expect(
      once.diagnostics.map(({ severity, line, code }) => [severity, line, code]),
    ).toContainEqual(["error", 15, "right-missing"]);
  });

  for (const [why, markers, code] of [
    ["a kind is handed to other code", `@Rbac(Secret, ["delete"])`, "console.log(Secret);"],
    [
      "kinds are named at run time",
      `@Rbac({ groups: ["x.example.com"], resources: ["things"], verbs: ["delete"] })`,
      "await client.dynamic('x.example.com/v1', 'Thing');",
    ],
    ["a star grants it", `@Rbac({ groups: ["*"], resources: ["*"], verbs: ["*"] })`, ""],
    [
      "it lets the operator own children",
      `@Rbac(Page, ["update"], { subresource: "finalizers" })`,
      "",
    ],
    [
      "a kind is kept for later",
      `@Rbac(Secret, ["delete"])`,
      "const kinds = new Map<unknown, string>();\nkinds.set(Secret, '');",
    ],
    [
      "a kind is handed on to other code",
      `@Rbac(Secret, ["delete"])`,
      "const hand = (kind: Token) => console.log(kind);\nhand(Secret);",
    ],
    [
      "a method is chosen at run time",
      `@Rbac(Secret, ["delete"])`,
      "const verb = key.name as 'delete';\nawait client[verb](Secret, key);",
    ],
    [
      "the status is that of an unknown object",
      `@Rbac(Page, ["patch"], { subresource: "status" })`,
      "await client.status.patch(JSON.parse(''), {});",
    ],
    [
      "one object may be named",
      `@Rbac(Secret, ["get"], { resourceNames: ["tls"] })`,
      "await client.get(Secret, { ...key, name: 'tls' });",
    ],
    [
      "a recorder is there",
      `@Rbac({ groups: [""], resources: ["events"], verbs: ["create", "patch"] })`,
      "const recorder = ({} as Manager).recorder('a');\nconsole.log(recorder);",
    ],
    ["it is a path", `@Rbac({ urls: ["/metrics"], verbs: ["get"] })`, ""],
    ["no call of that name is meant", "", "new Map<object, string>().get(Secret);"],
    [
      "another object has such a method",
      "",
      "class Registry { get(kind: object, name: string) { return name; } list(kind: object) { return kind; } }\nconst all = new Registry();\nall.get(Secret, 'a');\nall.list(Secret);",
    ],
    [
      "a parameter is such an object",
      "",
      "const look = (cache: Map<unknown, string>, other: { list(kind: unknown): void }) => { cache.get(Secret); other.list.name; };\nconsole.log(look);",
    ],
    [
      "a name is hidden by another",
      "",
      "const run = (Secret: string) => [Secret, { Secret }];\nconsole.log(run);",
    ],
  ] as const) {
    it(`are left alone where ${why}`, async () => {
      expect(told(await run(`${NEEDED}\n${markers}`, `${USES}\n${code}`))).toEqual([]);
    });
  }

  it("become the role by themselves where no marker says any", async () => {
    const { files, diagnostics } = await run("", USES);
    expect(diagnostics).toEqual([]);
    const role = parse(files.get("config/rbac/role.yaml") ?? "") as { rules: unknown };
    expect(role.rules).toEqual([
      { apiGroups: ["apps"], resources: ["deployments"], verbs: ["create", "patch"] },
      { apiGroups: ["web.example.com"], resources: ["pages"], verbs: ["get"] },
    ]);
  });
});
