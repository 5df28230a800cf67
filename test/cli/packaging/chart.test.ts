import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderKustomization } from "../../../src/cli/kustomize/render.ts";
import { chartFiles } from "../../../src/cli/packaging/helm/chart.ts";
import type { ManifestObject } from "../../../src/kube/object.ts";
import { ChartFolder } from "../../support/helm.ts";
import { hasKubectl } from "../../support/kubectl.ts";

const example = fileURLToPath(new URL("../../../examples/myweb", import.meta.url));

let objects: ManifestObject[];
let files: Map<string, string>;
beforeAll(async () => {
  objects = await renderKustomization(join(example, "config/default"));
  files = chartFiles({
    projectName: "myweb",
    version: "0.1.0",
    description: "Websites",
    image: "registry.example.com/myweb:v1",
    objects,
  });
});

describe("the chart of the example", () => {
  it("has a template for every object but the namespace, which Helm makes", () => {
    const templates = [...files.keys()].filter((path) => path.endsWith(".yaml"));
    expect(templates).toHaveLength(objects.length - 1 + 3); // the budget, Chart.yaml and values.yaml
    expect(templates.sort()).toMatchSnapshot();
  });

  it.each(["templates/deployment-controller-manager.yaml", "values.yaml", "Chart.yaml"])(
    "has %s as recorded",
    (path) => {
      expect(files.get(path)).toMatchSnapshot();
    },
  );

  it("leaves room for every name within 63 characters", () => {
    const schema = JSON.parse(files.get("values.schema.json") ?? "") as {
      properties: { namePrefix: { maxLength: number } };
    };
    const longest = Math.max(
      ...objects
        .filter(({ kind }) => kind !== "Namespace")
        .filter(({ metadata: { name } }) => name.startsWith("myweb-"))
        .map(({ metadata: { name } }) => name.length - "myweb".length),
    );
    expect(schema.properties.namePrefix.maxLength).toBe(63 - longest);
  });
});

it("guards the budget of the part ha in place of adding one", () => {
  const deployment = objects.find(({ kind }) => kind === "Deployment");
  const { selector } = (deployment as unknown as { spec: { selector: object } }).spec;
  const budget = (name: string, own: object): ManifestObject & { spec: object } => ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: "myweb-system" },
    spec: { maxUnavailable: 1, selector: own },
  });
  const chart = chartFiles({
    projectName: "myweb",
    version: "0.1.0",
    description: "",
    image: "i",
    objects: [
      ...objects,
      budget("myweb-manager-budget", selector),
      budget("myweb-pages", { matchLabels: { app: "pages" } }),
    ],
  });
  const paths = [...chart.keys()].filter((path) => path.includes("poddisruptionbudget"));
  expect(paths.sort()).toEqual([
    "templates/poddisruptionbudget-manager-budget.yaml",
    "templates/poddisruptionbudget-pages.yaml",
  ]);
  expect(chart.get("templates/poddisruptionbudget-manager-budget.yaml")).toMatch(
    /^\{\{- if and \.Values\.podDisruptionBudget\.enabled \(gt \(int \.Values\.replicaCount\) 1\) }}/,
  );
  expect(chart.get("templates/poddisruptionbudget-pages.yaml")).not.toContain("{{- if");
});

describe.skipIf(!hasKubectl)("helm with the chart of the example", () => {
  let chart: ChartFolder;
  beforeAll(() => {
    chart = new ChartFolder(files);
  });
  afterAll(() => chart[Symbol.dispose]());
  /** The objects of the release `myweb`, whose names are those of config/default. */
  const template = (values: object = {}): Promise<ManifestObject[]> =>
    chart.template(values, { release: "myweb" });

  it("finds nothing to complain of", async () => {
    expect(await chart.helm("lint", "--strict", chart.path)).toContain("0 chart(s) failed");
  });

  it("renders the objects of config/default", async () => {
    const byIdentity = (list: readonly ManifestObject[]): Record<string, unknown> =>
      Object.fromEntries(list.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
    const rendered = await template({
      image: { repository: "controller", tag: "latest" },
      crds: { keep: false },
    });
    const expected = objects.filter(({ kind }) => kind !== "Namespace");
    expect(byIdentity(rendered.map(withoutRelease))).toEqual(
      byIdentity(expected.map(withoutRelease)),
    );
  });

  it.each([
    [{ crds: { enabled: false } }, "CustomResourceDefinition"],
    [{ networkPolicy: { enabled: false } }, "NetworkPolicy"],
    [{ serviceAccount: { create: false } }, "ServiceAccount"],
  ])("leaves out with %j every %s", async (values, kind) => {
    const kinds = (await template(values)).map((object) => object.kind);
    expect(kinds).not.toContain(kind);
    expect(kinds).toContain("Deployment");
  });

  it("keeps the CRDs of a release that is uninstalled", async () => {
    const crds = (await template()).filter(({ kind }) => kind === "CustomResourceDefinition");
    expect(crds).not.toHaveLength(0);
    for (const { metadata } of crds) {
      expect(metadata.annotations).toMatchObject({ "helm.sh/resource-policy": "keep" });
    }
  });

  it.each([
    [{ replicaCount: "two" }, "replicaCount"],
    [{ image: { digest: "v1" } }, "digest"],
    [{ namePrefix: "a".repeat(60) }, "namePrefix"],
    [{ imagee: "x" }, "imagee"],
    [{ podLabels: { "control-plane": "x" } }, "podLabels"],
    [{ env: [{ value: "x" }] }, "env"],
  ])("refuses %j", async (values, named) => {
    await expect(template(values)).rejects.toThrow(named);
  });

  it("has a PodDisruptionBudget for several replicas only, and none when it is switched off", async () => {
    const budgets = async (values: object): Promise<ManifestObject[]> =>
      (await template(values)).filter(({ kind }) => kind === "PodDisruptionBudget");
    const deployment = objects.find(({ kind }) => kind === "Deployment");
    const { selector } = (deployment as unknown as { spec: { selector: object } }).spec;
    const [budget, ...others] = await budgets({ replicaCount: 3, namePrefix: "shop" });
    expect(others).toEqual([]);
    expect(withoutRelease(budget as ManifestObject)).toEqual({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: {
        name: "shop-controller-manager",
        namespace: "myweb-system",
        labels: withoutRelease(deployment as ManifestObject).metadata.labels,
      },
      spec: { minAvailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow", selector },
    });
    expect(await budgets({ replicaCount: 1 })).toEqual([]);
    expect(await budgets({ replicaCount: 3, podDisruptionBudget: { enabled: false } })).toEqual([]);
  });

  it("sets what the values say", async () => {
    const rendered = await template({
      replicaCount: 3,
      image: { tag: "v9", pullPolicy: "Always" },
      nodeSelector: { disk: "ssd" },
      podLabels: { team: "x" },
      podAnnotations: { note: "y" },
      serviceAccount: { name: "own" },
      namePrefix: "shop",
      args: ["--leader-elect"],
      env: [{ name: "A", value: "b" }],
      tolerations: [{ operator: "Exists" }],
      resources: { limits: { memory: "1Gi" } },
    });
    const deployment = rendered.find(({ kind }) => kind === "Deployment");
    expect(deployment).toMatchObject({
      metadata: { name: "shop-controller-manager" },
      spec: {
        replicas: 3,
        template: {
          metadata: {
            labels: { team: "x", "control-plane": "controller-manager" },
            annotations: { note: "y", "kubectl.kubernetes.io/default-container": "manager" },
          },
          spec: {
            serviceAccountName: "own",
            nodeSelector: { disk: "ssd" },
            tolerations: [{ operator: "Exists" }],
            containers: [
              {
                image: "registry.example.com/myweb:v9",
                imagePullPolicy: "Always",
                args: ["--leader-elect"],
                env: [{ name: "A", value: "b" }],
                resources: { limits: { memory: "1Gi" } },
              },
            ],
          },
        },
      },
    });
    const bindings = rendered.filter(({ kind }) => kind.endsWith("Binding"));
    for (const binding of bindings) {
      expect(binding).toMatchObject({ subjects: [{ name: "own", namespace: "myweb-system" }] });
    }
  });
});

/** The object without what Helm and the chart add to each of a release. */
function withoutRelease(object: ManifestObject): ManifestObject {
  const text = JSON.stringify(object)
    .replaceAll(/"app.kubernetes.io\/managed-by":"(?:kustomize|Helm)",?/g, "")
    .replaceAll(/,?"app.kubernetes.io\/instance":"[^"]*"/g, "")
    .replaceAll(",}", "}");
  const copy = JSON.parse(text) as ManifestObject;
  if (Object.keys(copy.metadata.labels ?? {}).length === 0) delete copy.metadata.labels;
  return copy;
}
