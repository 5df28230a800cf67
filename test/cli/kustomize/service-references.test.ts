import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "vitest";
import { hasKubectl } from "../../support/kubectl.ts";
import { emptyFolder } from "../support/run-cli.ts";
import { expectSameAsKubectl } from "./support/beside-kubectl.ts";

const service = (name: string, namespace: string): string =>
  `apiVersion: v1\nkind: Service\nmetadata: { name: ${name}, namespace: ${namespace} }\nspec: { ports: [{ port: 443 }] }\n`;

const OURS = service("webhook-service", "system");

const crd = (address: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.shop.example.com }
spec:
  conversion:
    strategy: Webhook
    webhook: { conversionReviewVersions: [v1], clientConfig: ${address} }
`;

const webhooks = (...addresses: string[]): string =>
  ["Mutating", "Validating"]
    .map(
      (sort) => `apiVersion: admissionregistration.k8s.io/v1
kind: ${sort}WebhookConfiguration
metadata: { name: hooks }
webhooks:
${addresses.map((address, index) => `- { name: h${index}.a.b, clientConfig: ${address} }\n`).join("")}`,
    )
    .join("---\n");

const apiService = (name: string, namespace: string): string =>
  `apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: { name: v1.a.b }\nspec: { service: { name: ${name}, namespace: ${namespace} } }\n`;

const ADDRESSES = {
  "the Service": "{ service: { name: webhook-service, namespace: system, path: /a } }",
  "a Service of that name elsewhere": "{ service: { name: webhook-service, namespace: other } }",
  "another Service": "{ service: { name: foreign, namespace: system } }",
  "a URL": '{ url: "https://a.b" }',
};

/** What kubebuilder puts beside the CRDs, so that their Services follow. */
const REFERENCES = `nameReference:
- kind: Service
  version: v1
  fieldSpecs:
  - { kind: CustomResourceDefinition, version: v1, group: apiextensions.k8s.io, path: spec/conversion/webhook/clientConfig/service/name }
`;

async function compare(
  files: readonly string[],
  lines: string,
  configurations = "",
): Promise<void> {
  const root = emptyFolder();
  const written = {
    "base/all.yaml": files.join("---\n"),
    "base/references.yaml": REFERENCES,
    "base/kustomization.yaml": `resources: [all.yaml]\n${configurations}`,
    "default/kustomization.yaml": `resources: [../base]\n${lines}`,
  };
  for (const [path, text] of Object.entries(written)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  await expectSameAsKubectl(join(root, "default"));
}

const BOTH = "namespace: shop-system\nnamePrefix: shop-\n";

describe.skipIf(!hasKubectl)("what names a Service follows it as with kubectl", () => {
  for (const [what, address] of Object.entries(ADDRESSES)) {
    for (const [lines, how] of [
      [BOTH, "with a namespace and a prefix"],
      ["namePrefix: shop-\n", "with a prefix"],
      ["namespace: shop-system\n", "with a namespace"],
    ] as const) {
      it(`a CRD whose conversion asks ${what}, ${how}`, async () => {
        await compare([OURS, crd(address)], lines, "configurations: [references.yaml]\n");
        await compare([OURS, crd(address)], lines);
      });

      it(`webhooks that ask ${what}, ${how}`, () => compare([OURS, webhooks(address)], lines));
    }
  }

  it("a CRD and webhooks of a Service that is not there", async () => {
    const address = ADDRESSES["the Service"];
    await compare([crd(address), webhooks(address)], BOTH, "configurations: [references.yaml]\n");
  });

  it("webhooks where two namespaces have such a Service", () =>
    compare(
      [OURS, service("webhook-service", "other"), webhooks(...Object.values(ADDRESSES))],
      "namePrefix: shop-\n",
    ));

  it("APIServices", async () => {
    for (const name of ["webhook-service", "foreign"]) {
      for (const namespace of ["system", "other"]) {
        await compare([OURS, apiService(name, namespace)], BOTH);
        await compare([OURS, apiService(name, namespace)], "namePrefix: shop-\n");
      }
    }
  });

  it("role bindings whose subject is of another namespace, or of none", async () => {
    const account =
      "apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: manager, namespace: system }\n";
    for (const subject of [
      "name: manager, namespace: system",
      "name: manager, namespace: other",
      "name: manager",
    ]) {
      const binding = `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: { name: b }\nroleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view }\nsubjects: [{ kind: ServiceAccount, ${subject} }]\n`;
      await compare([account, binding], BOTH);
      await compare([account, binding], "namePrefix: shop-\n");
    }
  });
});
