/** Clients, kinds and owners are followed wherever TypeScript's types lead; what is lost there is told at its line. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { type Generated, generate } from "../../src/generator/generate.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tsop-followed-"));
  mkdirSync(join(root, "src"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const KIND = `import { CustomResource, Resource, type Int32 } from "tsop";
export class PageSpec { size!: Int32; }
export class PageStatus { ready?: Int32; }
@Resource({ group: "web.example.com", version: "v1" })
export class Page extends CustomResource<PageSpec, PageStatus> {}
@Resource({ group: "web.example.com", version: "v1", statusSubresource: false })
export class Plain extends CustomResource<PageSpec, PageStatus> {}
`;

const HEAD = `import { controllerFor, createClient, createCluster, createManager, createOrUpdate, createOrUpdateOwned, dependent, Rbac, type ApplyOptions, type Client, type Manager, type Outcome, type Reconciler, type Request, type Token } from "tsop";
import { CertificateSigningRequest, ClusterRole, ClusterRoleBinding, ConfigMap, Deployment, Role, Secret, Service } from "tsop/k8s";
import { register } from "somewhere";
import { Page, Plain } from "./page.ts";
declare const manager: Manager;
declare const client: Client;
declare const key: { namespace: string; name: string };
declare const page: Page;
`;

const PROJECT = { domain: "example.com", projectName: "p", namespaced: false } as const;

async function run(code: string): Promise<Generated> {
  writeFileSync(join(root, "src/page.ts"), KIND);
  writeFileSync(join(root, "src/controller.ts"), HEAD + code);
  return generate({ root, cache: false, project: PROJECT });
}

const told = ({ diagnostics }: Generated): string[] =>
  diagnostics.map(
    ({ line, code, message }) => `${line - HEAD.split("\n").length + 1} ${code}: ${message}`,
  );

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** The rules of the operator's roles, each as `resources[names]: verbs`. */
const rulesOf = ({ files }: Generated): readonly string[] =>
  parseAllDocuments(files.get("config/rbac/role.yaml") ?? "").flatMap((one) => {
    const { rules = [] } = one.toJS() as { rules?: Rule[] };
    return rules.flatMap(({ resources = [], nonResourceURLs = [], resourceNames = [], verbs }) =>
      [...resources, ...nonResourceURLs].map(
        (name) =>
          `${name}${resourceNames.length > 0 ? `[${resourceNames.join(" ")}]` : ""}: ${verbs.join(" ")}`,
      ),
    );
  });

/** Code, and the rules that it needs, all of them. */
const EXACT: readonly (readonly [what: string, code: string, ...rules: string[]])[] = [
  [
    "a property with the name of an option inside of other arguments",
    `const builder = controllerFor(manager).for(Page);
     builder.dependents({ kinds: [ConfigMap], desired: () => [dependent(ConfigMap, { metadata: { name: "a", labels: { cluster: "b", sharding: "c" } } })] });
     builder.complete({ reconcile: async () => {} });`,
    "configmaps: create delete get list patch watch",
    "events: create patch",
    "pages: get list watch",
    "pages/finalizers: update",
  ],
  [
    "a kind that is watched in another cluster",
    `const edge = createCluster(manager, {} as never);
     controllerFor(manager).for(Page).watches(Secret, { map: () => [], cluster: edge }).complete({ reconcile: async () => {} });
     await edge.client.delete(Secret, key);`,
    "events: create patch",
    "pages: get list watch",
  ],
  [
    "a choice between kinds whose objects are alike",
    `const kind = key.name === "a" ? Page : Plain;
     const chosen = (): Token => (key.name === "b" ? Plain : Page);
     const kinds = [Page, Plain];
     await client.delete(kind, key);
     await client.list(chosen());
     for (const one of kinds) await client.watch(one);
     await client.deleteAllOf(Object.values({ one: Page, two: Plain })[0]!, { namespace: "a" });
     const found = await client.get(key.name === "c" ? Page : Plain, key);
     await client.update(found);`,
    "pages: delete deletecollection get list update watch",
    "plains: delete deletecollection get list update watch",
  ],
  [
    "a table of functions whose parameters are typed by context",
    `const phases: Record<string, (client: Client, page: Page) => Promise<Outcome>> = {
       New: async (client, page) => { await client.status.patch(page, { ready: 1 }); },
       Old: async (client) => { await client.delete(Page, key); },
     };
     await phases["New"]?.(client, page);`,
    "pages: delete",
    "pages/status: patch",
  ],
  [
    "a table that satisfies a type, with the kind as a parameter",
    `type Step = (client: Client, kind: Token) => Promise<void>;
     const steps = { run: async (client, kind) => client.delete(kind, key) } satisfies Record<string, Step>;
     await steps.run(client, Secret);`,
    "secrets: delete",
  ],
  [
    "a wrapper of functions",
    `const logged = <A extends unknown[]>(fn: (...given: A) => Promise<void>) => (...given: A) => fn(...given);
     await logged((kind: Token) => client.delete(kind, key))(Secret);`,
    "secrets: delete",
  ],
  [
    "recursion over a list",
    `async function purge(kinds: readonly Token[]): Promise<void> {
       const [first, ...others] = kinds;
       if (first) { await client.delete(first, key); await purge(others); }
     }
     await purge([Secret, Service]);
     await client.get(Secret, key);`,
    "secrets: delete get",
    "services: delete",
  ],
  [
    "a default in a pattern",
    "const remove = ({ kind = Secret as Token }: { kind?: Token }) => client.delete(kind, key);\nawait remove({});\nawait remove({ kind: Service });",
    "secrets: delete",
    "services: delete",
  ],
  [
    "an owner in options that are built elsewhere",
    `const optionsFor = (owner: Page): ApplyOptions => ({ owner, force: true });
     await client.apply(Secret, {} as never, optionsFor(page));`,
    "pages/finalizers: update",
    "secrets: create get patch",
  ],
  [
    "an owner that a helper is given",
    "await createOrUpdateOwned(client, Secret, key, () => undefined, { owner: page });",
    "pages/finalizers: update",
    "secrets: create get update",
  ],
  [
    "the cleanup of a reconciler that a factory makes",
    `const make = (api: Client) => ({ reconcile: async () => {}, cleanup: async () => { await api.delete(Secret, key); } });
     controllerFor(manager).for(Page).complete(make(client));`,
    "events: create patch",
    "pages: get list patch watch",
    "secrets: delete",
  ],
  [
    "the cleanup behind a wrapper and a condition",
    `class Inner implements Reconciler<Page> { async reconcile() {} async cleanup() {} }
     const wrap = (inner: Reconciler<Page>): Reconciler<Page> => ({ ...inner, reconcile: async (...all) => inner.reconcile(...all) });
     const plain: Reconciler<Page> = { reconcile: async () => {} };
     controllerFor(manager).for(Page).complete(key.name ? wrap(new Inner()) : plain);`,
    "events: create patch",
    "pages: get list patch watch",
  ],
  [
    "requests of any path",
    `await client.raw({ path: "/api/v1/nodes" });
     await client.raw({ method: "POST", path: "/apis/authorization.k8s.io/v1/subjectaccessreviews" });
     const path = "/api/v1/namespaces/" + key.namespace + "/pods/" + key.name + "/eviction";
     await client.raw({ method: "POST", path });
     await client.raw({ path: \`/apis/metrics.k8s.io/v1beta1/namespaces/\${key.namespace}/pods\` });
     await client.raw({ path: "/metrics" });`,
    "/metrics: get",
    "nodes: get list",
    "pods/eviction: create",
    "subjectaccessreviews: create",
    "pods: get list",
  ],
  [
    "the rules of a role, which its creator must hold, and the binding",
    `const READ = ["get", "list"];
     await client.apply(Role, { metadata: { name: "a" }, rules: [{ apiGroups: ["apps"], resources: ["deployments"], verbs: READ }] });
     await client.create(ClusterRoleBinding, { metadata: { name: "a" }, roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" } } as never);`,
    "deployments: get list",
    "clusterrolebindings: create",
    "clusterroles[view]: bind",
    "roles: create patch",
  ],
  [
    "the rules that a function sets",
    `await createOrUpdate(client, ClusterRole, key, (role) => { role.rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["watch"] }]; });`,
    "pods: watch",
    "clusterroles: create get update",
  ],
  [
    "whom a client acts as",
    `createClient({ server: "https://a", impersonate: { user: "system:serviceaccount:a:deployer", groups: ["admins"] } } as const);`,
    "groups[admins]: impersonate",
    "serviceaccounts[deployer]: impersonate",
  ],
  [
    "a metrics endpoint that asks who may read it",
    `createManager({ metrics: { port: 8443, reviewed: true, tls: "self-signed" } });`,
    "subjectaccessreviews: create",
    "tokenreviews: create",
  ],
];

/** Code, and what is told at its lines. */
const TOLD: readonly (readonly [what: string, code: string, ...lines: string[]])[] = [
  [
    "a client for other code",
    "register(client);",
    "1 right-unclear: The role might be missing permissions for Client",
  ],
  [
    "a client in options for other code",
    "register({ deep: { client } });",
    "1 right-unclear: The role might be missing permissions for Client",
  ],
  [
    "a client that becomes any",
    "const api: any = manager.client;\napi.delete(Secret, key);",
    "1 right-unclear: The role might be missing permissions for Client",
    "2 right-unclear: The role might be missing permissions for Secret",
  ],
  [
    "a client that is cast",
    "const api = client as unknown as { drop(kind: unknown): void };\napi.drop(1);",
    "1 right-unclear: The role might be missing permissions for Client",
  ],
  [
    "a method for a library",
    "await Reflect.apply(client.list, client, [Secret]);",
    "1 right-unclear: The role might be missing permissions for list",
  ],
  [
    "the signer of a certificate",
    `await client.subresource("approval").update(CertificateSigningRequest, key, {});`,
    "1 right-unclear: The role might be missing permission to approve for the signer",
  ],
  [
    "a role of unknown rules",
    "declare const role: Role;\nawait client.apply(Role, role as never);",
    "2 right-unclear: The role might be missing permissions for this role",
  ],
  [
    "a path that is not constant",
    "await client.raw({ path: key.name });",
    "1 right-unclear: The role might be missing permissions for client.raw()",
  ],
  [
    "an owner that is not known, and the same with a known one",
    `await client.apply(Secret, {} as never, { owner: page });
     const options: ApplyOptions = JSON.parse("{}");
     await client.apply(Secret, {} as never, options);`,
    "3 right-unclear: The role might be missing permission to update",
  ],
  [
    "a kind that is known at one call only",
    "declare const kinds: Token[];\nconst remove = (kind: Token) => client.delete(kind, key);\nawait remove(Secret);\nawait remove(kinds[0]!);",
    "4 right-unclear: The role might be missing permission to delete",
  ],
  [
    "a kind that is applied for an owner and not watched",
    `controllerFor(manager).for(Page).complete({ reconcile: async () => { await client.apply(Secret, {} as never, { owner: page }); } });`,
    "1 owned-not-watched: Secret objects are created for Page objects",
  ],
  [
    "an index that nobody declares",
    `await client.list(Secret, { index: { name: "node", value: "a" } });`,
    `1 index-missing: Nothing declares the index "node" of Secret`,
  ],
  [
    "a controller that is not completed",
    "controllerFor(manager).for(Page).owns(Secret);",
    "1 controller-incomplete: This controller is never completed",
  ],
  [
    "a variable that is not completed",
    "const builder = controllerFor(manager).for(Page);\nbuilder.owns(Secret);",
    "1 controller-incomplete: This controller is never completed",
  ],
  [
    "the status of a kind without the subresource",
    "declare const plain: Plain;\nawait client.status.patch(plain, { ready: 1 });",
    "2 no-status-subresource: Plain has no status subresource",
  ],
];

describe("the rights of code", () => {
  it.each(EXACT)("are exactly those of %s", async (_what, code, ...rules) => {
    const generated = await run(code);
    expect(told(generated)).toEqual([]);
    expect([...rulesOf(generated)].sort()).toEqual([...rules].sort());
  });

  it.each(TOLD)("are told of at the line: %s", async (_what, code, ...lines) => {
    const all = told(await run(code));
    for (const line of lines)
      expect(
        all.filter((one) => one.startsWith(line)),
        all.join("\n"),
      ).toHaveLength(1);
    expect(all).toHaveLength(lines.length);
  });

  it("are left alone where both ends agree", async () => {
    const generated = await run(`manager.cache.addIndex(Secret, "node", () => []);
      await client.list(Secret, { index: { name: "node", value: "a" } });
      const setUp = (given: Manager) => controllerFor(given).for(Page);
      setUp(manager).owns(Service).complete({ reconcile: async () => { await client.apply(Service, {} as never, { owner: page }); } });`);
    expect(told(generated)).toEqual([]);
  });

  it("have what @Rbac adds beside what is inferred", async () => {
    const generated = await run(`@Rbac(Secret, ["get"], { namespace: "infra" })
      @Rbac(Deployment, ["delete"])
      export class PageReconciler { async reconcile() { await client.get(Page, key); } }`);
    expect(told(generated)).toEqual([]);
    expect(rulesOf(generated)).toEqual(["deployments: delete", "pages: get", "secrets: get"]);
    const objects = parseAllDocuments(generated.files.get("config/rbac/role.yaml") ?? "").map(
      (one) => one.toJS() as { kind: string; metadata: { name: string; namespace?: string } },
    );
    expect(objects.map(({ kind, metadata }) => [kind, metadata.name, metadata.namespace])).toEqual([
      ["ClusterRole", "manager-role", undefined],
      ["Role", "manager-role-infra", "infra"],
      ["RoleBinding", "manager-role-infra-binding", "infra"],
    ]);
  });
});
