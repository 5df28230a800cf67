import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAllDocuments } from "yaml";
import { generate, type ProjectFacts } from "../../src/generator/generate.ts";

const KIND = `import { ConversionWebhook, CustomResource, MutatingWebhook, Resource, ValidatingWebhook } from "tsop";
export class PageSpec { a?: string }
@Resource({ group: "web.example.com", version: "v1" })
export class Page extends CustomResource<PageSpec> {}
`;
const FACTS: ProjectFacts = { projectName: "shop", domain: "example.com", namespaced: false };

async function filesOf(
  source: string,
  facts: Partial<ProjectFacts> = {},
): Promise<ReadonlyMap<string, string>> {
  const root = mkdtempSync(join(tmpdir(), "tsop-roles-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "src"));
  writeFileSync(join(root, "src/page.ts"), source);
  const { files, diagnostics } = await generate({
    root,
    cache: false,
    project: { ...FACTS, ...facts },
  });
  expect(diagnostics).toEqual([]);
  return files;
}

const FILE = "config/rbac/webhook_certificate_role.yaml";

interface Role {
  readonly kind: string;
  readonly rules?: readonly object[];
}

function rulesIn(text: string | undefined): object[] {
  const roles = parseAllDocuments(text ?? "").map((document) => document.toJS() as Role);
  return roles.flatMap(({ kind, rules = [] }) => rules.map((rule) => ({ kind, ...rule })));
}

const VALIDATING = `${KIND}@ValidatingWebhook(Page) export class V { validateCreate(): void {} validateUpdate(): void {} }\n`;

describe("the role for the certificate of webhooks", () => {
  it("names what is there, and nothing else", async () => {
    const rules = rulesIn((await filesOf(VALIDATING)).get(FILE));
    expect(rules).toEqual([
      { kind: "Role", apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
      {
        kind: "Role",
        apiGroups: [""],
        resourceNames: ["shop-webhook-server-cert"],
        resources: ["secrets"],
        verbs: ["get", "update"],
      },
      {
        kind: "ClusterRole",
        apiGroups: ["admissionregistration.k8s.io"],
        resourceNames: ["shop-validating-webhook-configuration"],
        resources: ["validatingwebhookconfigurations"],
        verbs: ["get", "patch"],
      },
    ]);
  });

  it("is not there for certificates of others", async () => {
    for (const certificates of ["cert-manager", "secret"] as const) {
      expect([...(await filesOf(VALIDATING, { certificates })).keys()]).not.toContain(FILE);
    }
  });

  it("is not there where nothing is answered", async () => {
    expect([...(await filesOf(KIND)).keys()]).not.toContain(FILE);
    const url = `${KIND}@ValidatingWebhook(Page, { url: "https://a.b" }) export class V {}\n`;
    expect([...(await filesOf(url)).keys()]).not.toContain(FILE);
  });

  it("has configurations under names of their own, each once", async () => {
    const source = `${KIND}@MutatingWebhook(Page, { configuration: "pages" })
@MutatingWebhook(Page, { configuration: "pages", name: "b.page.example.com", path: "/b" })
@MutatingWebhook(Page, { configuration: "elsewhere", url: "https://a.b" })
export class M { default(): void {} }
`;
    const names = rulesIn((await filesOf(source)).get(FILE)).flatMap((rule) =>
      "resourceNames" in rule ? rule.resourceNames : [],
    );
    expect(names).toEqual(["shop-webhook-server-cert", "shop-pages"]);
  });
});

describe("the role for conversions", () => {
  const CONVERSION = "config/rbac/webhook_conversion_role.yaml";
  const CONVERTING = `import { type Content, ConversionWebhook, type Converter, CustomResource, Resource, type Sent } from "tsop";
export class PageSpec { a?: string }
@Resource({ group: "web.example.com", version: "v1", kind: "Page", storage: true })
export class Page extends CustomResource<PageSpec> {}
@Resource({ group: "web.example.com", version: "v1beta1", kind: "Page" })
export class OldPage extends CustomResource<PageSpec> {}
@ConversionWebhook(Page, OldPage)
export class PageConversion implements Converter<Page, OldPage> {
  toHub({ spec }: Sent<OldPage>): Content<Page> { return { spec }; }
  fromHub({ spec }: Sent<Page>): Content<OldPage> { return { spec }; }
}
`;

  it("has the Secret with the key and the CRD, whoever issues the certificate", async () => {
    for (const certificates of ["self-managed", "cert-manager", "secret"] as const) {
      expect(rulesIn((await filesOf(CONVERTING, { certificates })).get(CONVERSION))).toEqual([
        { kind: "Role", apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
        {
          kind: "Role",
          apiGroups: [""],
          resourceNames: ["conversion-key.pages.web.example.com"],
          resources: ["secrets"],
          verbs: ["get"],
        },
        {
          kind: "ClusterRole",
          apiGroups: ["apiextensions.k8s.io"],
          resourceNames: ["pages.web.example.com"],
          resources: ["customresourcedefinitions"],
          verbs: ["get", "patch"],
        },
      ]);
    }
  });

  it("is not there where nothing is converted", async () => {
    expect([...(await filesOf(VALIDATING)).keys()]).not.toContain(CONVERSION);
  });
});

describe("the role of an operator without rights", () => {
  it("has no rules, and is of the sort that the scaffolded binding names", async () => {
    const role = async (namespaced: boolean): Promise<unknown> => {
      const text = (await filesOf(KIND, { namespaced })).get("config/rbac/role.yaml") ?? "";
      return parseAllDocuments(text).map((document) => document.toJS() as unknown);
    };
    const apiVersion = "rbac.authorization.k8s.io/v1";
    expect(await role(false)).toEqual([
      { apiVersion, kind: "ClusterRole", metadata: { name: "manager-role" }, rules: [] },
    ]);
    expect(await role(true)).toEqual([
      {
        apiVersion,
        kind: "Role",
        metadata: { name: "manager-role", namespace: "system" },
        rules: [],
      },
    ]);
  });
});
