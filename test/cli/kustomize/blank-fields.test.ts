import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderKustomization } from "../../../src/cli/kustomize/render.ts";
import { hasKubectl } from "../../support/kubectl.ts";
import { emptyFolder } from "../support/run-cli.ts";
import { expectKubectlRefuses, expectSameOrderAsKubectl } from "./support/beside-kubectl.ts";

/** Fields without a value, beside those whose value is null. */
const POD = `apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations:
  labels:
spec:
  affinity:
    nodeAffinity:
      required:
      preferred: null
      other: ~
  containers:
    - name: web
      image: nginx
      args:
      command: null
  tolerations:
    - key: a
      value:
`;
const SHOP = `apiVersion: shop.example.com/v1
kind: Shop
metadata: { name: shop, annotations: {}, labels: {} }
spec:
  blank:
  explicit: null
  items:
    - name:
`;

const merge = (of: string): string =>
  `patches:\n  - patch: |-\n      ${of.replaceAll("\n", "\n      ")}\n`;
const MERGE = merge("apiVersion: v1\nkind: Pod\nmetadata: { name: web, labels: { a: b } }");
const MERGE_SHOP = merge(
  "apiVersion: shop.example.com/v1\nkind: Shop\nmetadata: { name: shop }\nspec: { more: 1 }",
);
const JSON_PATCH = `patches:
  - target: { kind: Pod }
    patch: '[{ "op": "add", "path": "/metadata/labels", "value": { "c": "d" } }]'
`;

const list = (kind: string): string =>
  `apiVersion: v1\nkind: ${kind}\nitems:\n  - ${POD.replaceAll("\n", "\n    ")}`;

function write(text: string, manifests: string): string {
  const root = emptyFolder();
  writeFileSync(join(root, "all.yaml"), manifests);
  writeFileSync(join(root, "kustomization.yaml"), `resources: [all.yaml]\n${text}`);
  return root;
}

describe("fields without a value", () => {
  it.each<[string, string, string, unknown]>([
    [
      "stay when nothing is merged",
      "namePrefix: a-\n",
      POD,
      { required: null, preferred: null, other: null },
    ],
    ["go when a patch is merged into the object", MERGE, POD, { preferred: null, other: null }],
    [
      "stay after a JSON patch, which makes them null",
      `${JSON_PATCH}${MERGE.replace("patches:\n", "")}`,
      POD,
      { required: null, preferred: null, other: null },
    ],
    ["go in the items of a List", MERGE, list("List"), { preferred: null, other: null }],
    [
      "stay in the items of a List that is not alone in its file, which are null",
      MERGE,
      `${list("List")}\n---\n${SHOP}`,
      { required: null, preferred: null, other: null },
    ],
    [
      "stay in the items of a PodList, which are null",
      MERGE,
      list("PodList"),
      { required: null, preferred: null, other: null },
    ],
  ])("%s, as in kubectl", async (_what, text, manifests, affinity) => {
    const root = write(text, manifests);
    const pod = (await renderKustomization(root)).find(({ kind }) => kind === "Pod");
    expect(pod).toHaveProperty("spec.affinity.nodeAffinity", affinity);
    if (hasKubectl) await expectSameOrderAsKubectl(root);
  });

  it.each(["", MERGE_SHOP])("in kinds without a schema are as in kubectl: %j", async (text) => {
    const root = write(text, SHOP);
    const [shop] = await renderKustomization(root);
    expect(shop?.metadata).toEqual({ name: "shop", labels: {} });
    expect(shop).toHaveProperty("spec.items", [{ name: null }]);
    expect(Object.keys(shop?.["spec" as keyof typeof shop] ?? {})).toContain("explicit");
    if (hasKubectl) await expectSameOrderAsKubectl(root);
  });

  it("are refused as the namespace of an account in a RoleBinding, as kubectl refuses them", async () => {
    const root = write(
      "",
      `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: test }
subjects: [{ kind: ServiceAccount, name: test, namespace: }]
roleRef: { kind: Role, name: test, apiGroup: rbac.authorization.k8s.io }
`,
    );
    await expect(renderKustomization(root)).rejects.toMatchObject({ code: "kustomize-reference" });
    await expectKubectlRefuses(root, "namespace is blank");
  });
});
