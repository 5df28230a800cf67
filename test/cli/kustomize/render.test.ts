import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderKustomization } from "../../../src/cli/kustomize/render.ts";
import { hasKubectl, Kubectl } from "../../support/kubectl.ts";
import { describeShared, sharedPath } from "../../support/shared.ts";
import { emptyFolder } from "../support/run-cli.ts";
import { expectSameAsKubectl } from "./support/beside-kubectl.ts";

function write(files: Record<string, string>): string {
  const root = emptyFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: system }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      serviceAccountName: web
      containers:
        - name: web
          image: controller:latest
          args: [--one]
          envFrom: [{ configMapRef: { name: settings } }]
        - { name: side, image: "localhost:5000/side:1" }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: web, namespace: system }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: system }
data: { a: "1" }
`;

describeShared("goldens", "kubebuilder's project", () => {
  it("renders as kubectl renders it, replacements and name references included", async () => {
    const folder = sharedPath("goldens/kubebuilder/testdata/project-v4/config/default");
    expect(await expectSameAsKubectl(folder)).toBe(37);
  });
});

describe.skipIf(!hasKubectl)("renderKustomization beside kubectl", () => {
  it.each([
    ["names", "namePrefix: a-\nnameSuffix: -z\nnamespace: there"],
    [
      "images",
      "images:\n  - { name: controller, newName: ghcr.io/me/op, newTag: v2 }\n  - { name: localhost:5000/side, digest: sha256:abc }",
    ],
    [
      "labels",
      "labels:\n  - { pairs: { team: shop }, includeSelectors: true }\n  - { pairs: { tier: x }, includeTemplates: true }\n  - { pairs: { only: meta } }",
    ],
    ["annotations", "commonAnnotations: { a: b }"],
    ["replicas", "replicas: [{ name: web, count: 3 }]"],
    [
      "a JSON patch",
      "patches:\n  - target: { kind: Deployment }\n    patch: |-\n      - { op: add, path: /spec/template/spec/containers/0/args/0, value: --zero }",
    ],
    [
      "a strategic patch",
      "patches:\n  - patch: |-\n      apiVersion: apps/v1\n      kind: Deployment\n      metadata: { name: web, namespace: system }\n      spec: { template: { spec: { containers: [{ name: side, env: [{ name: A, value: b }] }, { name: web, args: null }] } } }",
    ],
    [
      "a deleting patch",
      "patches:\n  - target: { kind: ConfigMap }\n    patch: |-\n      $patch: delete\n      apiVersion: v1\n      kind: ConfigMap\n      metadata: { name: settings }",
    ],
  ])("does %s as kubectl does", async (_what, lines) => {
    const root = write({
      "all.yaml": DEPLOYMENT,
      "kustomization.yaml": `resources: [all.yaml]\n${lines}\n`,
    });
    await expectSameAsKubectl(root);
  });

  it("adds components as kubectl does", async () => {
    const root = write({
      "base/all.yaml": DEPLOYMENT,
      "base/kustomization.yaml": "resources: [all.yaml]\nnamePrefix: p-\n",
      "part/kustomization.yaml":
        'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [more.yaml]\npatches:\n  - { target: { kind: Deployment, name: web }, patch: \'[{ "op": "add", "path": "/spec/replicas", "value": 2 }]\' }\n',
      "part/more.yaml": "apiVersion: v1\nkind: Secret\nmetadata: { name: more }\n",
      "kustomization.yaml": "resources: [base]\ncomponents: [part]\nnamespace: there\n",
    });
    await expectSameAsKubectl(root);
  });

  it("refuses a patch in flow style that is not JSON, as kubectl does", async () => {
    const root = write({
      "all.yaml": DEPLOYMENT,
      "kustomization.yaml":
        "resources: [all.yaml]\npatches: [{ target: { kind: Deployment }, patch: '[{ op: remove, path: /spec/replicas }]' }]\n",
    });
    const kubectl = new Kubectl("");
    const { code, stderr } = await kubectl.run(["kustomize", root]);
    kubectl.close();
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("unable to parse SM or JSON patch"),
    ]);
    await expect(renderKustomization(root)).rejects.toMatchObject({ code: "kustomize-patch" });
  });
});

describe("renderKustomization", () => {
  it.each([
    ["kustomize-field", { "kustomization.yaml": "configMapGenerator: []\n" }],
    ["no-kustomization", { other: "" }],
    ["kustomize-file", { "kustomization.yaml": "resources: [gone.yaml]\n" }],
    ["broken-yaml", { "kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": "a: [\n" }],
    ["broken-yaml", { "kustomization.yaml": `resources: ${"[".repeat(20_000)}` }],
    ["broken-yaml", { "kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": "a: &a [*a]\n" }],
    ["not-a-manifest", { "kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": "kind: X\n" }],
    ["kustomize-remote", { "kustomization.yaml": "resources: [https://example.com/a]\n" }],
    [
      "kustomize-patch",
      { "kustomization.yaml": "patches: [{ target: { kind: X }, patch: '[]' }]\n" },
    ],
    [
      "kustomize-duplicate",
      {
        "kustomization.yaml": "resources: [a.yaml, b.yaml]\n",
        "a.yaml": DEPLOYMENT,
        "b.yaml": DEPLOYMENT,
      },
    ],
  ])("fails with %s", async (code, files) => {
    const root = write(files);
    await expect(renderKustomization(root)).rejects.toMatchObject({ code });
  });
});
