import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderKustomization } from "../../../src/cli/kustomize/render.ts";
import { hasKubectl, Kubectl } from "../../support/kubectl.ts";
import { describeShared, sharedPath } from "../../support/shared.ts";
import { emptyFolder } from "../support/run-cli.ts";
import { expectKubectlRefuses, expectSameAsKubectl } from "./support/beside-kubectl.ts";

function write(files: Record<string, string>): string {
  const root = emptyFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n";
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
    ["kustomize-field", { "kustomization.yaml": "generators: [a.yaml]\n" }],
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

describe("renderKustomization of what is wrong", () => {
  const CYCLES: readonly [what: string, folder: string, files: Record<string, string>][] = [
    ["itself", ".", { "kustomization.yaml": "resources: [.]\n" }],
    [
      "the folder above, through a base",
      ".",
      {
        "kustomization.yaml": "resources: [base]\n",
        "base/kustomization.yaml": "resources: [..]\n",
      },
    ],
    [
      "each other",
      "a",
      {
        "a/kustomization.yaml": "resources: [../b]\n",
        "b/kustomization.yaml": "resources: [../a]\n",
      },
    ],
    [
      "itself as a component",
      ".",
      {
        "kustomization.yaml": "components: [c]\n",
        "c/kustomization.yaml": `${COMPONENT}components: [.]\n`,
      },
    ],
    [
      "what uses the component",
      ".",
      {
        "kustomization.yaml": "components: [c]\n",
        "c/kustomization.yaml": `${COMPONENT}resources: [..]\n`,
      },
    ],
    [
      "the folder above",
      "sub",
      {
        "kustomization.yaml": "resources: [a.yaml]\n",
        "a.yaml": DEPLOYMENT,
        "sub/kustomization.yaml": "resources: [..]\n",
      },
    ],
  ];
  it.each(CYCLES)("refuses a folder that names %s, as kubectl does", async (_what, at, files) => {
    const root = join(write(files), at);
    await expect(renderKustomization(root)).rejects.toMatchObject({ code: "kustomize-cycle" });
    await expectKubectlRefuses(root, "cycle detected");
  });

  it("renders a base that two folders name", async () => {
    const root = write({
      "kustomization.yaml": "resources: [a, b]\n",
      "a/kustomization.yaml": "resources: [../c]\nnamePrefix: a-\n",
      "b/kustomization.yaml": "resources: [../c]\nnamePrefix: b-\n",
      "c/kustomization.yaml": "resources: [all.yaml]\n",
      "c/all.yaml": "apiVersion: v1\nkind: Secret\nmetadata: { name: more }\n",
    });
    await expect(renderKustomization(root)).resolves.toHaveLength(2);
  });

  it.each([
    ["a resource", "resources: [../out.yaml]\n"],
    [
      "a patch",
      "resources: [a.yaml]\npatches: [{ path: ../out.yaml, target: { kind: Secret } }]\n",
    ],
    ["a configuration", "resources: [a.yaml]\nconfigurations: [../out.yaml]\n"],
    ["what a link leads to", "resources: [link.yaml]\n"],
  ])("refuses a file outside of the folder as %s, as kubectl does", async (_what, text) => {
    const secret = "apiVersion: v1\nkind: Secret\nmetadata: { name: more }\n";
    const root = write({
      "out.yaml": secret,
      "sub/a.yaml": secret,
      "sub/kustomization.yaml": text,
    });
    symlinkSync("../out.yaml", join(root, "sub/link.yaml"));
    const folder = join(root, "sub");
    await expect(renderKustomization(folder)).rejects.toMatchObject({ code: "kustomize-outside" });
    await expectKubectlRefuses(folder, "is not in or below");
  });

  it.each([
    ["resources: [../manger]", "../manger", "Did you mean ../manager?"],
    ["resources: [../manager]\ncomponents: [../manger]", "../manger", "Did you mean ../manager?"],
    ["resources: [../manager/secrt.yaml]", "../manager/secrt.yaml", "../manager/secret.yaml?"],
    ["configMapGenerator: [{ name: c, files: [a=vlaues] }]", "vlaues", "Did you mean values?"],
    ["resources: [absent.yaml]", "absent.yaml", "remove the line"],
  ])("names the entry of %j that is not there, and the nearest", async (text, named, fix) => {
    const root = write({
      "manager/kustomization.yaml": "resources: [secret.yaml]\n",
      "manager/secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata: { name: more }\n",
      "default/values": "",
      "default/kustomization.yaml": `# default\n${text}\n`,
    });
    const line = 1 + text.split("\n").length;
    const place = `${join(root, "default/kustomization.yaml")}:${line}:`;
    await expect(renderKustomization(join(root, "default"))).rejects.toMatchObject({
      code: "kustomize-file",
      message: expect.stringMatching(
        new RegExp(`^${place}\\d+: there is no \`${named.replaceAll(".", "\\.")}\`\\.$`),
      ) as string,
      fix: expect.stringContaining(fix) as string,
    });
  });

  it("reads a file below the folder, through its link or its absolute path", async () => {
    const root = write({
      "deep/a.yaml": "apiVersion: v1\nkind: Secret\nmetadata: { name: more }\n",
    });
    symlinkSync("deep/a.yaml", join(root, "link.yaml"));
    for (const named of ["link.yaml", join(root, "deep/a.yaml")]) {
      writeFileSync(join(root, "kustomization.yaml"), `resources: [${named}]\n`);
      await expect(renderKustomization(root)).resolves.toHaveLength(1);
    }
  });

  /** kubectl refuses all of these too, but those in `ONLY_HERE`. */
  it.each([
    ["namespace: 5", "`namespace` must be a string, not 5"],
    ["namespace: [a]", "`namespace` must be a string, not a list"],
    ["namePrefix: true", "`namePrefix` must be a string, not true"],
    ["nameSuffix: { a: b }", "`nameSuffix` must be a string, not a mapping"],
    ["kind: Foo", "`kind` must be Kustomization or Component"],
    ["apiVersion: v9", "`apiVersion` must be kustomize.config.k8s.io/v1beta1"],
    ["bogus: 1", "tsop does not render the field `bogus`"],
    ["commonAnnotations: { a: 5 }", "`commonAnnotations.a` must be a string, not 5"],
    ["commonAnnotations: [a]", "`commonAnnotations` must be a mapping of strings"],
    ["labels: { a: b }", "`labels` must be a list, not a mapping"],
    ["labels: [{ pairs: { a: 5 } }]", "`labels[0].pairs.a` must be a string"],
    ["labels: [{ pairs: { a: b }, includeSelectors: 'true' }]", "must be true or false"],
    ["labels: [{ pair: { a: b } }]", "tsop does not render the field `labels[0].pair`"],
    ["images: [a]", "`images[0]` must be a mapping"],
    ["images: [{ name: img, newTag: 1.10 }]", "`images[0].newTag` must be a string, not 1.1"],
    ["images: [{ name: img, tag: v2 }]", "tsop does not render the field `images[0].tag`"],
    ["replicas: [null]", "`replicas[0]` must be a mapping, not empty (null)"],
    ["replicas: [{ name: web, count: '3' }]", "`replicas[0].count` must be a whole number"],
    ["replicas: [{ name: web, count: 3.5 }]", "`replicas[0].count` must be a whole number"],
    ["patches: [null]", "`patches[0]` must be a mapping, not empty (null)"],
    ["patches: [{}]", "`patches[0]` must have either `path` or `patch`"],
    ["patches: [{ patch: '[]', path: x }]", "`patches[0]` must have either `path` or `patch`"],
    ["patches: [{ patch: '[]', target: 5 }]", "`patches[0].target` must be a mapping"],
    ["patches: [{ patch: '[]', target: { bogus: x } }]", "the field `patches[0].target.bogus`"],
    ["replacements: [null]", "`replacements[0]` must be a mapping"],
    ["replacements: [{}]", "`replacements[0]` has no `source`"],
    [
      "replacements: [{ source: { kind: A }, targets: [] }]",
      "`replacements[0].targets` has no target",
    ],
    [
      "replacements: [{ source: { kind: A }, targets: [{}] }]",
      "`replacements[0].targets[0]` has no",
    ],
    [
      "replacements: [{ source: { kind: Deployment }, targets: [{ select: { name: '(' } }] }]",
      "`replacements[0].targets[0].select.name` is not a regular expression of Go",
    ],
    ["components: [5]", "`components[0]` must be a string"],
    ["configurations: x", "`configurations` must be a list"],
  ])("refuses `%s` at its line, as kubectl does", async (line, said) => {
    const root = write({
      "all.yaml": DEPLOYMENT,
      "kustomization.yaml": `resources: [all.yaml]\n${line}\n`,
    });
    const error: unknown = await renderKustomization(root).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: expect.stringMatching(/^(broken-kustomization|kustomize-field)$/) as string,
      message: expect.stringMatching(/kustomization\.yaml:2:\d+: /) as string,
    });
    expect((error as Error).message).toContain(said);
    await expectKubectlRefuses(root, "");
  });

  it.each([
    ["images: [null]", "`images[0]` must be a mapping, not empty (null)"],
    ["labels: [null]", "`labels[0]` must be a mapping, not empty (null)"],
    ["images: [{ newTag: v2 }]", "`images[0]` has no `name`"],
    ["replicas: [{ name: web }]", "`replicas[0]` has no `count`"],
    ["Namespace: x", "tsop does not render the field `Namespace`"],
    ["patches: [{ patch: '[]', target: { kind: '(' } }]", "is not a regular expression of Go"],
    ["patches: [{ patch: '[]', target: { name: '(?=web)web' } }]", "is not a regular expression"],
    ["patches: [{ patch: '[]', target: { labelSelector: '=,,' } }]", "is not a label selector"],
  ])("refuses `%s`, which kubectl passes over", async (line, said) => {
    const root = write({
      "all.yaml": DEPLOYMENT,
      "kustomization.yaml": `resources: [all.yaml]\n${line}\n`,
    });
    await expect(renderKustomization(root)).rejects.toThrow(said);
  });

  it.each([
    ["nameReference: x", "`nameReference` must be a list"],
    ["nameReference: [{ kind: 5, fieldSpecs: [] }]", "`nameReference[0].kind` must be a string"],
    ["nameReference: [{ kind: X, fieldSpecs: [null] }]", "`nameReference[0].fieldSpecs[0]` must"],
    ["bogus: 1", "tsop does not render the field `bogus`"],
    ["- a", "the file must be a mapping"],
  ])("refuses `%s` in a configuration, as kubectl does", async (line, said) => {
    const root = write({
      "all.yaml": DEPLOYMENT,
      "names.yaml": `${line}\n`,
      "kustomization.yaml": "resources: [all.yaml]\nconfigurations: [names.yaml]\n",
    });
    await expect(renderKustomization(root)).rejects.toThrow(said);
    await expectKubectlRefuses(root, "");
  });

  it("takes null for a field that is left out, as kubectl does", async () => {
    const root = write({
      "all.yaml": DEPLOYMENT,
      "kustomization.yaml":
        "resources: [all.yaml]\nnamespace: ~\npatches: ~\nlabels: ~\ncommonAnnotations: { a: ~ }\n",
    });
    await expectSameAsKubectl(root);
  });
});
