/** What the code says is deployed, whether a command or the author has written it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { projectAfter, runCli } from "./support/run-cli.ts";

interface Deployed {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly roleRef?: { readonly name: string };
  readonly subjects?: readonly { readonly name: string; readonly namespace: string }[];
}

const put = (root: string, path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

async function deployed(root: string): Promise<readonly Deployed[]> {
  const { code, err } = await runCli(root, ["manifests"]);
  expect([code, err]).toEqual([0, ""]);
  const { code: check } = await runCli(root, ["manifests", "--check"]);
  expect(check).toBe(0);
  const rendered = await runCli(root, ["deploy", "--render", "--image", "controller:1"]);
  expect([rendered.code, rendered.err]).toEqual([0, ""]);
  return parseAllDocuments(rendered.out).map((one) => one.toJS() as Deployed);
}

const shown = (objects: readonly Deployed[], kind: RegExp): string[] =>
  objects
    .filter((object) => kind.test(object.kind))
    .map(({ kind: name, metadata }) => `${name} ${metadata.namespace ?? ""}/${metadata.name}`);

const KIND = `import { CustomResource, Resource } from "tsop";
export class ShelfSpec { size!: string; }
@Resource({ group: "web.example.com", version: "v1" })
export class Shelf extends CustomResource<ShelfSpec> {}
`;
const WEBHOOK = `import { ValidatingWebhook } from "tsop";
import { Shelf } from "../api/v1/shelf.ts";
@ValidatingWebhook(Shelf)
export class ShelfValidator { validateCreate(): void {} validateUpdate(): void {} }
`;
const CONTROLLER = `import { controllerFor, Rbac, type Manager, type Reconciler } from "tsop";
import { ConfigMap, Secret } from "tsop/k8s";
@Rbac(Secret, ["get"], { namespace: "infra" })
@Rbac(Secret, ["list"], { namespace: "vault" })
export class Reader implements Reconciler { async reconcile(): Promise<void> {} }
export const setUp = (manager: Manager): void => {
  controllerFor(manager).for(ConfigMap).complete(new Reader());
};
`;

describe("what is written by hand", { timeout: 120_000 }, () => {
  it("is deployed: a kind and its webhook", async () => {
    const root = await projectAfter([]);
    put(root, "src/api/v1/shelf.ts", KIND);
    put(root, "src/webhooks/shelf-validator.ts", WEBHOOK);
    const objects = await deployed(root);
    expect(shown(objects, /^CustomResourceDefinition$/)).toEqual([
      "CustomResourceDefinition /shelves.web.example.com",
    ]);
    expect(shown(objects, /^ValidatingWebhookConfiguration$/)).toHaveLength(1);
    expect(shown(objects, /^Service$/).some((one) => one.endsWith("-webhook-service"))).toBe(true);
    expect(readFileSync(join(root, "PROJECT"), "utf8")).toContain("certificates: self-managed");
  });

  it("keeps its namespace: a role, with the binding that gives it to the operator", async () => {
    const root = await projectAfter([]);
    put(root, "src/controllers/reader.ts", CONTROLLER);
    const objects = await deployed(root);
    for (const namespace of ["infra", "vault"]) {
      const own = objects.filter(({ metadata }) => metadata.namespace === namespace);
      expect(own.map(({ kind }) => kind).sort()).toEqual(["Role", "RoleBinding"]);
      const role = own.find(({ kind }) => kind === "Role");
      const binding = own.find(({ kind }) => kind === "RoleBinding");
      expect(binding?.roleRef?.name).toBe(role?.metadata.name);
      const account = objects.find(({ kind }) => kind === "ServiceAccount");
      const { name, namespace: at } = account?.metadata ?? { name: "" };
      expect(binding?.subjects).toMatchObject([{ name, namespace: at }]);
    }
  });
});
