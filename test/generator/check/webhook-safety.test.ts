import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { generate } from "../../../src/generator/generate.ts";

const HEAD = `import { CustomResource, MutatingWebhook, Resource, ValidatingWebhook } from "tsop";
import { ClusterRole, ConfigMap, Lease, Namespace, Node, Pod, Secret } from "tsop/k8s";
@Resource({ group: "web.example.com", version: "v1" })
export class Page extends CustomResource<{ a?: string }> {}
`;

/** The warnings about a marker on a class that answers everything, as `line code`, and their texts. */
async function warnings(marker: string, body = ""): Promise<{ codes: string[]; texts: string[] }> {
  const root = mkdtempSync(join(tmpdir(), "tsop-safety-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "src"));
  const code = `${HEAD}${marker}\nexport class Hook { handle(): unknown { ${body} return {}; } }\n`;
  writeFileSync(join(root, "src/hook.ts"), code);
  const { diagnostics, files } = await generate({
    root,
    cache: false,
    project: { projectName: "shop", domain: "example.com", namespaced: false },
  });
  expect(files.size).toBeGreaterThan(0);
  expect(diagnostics.every(({ severity }) => severity === "warning")).toBe(true);
  return {
    codes: diagnostics.map(({ line, code: found }) => `${line} ${found}`),
    texts: diagnostics.map(({ message, fix }) => `${message} ${fix}`),
  };
}

const EXCLUDED =
  'namespaceSelector: { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["shop-system", "kube-system"] }] }';
const written = (rule: string, more = ""): string =>
  `@ValidatingWebhook({ name: "a.b.c", path: "/a", ${rule}${more} })`;
const every = 'groups: ["*"], versions: ["*"], resources: ["*/*"]';

describe("a webhook that its own operator's start depends on", () => {
  it.each([
    "@ValidatingWebhook(Pod)",
    "@MutatingWebhook(Secret)",
    "@ValidatingWebhook(Lease)",
    "@ValidatingWebhook(Namespace)",
    "@ValidatingWebhook(Node)",
    written(every),
    written('groups: ["apps"], versions: ["v1"], resources: ["deployments", "replicasets"]'),
    written('groups: [""], versions: ["v1"], resources: ["pods/binding"]'),
    written('groups: [""], versions: ["v1"], resources: ["serviceaccounts/*"]'),
    written('groups: ["authentication.k8s.io"], versions: ["v1"], resources: ["tokenreviews"]'),
    written('groups: ["discovery.k8s.io"], versions: ["v1"], resources: ["*"]'),
    '@ValidatingWebhook(Pod, { namespaceSelector: { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["kube-system"] }] } })',
    // A selector of namespaces keeps nothing away that is in none.
    `@ValidatingWebhook(Node, { ${EXCLUDED} })`,
    '@ValidatingWebhook(Pod, { objectSelector: { matchLabels: { "control-plane": "controller-manager" } } })',
  ])("is told of at its line: %s", async (marker) => {
    expect((await warnings(marker)).codes).toEqual(["5 webhook-blocks-operator"]);
  });

  it("is told of with the selector that leaves its namespace out, which then is enough", async () => {
    const { texts } = await warnings("@ValidatingWebhook(Pod)");
    expect(texts[0]).toContain("pods in the operator's own namespace, shop-system.");
    expect(texts[0]).toContain(EXCLUDED);
    expect((await warnings(`@ValidatingWebhook(Pod, { ${EXCLUDED} })`)).codes).toEqual([]);
    expect((await warnings(written(every, `, scope: "Namespaced", ${EXCLUDED}`))).codes).toEqual(
      [],
    );
  });

  it.each([
    "@ValidatingWebhook(Page)",
    '@ValidatingWebhook(Pod, { failurePolicy: "Ignore" })',
    "@ValidatingWebhook(ClusterRole)",
    '@ValidatingWebhook(Pod, { objectSelector: { matchLabels: { "shop.example.com/inject": "yes" } } })',
    '@ValidatingWebhook(Pod, { namespaceSelector: { matchLabels: { "shop.example.com/inject": "yes" } } })',
    `@ValidatingWebhook(Pod, { matchConditions: [{ name: "elsewhere", expression: "!(request.namespace in ['shop-system', 'kube-system'])" }] })`,
    written('groups: ["web.example.com"], versions: ["v1"], resources: ["*"]'),
  ])("is none: %s", async (marker) => {
    expect((await warnings(marker)).codes).toEqual([]);
  });
});

describe("a webhook that the cluster's own parts wait for", () => {
  it("is told of where kube-system is not left out", async () => {
    const { codes, texts } = await warnings("@ValidatingWebhook(ConfigMap)");
    expect(codes).toEqual(["5 webhook-blocks-system"]);
    expect(texts[0]).toContain(EXCLUDED);
    expect((await warnings('@ValidatingWebhook(Pod, { operations: ["DELETE"] })')).codes).toEqual([
      "5 webhook-blocks-system",
    ]);
    expect((await warnings('@ValidatingWebhook(Pod, { url: "https://a.b" })')).codes).toEqual([
      "5 webhook-blocks-system",
    ]);
  });

  it("is none where kube-system is left out, or where its kind is of a CRD", async () => {
    expect((await warnings(`@ValidatingWebhook(ConfigMap, { ${EXCLUDED} })`)).codes).toEqual([]);
    const route = 'groups: ["gateway.networking.k8s.io"], versions: ["v1"], resources: ["routes"]';
    expect((await warnings(written(route))).codes).toEqual([]);
  });
});

describe("a webhook", () => {
  it("that requests wait for longer than usual is told of", async () => {
    expect((await warnings("@ValidatingWebhook(Page, { timeoutSeconds: 11 })")).codes).toEqual([
      "5 webhook-slow",
    ]);
    expect((await warnings("@ValidatingWebhook(Page, { timeoutSeconds: 10 })")).codes).toEqual([]);
  });

  it("that says it minds dry runs, and never asks for them, is told of", async () => {
    const marker = '@ValidatingWebhook(Page, { sideEffects: "NoneOnDryRun" })';
    expect((await warnings(marker)).codes).toEqual(["5 webhook-dry-run"]);
    expect((await warnings(marker, "if (!review.request.dryRun) tell();")).codes).toEqual([]);
  });
});
