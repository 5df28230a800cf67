import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderKustomization } from "../../src/cli/kustomize/render.ts";
import { hasKubectl } from "../support/kubectl.ts";
import { expectSameAsKubectl } from "./kustomize/support/beside-kubectl.ts";
import { filesIn, newProject, runCli } from "./support/run-cli.ts";

const version = (name: string, options = ""): string =>
  `import { CustomResource, Resource } from "tsop";
export class PageSpec { in${name}!: string }
@Resource({ group: "web.example.com", version: "${name}", kind: "Page"${options} })
export class Page${name.toUpperCase()} extends CustomResource<PageSpec> {}
`;

const FILES = {
  "v1.ts": version("v1", ", storage: true"),
  "v1alpha1.ts": version("v1alpha1"),
  "conversion.ts": `import { ConversionWebhook, type Content, type Converter, type Sent } from "tsop";
import { PageV1 } from "./v1.ts";
import { PageV1ALPHA1 } from "./v1alpha1.ts";
@ConversionWebhook(PageV1, PageV1ALPHA1)
export class PageConversion implements Converter<PageV1, PageV1ALPHA1> {
  toHub({ spec }: Sent<PageV1ALPHA1>): Content<PageV1> { return { spec: { inv1: spec.inv1alpha1 } }; }
  fromHub({ spec }: Sent<PageV1>): Content<PageV1ALPHA1> { return { spec: { inv1alpha1: spec.inv1 } }; }
}
`,
  "webhooks.ts": `import { MutatingWebhook, ValidatingWebhook, type Defaulter, type Validator, type Sent } from "tsop";
import { PageV1 } from "./v1.ts";
@MutatingWebhook(PageV1)
export class PageDefaulter implements Defaulter<PageV1> { default(page: Sent<PageV1>): void { page.spec.inv1 ||= "a"; } }
@ValidatingWebhook(PageV1)
export class PageValidator implements Validator<PageV1> { validateCreate(): void {} validateUpdate(): void {} }
`,
};

async function project(files: Readonly<Record<string, string>> = FILES): Promise<string> {
  const root = await newProject();
  mkdirSync(join(root, "src/api"), { recursive: true });
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(root, "src/api", name), text);
  appendFileSync(join(root, "config/default/kustomization.yaml"), "  - ../crd\n  - ../webhook\n");
  await manifests(root);
  return root;
}

async function manifests(root: string): Promise<void> {
  const { code, err } = await runCli(root, ["manifests"]);
  expect([code, err]).toEqual([0, ""]);
}

const read = (root: string, path: string): string => readFileSync(join(root, path), "utf8");

/** Texts that are names before kustomize changes them. */
function placeholdersIn(objects: readonly unknown[]): string[] {
  const found: string[] = [];
  JSON.stringify(objects, (_key, value: unknown) => {
    const isPlaceholder = value === "webhook-service" || value === "system";
    if (isPlaceholder || (typeof value === "string" && /SERVICE_NAME/.test(value))) {
      found.push(value);
    }
    return value;
  });
  return found;
}

describe("the manifests of a project with webhooks", () => {
  it("are the configurations, the Service, and what lets kustomize name it in CRDs", async () => {
    const root = await project();
    const paths = Object.keys(filesIn(join(root, "config")));
    for (const path of [
      "crd/kustomizeconfig.yaml",
      "webhook/kustomization.yaml",
      "webhook/manifests.yaml",
      "webhook/service.yaml",
    ]) {
      expect(paths).toContain(path);
    }
    const objects = await renderKustomization(join(root, "config/default"));
    expect(placeholdersIn(objects)).toEqual([]);
    const address = { name: "shop-webhook-service", namespace: "shop-system" };
    const crd = objects.find(({ kind }) => kind === "CustomResourceDefinition");
    expect(crd).toMatchObject({
      spec: {
        conversion: {
          strategy: "Webhook",
          webhook: { clientConfig: { service: address } },
        },
      },
    });
    for (const kind of ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]) {
      expect(objects.find((object) => object.kind === kind)).toMatchObject({
        webhooks: [{ clientConfig: { service: address } }],
      });
    }
    const service = objects.find(({ metadata }) => metadata.name === "shop-webhook-service");
    const deployment = objects.find(({ kind }) => kind === "Deployment");
    expect(service).toMatchObject({ metadata: address, spec: { ports: [{ targetPort: 9443 }] } });
    expect((service as { spec?: { selector?: object } }).spec?.selector).toEqual(
      (deployment as { spec?: { selector?: { matchLabels?: object } } }).spec?.selector
        ?.matchLabels,
    );
  });

  it.skipIf(!hasKubectl)("render as kubectl renders them, the CRDs alone too", async () => {
    const root = await project();
    for (const folder of ["config/default", "config/crd", "config/webhook"]) {
      await expectSameAsKubectl(join(root, folder));
    }
  });

  it("grant what a certificate of the operator's own needs, by the names in the cluster", async () => {
    const root = await project();
    const objects = await renderKustomization(join(root, "config/default"));
    const named = new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
    interface Bound {
      readonly rules?: readonly {
        resources: string[];
        resourceNames?: string[];
        verbs: string[];
      }[];
      readonly roleRef?: { kind: string; name: string };
      readonly subjects?: readonly { kind: string; name: string; namespace: string }[];
    }
    const own = objects.filter(({ metadata }) => metadata.name.includes("webhook-certificate"));
    expect(own.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
      ["Role", "shop-system"],
      ["ClusterRole", undefined],
      ["RoleBinding", "shop-system"],
      ["ClusterRoleBinding", undefined],
    ]);
    const rules = own.flatMap((object) => (object as Bound).rules ?? []);
    expect(rules).toMatchObject([
      { resources: ["secrets"], verbs: ["create"] },
      { resources: ["secrets"], resourceNames: ["shop-webhook-server-cert"] },
      { resources: ["mutatingwebhookconfigurations"], verbs: ["get", "patch"] },
      { resources: ["validatingwebhookconfigurations"], verbs: ["get", "patch"] },
      { resources: ["customresourcedefinitions"], verbs: ["get", "patch"] },
    ]);
    const kinds = [
      "MutatingWebhookConfiguration",
      "ValidatingWebhookConfiguration",
      "CustomResourceDefinition",
    ];
    rules.slice(2).forEach(({ resourceNames = [] }, index) => {
      expect(resourceNames.map((name) => `${kinds[index] ?? ""}/${name}`)).toSatisfy(
        (names: string[]) => names.length === 1 && names.every((name) => named.has(name)),
      );
    });
    for (const object of own) {
      const { roleRef, subjects = [] } = object as Bound;
      if (!roleRef) continue;
      expect(named).toContain(`${roleRef.kind}/${roleRef.name}`);
      expect(subjects.map(({ kind, name }) => `${kind}/${name}`)).toEqual([
        "ServiceAccount/shop-controller-manager",
      ]);
      expect(named).toContain("ServiceAccount/shop-controller-manager");
    }
  });

  it("have the Service alone where there is only a conversion", async () => {
    const root = await project({
      "v1.ts": FILES["v1.ts"],
      "v1alpha1.ts": FILES["v1alpha1.ts"],
      "conversion.ts": FILES["conversion.ts"],
    });
    expect(read(root, "config/webhook/kustomization.yaml")).toMatch(
      /resources:\n- service.yaml\n$/,
    );
    expect(existsSync(join(root, "config/webhook/manifests.yaml"))).toBe(false);
  });

  it("have no Service where a URL is asked, or the Service of another", async () => {
    const { "v1.ts": v1 } = FILES;
    const webhooks = `import { ValidatingWebhook } from "tsop";
import { PageV1 } from "./v1.ts";
@ValidatingWebhook(PageV1, { url: "https://hooks.example.com/v1" })
@ValidatingWebhook(PageV1, { name: "b.page.example.com", service: { name: "gate", namespace: "gates" } })
export class Hook {}
`;
    const root = await project({ "v1.ts": v1, "webhooks.ts": webhooks });
    expect(read(root, "config/webhook/kustomization.yaml")).toMatch(
      /resources:\n- manifests.yaml\n$/,
    );
    expect(existsSync(join(root, "config/webhook/service.yaml"))).toBe(false);
  });

  it("go with the last of them, and out of config/default", async () => {
    const root = await project();
    rmSync(join(root, "src/api/webhooks.ts"));
    await manifests(root);
    expect(existsSync(join(root, "config/webhook/manifests.yaml"))).toBe(false);
    expect(read(root, "config/default/kustomization.yaml")).toContain("../webhook");

    rmSync(join(root, "src/api/conversion.ts"));
    rmSync(join(root, "src/api/v1alpha1.ts"));
    await manifests(root);
    expect(existsSync(join(root, "config/webhook"))).toBe(false);
    expect(existsSync(join(root, "config/crd/kustomizeconfig.yaml"))).toBe(false);
    expect(existsSync(join(root, "config/rbac/webhook_certificate_role.yaml"))).toBe(false);
    expect(read(root, "config/rbac/kustomization.yaml")).not.toContain("webhook_certificate");
    expect(read(root, "config/crd/kustomization.yaml")).not.toContain("configurations");
    expect(read(root, "config/default/kustomization.yaml")).not.toContain("../webhook");
    expect(read(root, "config/default/kustomization.yaml")).toContain("../crd");

    rmSync(join(root, "src/api/v1.ts"));
    await manifests(root);
    expect(read(root, "config/default/kustomization.yaml")).not.toContain("../crd");
  });

  it("go together with the CRDs", async () => {
    const root = await project();
    rmSync(join(root, "src/api"), { recursive: true });
    await manifests(root);
    const list = read(root, "config/default/kustomization.yaml");
    expect(list).not.toMatch(/\.\.\/(?:crd|webhook)/);
  });

  it("leave a Service of the user's own as it is, and say nothing is to be changed", async () => {
    const root = await project();
    const own =
      "apiVersion: v1\nkind: Service\nmetadata: { name: webhook-service, namespace: system }\n";
    writeFileSync(join(root, "config/webhook/service.yaml"), own);
    await manifests(root);
    expect(read(root, "config/webhook/service.yaml")).toBe(own);
    const { code, out } = await runCli(root, ["manifests", "--check"]);
    expect([code, out]).toEqual([0, expect.stringContaining("nothing to change")]);
  });
});
