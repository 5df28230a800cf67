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

const HEAD = `import { addFinalizer, controllerFor, createClient, createOrUpdate, Rbac, type Client, type Manager, type Token } from "tsop";
import { ConfigMap, Deployment, Secret, Service } from "tsop/k8s";
import * as k8s from "tsop/k8s";
import { Page } from "./page.ts";
declare const client: Client;
declare const key: { namespace: string; name: string };
`;

async function run(markers: string, code: string): Promise<Generated> {
  writeFileSync(join(root, "src/page.ts"), KIND);
  const source = `${HEAD}${markers}\nexport class PageReconciler {\n#client = client;\nasync reconcile() {\n${code}\n}\n}\n`;
  writeFileSync(join(root, "src/controller.ts"), source);
  return generate({ root, cache: false });
}

const told = ({ diagnostics }: Generated): string[] =>
  diagnostics.map(({ code, message }) => `${code}: ${message}`);

/** A call, and the right that it lacks when there is another one only. */
const GAPS: readonly (readonly [call: string, right: string])[] = [
  ["await client.get(Deployment, key);", "list and watch the deployments.apps"],
  ["await client.find(Deployment, key);", "list and watch the deployments.apps"],
  ["await client.live.get(Deployment, key);", "get the deployments.apps"],
  ["await client.list(Secret);", "list and watch the secrets"],
  ["await client.live.list(Secret);", "list the secrets"],
  ["for await (const one of client.listAll(Secret)) one;", "list and watch the secrets"],
  ["await client.create(Service, {} as never);", "create the services"],
  ["await client.update(Service, {} as never);", "update the services"],
  ["await client.patch(Service, key, {} as never);", "patch the services"],
  ["await client.apply(Service, {} as never);", "create and patch the services"],
  ["await client.delete(k8s.Service, key);", "delete the services"],
  ["await client.deleteAllOf(Service);", "deletecollection the services"],
  ["await client.watch(Service);", "watch the services"],
  ["controllerFor({} as Manager).for(Page);", "list and watch the pages.web.example.com"],
  ["controllerFor({} as Manager).for(ConfigMap).owns(Service);", "list and watch the services"],
  [
    "controllerFor({} as Manager).for(ConfigMap).watches(Secret, () => []);",
    "list and watch the secrets",
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
    "list and watch and create and update the deployments.apps",
  ],
  ["await addFinalizer(client, Page, {} as Page, 'x/y');", "patch the pages.web.example.com"],
  [
    "await client.subresource('scale').patch(Deployment, key, {} as never);",
    "patch the scale of deployments.apps",
  ],
  [
    "const ensure = async (token: Token) => client.delete(token, key);\nawait helper(Secret);\nfunction nothing() {}",
    "delete the secrets",
  ],
  ["const direct = createClient({} as never);\nawait direct.get(Secret, key);", "get the secrets"],
];

const HELPER = `\nasync function helper(token: Token) { await client.delete(token, key); }\n`;

describe("rights", () => {
  for (const [call, right] of GAPS) {
    it(`that a call lacks are named: ${call.split("\n").at(-1) ?? ""}`, async () => {
      const found = told(
        await run(`${HELPER}@Rbac(ConfigMap, ["get", "list", "watch"])`, `${call}\n`),
      );
      const missing = found.filter((line) => line.startsWith("right-missing"));
      expect(
        missing.some((line) => line.includes(`the right to ${right}, which`)),
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
  ] as const) {
    it(`that nothing uses are named: ${marker}`, async () => {
      const found = told(await run(`${NEEDED}\n${marker}`, USES));
      expect(found).toHaveLength(1);
      expect(found[0]).toContain(`right-unused: Nothing here needs the right to ${unused}`);
    });
  }

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
    ["it is a path", `@Rbac({ urls: ["/metrics"], verbs: ["get"] })`, ""],
    ["no call of that name is meant", "", "new Map<object, string>().get(Secret);"],
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
      { apiGroups: ["web.example.com"], resources: ["pages"], verbs: ["get", "list", "watch"] },
    ]);
  });
});
