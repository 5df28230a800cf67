/**
 * What the control plane refuses of a CRD or a webhook configuration, the generator refused before, at the user's line.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../../src/controlplane/control-plane.ts";
import { checkKinds } from "../../../src/generator/check/check.ts";
import { checkWebhooks } from "../../../src/generator/check/webhooks.ts";
import { crdOf, groupVersions } from "../../../src/generator/emit/crd.ts";
import { webhookConfigurations } from "../../../src/generator/emit/webhooks.ts";
import { Findings } from "../../../src/generator/findings.ts";
import { openModules, readProject } from "../../../src/generator/read-project.ts";
import { connectionOf } from "../../conformance/replay.ts";

const root = mkdtempSync(join(tmpdir(), "tsop-accepted-"));
mkdirSync(join(root, "src"));
mkdirSync(join(root, "node_modules"));
symlinkSync(resolve("."), join(root, "node_modules/tsop"));
const path = join(root, "src/page.ts");

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: "off", nodes: 0 });
});
afterAll(async () => {
  await plane.stop();
  rmSync(root, { recursive: true, force: true });
});

const FOLDERS: Readonly<Record<string, string>> = {
  CustomResourceDefinition: "apiextensions.k8s.io/v1/customresourcedefinitions",
  MutatingWebhookConfiguration: "admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
  ValidatingWebhookConfiguration: "admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
};

/** What the control plane says against an object, of a strict client that stores nothing; empty when it takes it. */
function refusalOf(object: object): Promise<string> {
  const { server, ca, cert, key } = connectionOf(plane.kubeconfig);
  const folder = FOLDERS[(object as { kind: string }).kind] ?? "";
  return new Promise((done, fail) => {
    const call = request(
      `${server}/apis/${folder}?dryRun=All&fieldValidation=Strict`,
      { method: "POST", ca, cert, key, headers: { "content-type": "application/json" } },
      (answer) => {
        let text = "";
        answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
        answer.on("end", () => {
          done(answer.statusCode === 201 ? "" : (JSON.parse(text) as { message: string }).message);
        });
      },
    );
    call.on("error", fail);
    call.end(JSON.stringify(object));
  });
}

/** Both judgements of one class: the generator's errors, and what the control plane would have said. */
async function judged(markers: string): Promise<{ errors: string[]; refused: string }> {
  const text = `import { CustomResource, MutatingWebhook, PrintColumn, Resource, Scale, ValidatingWebhook } from "tsop";
export interface PageSpec { title?: string }
${markers}
export class Page extends CustomResource<PageSpec> {}
`;
  writeFileSync(path, text);
  const findings = new Findings();
  const model = readProject(openModules(root), new Map([[path, text]]), findings);
  const kinds = groupVersions(model.kinds, model.conversions);
  checkKinds(kinds, findings);
  checkWebhooks(model.webhooks, findings);
  const refusals = await Promise.all(
    [...kinds.map(crdOf), ...webhookConfigurations(model.webhooks)].map(refusalOf),
  );
  const errors = findings.sorted().filter(({ severity }) => severity === "error");
  return {
    errors: errors.map(({ line, code }) => `${line} ${code}`),
    refused: refusals.filter((refusal) => refusal !== "").join("; "),
  };
}

const resource = (options: string): string =>
  `@Resource({ group: "web.example.com", version: "v1", ${options} })`;
const whole = (group: string, version = "v1"): string =>
  `@Resource({ group: ${JSON.stringify(group)}, version: ${JSON.stringify(version)} })`;
const WHOLE = whole("web.example.com");
const conversion = (text: string): string => resource(`conversion: ${text}`);
const service = (more: string, versions = '["v1"]'): string =>
  conversion(
    `{ strategy: "Webhook", webhook: { clientConfig: { service: { ${more} } }, conversionReviewVersions: ${versions} } }`,
  );
const url = (text: string): string =>
  conversion(
    `{ strategy: "Webhook", webhook: { clientConfig: { url: "${text}" }, conversionReviewVersions: ["v1"] } }`,
  );
const webhook = (options: string): string => `@ValidatingWebhook(Page, { ${options} })\n${WHOLE}`;
const target = (groups: string, versions: string, resources: string): string =>
  `@ValidatingWebhook({ groups: ${groups}, versions: ${versions}, resources: ${resources}, name: "a.b.c", path: "/a" })\n${WHOLE}`;

const BAD: readonly string[] = [
  conversion(`{ strategy: "Webhook" }`),
  conversion(`{ strategy: "Hook" }`),
  conversion(`{}`),
  conversion(`{ strategy: "None", webhook: { conversionReviewVersions: ["v1"] } }`),
  conversion(`{ strategy: "Webhook", webhook: "yes" }`),
  conversion(`{ strategy: "Webhook", webhooks: {} }`),
  service(`namespace: "a", name: "b"`, `["v2"]`),
  service(`namespace: "a", name: "b"`, `[]`),
  service(`namespace: "a", name: "b"`, `["v1", "v1"]`),
  service(`namespace: "a", name: "b", port: 0`),
  service(`namespace: "a", name: "b", port: 70000`),
  service(`namespace: "a", name: "b", port: "443"`),
  service(`namespace: "a", name: "b", port: 1.5`),
  service(`name: "b"`),
  service(`namespace: "a"`),
  service(`namespace: "a", name: "b", path: "a"`),
  service(`namespace: "a", name: "b", path: "/A"`),
  url("http://a.example.com"),
  url("https://"),
  url("https://me@a.example.com"),
  url("https://a.example.com/?a=b"),
  url("https://a.example.com/#a"),
  resource(`labels: { "a b": "c" }`),
  resource(`labels: { a: "b c" }`),
  resource(`labels: { a: "${"b".repeat(64)}" }`),
  resource(`labels: { "A/B/c": "d" }`),
  resource(`annotations: { "a b": "c" }`),
  resource(`annotations: { "": "c" }`),
  resource(`plural: "Pages"`),
  resource(`singular: "a.b"`),
  resource(`shortNames: ["P"]`),
  resource(`categories: ["a_b"]`),
  resource(`deprecated: "\\u0007"`),
  resource(`deprecated: ""`),
  whole(""),
  whole("web"),
  whole("Web.example.com"),
  whole("web.example.com", ""),
  whole("web.example.com", "V1"),
  whole("web.k8s.io"),
  `@PrintColumn("Title", "status.phase", { unchecked: true, type: "string" })\n${WHOLE}`,
  `@PrintColumn("", ".status.phase", { unchecked: true, type: "string" })\n${WHOLE}`,
  `@PrintColumn("A", "", { unchecked: true, type: "string" })\n${WHOLE}`,
  `@PrintColumn("A", ".a", { unchecked: true, type: "string", format: "long" })\n${WHOLE}`,
  `@PrintColumn("A", ".a", { unchecked: true, type: "string", priority: 1.5 })\n${WHOLE}`,
  `@Scale({ spec: ".a", status: ".status.b", unchecked: true })\n${WHOLE}`,
  `@Scale({ spec: ".spec.a", status: ".status.b", selector: ".c", unchecked: true })\n${WHOLE}`,
  webhook(`name: "a.b"`),
  webhook(`name: "A.b.c"`),
  webhook(`namespaceSelector: { matchLabels: { "a b": "c" } }`),
  webhook(`namespaceSelector: { matchLabels: { a: 1 } }`),
  webhook(`namespaceSelector: { matchLabel: { a: "b" } }`),
  webhook(`objectSelector: { matchExpressions: [{ key: "a", operator: "In" }] }`),
  webhook(`objectSelector: { matchExpressions: [{ key: "a", operator: "Is", values: ["b"] }] }`),
  webhook(
    `objectSelector: { matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] }`,
  ),
  webhook(`operations: ["*", "CREATE"]`),
  webhook(`operations: []`),
  webhook(`admissionReviewVersions: ["v2"]`),
  webhook(`admissionReviewVersions: ["v1", "v1"]`),
  webhook(`path: "/A"`),
  webhook(`url: "http://a.example.com"`),
  webhook(`timeoutSeconds: 0`),
  webhook(`timeoutSeconds: 1.5`),
  webhook(`service: { port: 0 }`),
  webhook(`service: { port: "443" }`),
  webhook(`configuration: "A_b"`),
  webhook(`matchConditions: [{ name: "a b", expression: "true" }]`),
  webhook(`matchConditions: [{ name: "a", expression: "1" }]`),
  target(`["*", "apps"]`, `["v1"]`, `["pods"]`),
  target(`["apps"]`, `["*", "v1"]`, `["pods"]`),
  target(`["apps"]`, `[""]`, `["pods"]`),
  target(`["apps"]`, `["v1"]`, `["*", "pods"]`),
  target(`["apps"]`, `["v1"]`, `["*/*", "pods"]`),
  target(`["apps"]`, `["v1"]`, `["pods/*", "pods/status"]`),
  target(`["apps"]`, `["v1"]`, `[""]`),
];

/** Texts that are names, almost names, and none. */
const name = fc.oneof(
  fc.constantFrom("a", "v1", "v1beta1", "a.b", "a.b.c", "*", "", "A", "a/b", "a_b", "/a", "a b"),
  fc.string({ maxLength: 5, unit: fc.constantFrom("a", "1", ".", "-", "/", "*", "A", " ", "é") }),
);
const text = name.map((value) => JSON.stringify(value));
const texts = fc.array(name, { maxLength: 3 }).map((values) => JSON.stringify(values));
const port = fc.constantFrom("0", "1", "443", "65535", "65536", "-1", "2.5", '"1"');
const label = fc.tuple(text, text).map(([key, value]) => `{ [${key}]: ${value} }`);

const mutation = fc.oneof(
  label.map((map) => resource(`labels: ${map}`)),
  label.map((map) => resource(`annotations: ${map}`)),
  fc
    .tuple(fc.constantFrom("plural", "singular", "kind", "listKind"), text)
    .map(([option, value]) => resource(`${option}: ${value}`)),
  fc
    .tuple(fc.constantFrom("shortNames", "categories"), texts)
    .map(([option, value]) => resource(`${option}: ${value}`)),
  name.map((group) => whole(group)),
  name.map((version) => whole("web.example.com", version)),
  fc
    .tuple(text, text, text, port, texts)
    .map(([namespace, called, at, number, versions]) =>
      service(`namespace: ${namespace}, name: ${called}, path: ${at}, port: ${number}`, versions),
    ),
  name.map((rest) => url(`https://${rest}`)),
  fc.tuple(texts, texts, texts).map(([groups, versions, all]) => target(groups, versions, all)),
  label.map((map) => webhook(`objectSelector: { matchLabels: ${map} }`)),
  fc
    .tuple(fc.constantFrom("name", "path", "url", "configuration"), text)
    .map(([option, value]) => webhook(`${option}: ${value}`)),
  fc
    .tuple(text, fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist", "Gt"), texts)
    .map(([key, operator, values]) =>
      webhook(
        `objectSelector: { matchExpressions: [{ key: ${key}, operator: "${operator}", values: ${values} }] }`,
      ),
    ),
  text.map((value) => `@PrintColumn("A", ${value}, { unchecked: true, type: "string" })\n${WHOLE}`),
);

describe("what the control plane refuses", () => {
  it.each(BAD)("the generator refuses at its line: %s", async (markers) => {
    const { errors } = await judged(markers);
    expect(errors).not.toEqual([]);
    // The marker is on line 3.
    expect(errors.every((error) => error.startsWith("3 "))).toBe(true);
  });

  it("the generator refuses, whatever the options are", { timeout: 60_000 }, async () => {
    let taken = 0;
    const silent: string[] = [];
    for (const markers of fc.sample(mutation, { numRuns: 250, seed: 20261122 })) {
      const { errors, refused } = await judged(markers);
      if (refused === "") taken++;
      else if (errors.length === 0) silent.push(`${markers}\n  ${refused}`);
    }
    expect(silent).toEqual([]);
    expect(taken).toBeGreaterThan(20);
  });

  it("of the kinds that it takes, the generator takes", async () => {
    const good = [
      WHOLE,
      service(`namespace: "a", name: "b", path: "/a"`, `["v1", "v1beta1"]`),
      url("https://a.example.com/convert"),
      conversion(`{ strategy: "None" }`),
      resource(`labels: { "a.b/c": "D_e.f" }, annotations: { A: "any text" }`),
      webhook(`operations: ["*"], timeoutSeconds: 30, service: { port: 8443 }`),
      target(`["*"]`, `["*"]`, `["*/*"]`),
    ];
    for (const markers of good) {
      expect([markers, await judged(markers)]).toEqual([markers, { errors: [], refused: "" }]);
    }
  });
});
