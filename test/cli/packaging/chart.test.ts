import { execa } from "execa";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { renderKustomization } from "../../../src/cli/kustomize/render.ts";
import { chartFiles } from "../../../src/cli/packaging/chart.ts";
import type { ManifestObject } from "../../../src/kube/object.ts";
import { clientFolder, hasKubectl } from "../../support/kubectl.ts";

const example = fileURLToPath(new URL("../../../examples/myweb", import.meta.url));

let objects: ManifestObject[];
let files: Map<string, string>;
beforeAll(async () => {
  objects = await renderKustomization(join(example, "config/default"));
  files = chartFiles({
    projectName: "myweb",
    version: "0.1.0",
    description: "Websites",
    image: { name: "registry.example.com/myweb", tag: "v1", digest: "" },
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
        .filter(({ metadata: { name } }) => name.startsWith("myweb-"))
        .map(({ metadata: { name } }) => name.length - "myweb".length),
    );
    expect(schema.properties.namePrefix.maxLength).toBe(63 - longest);
  });

  it("writes braces of descriptions as texts", () => {
    const [crd] = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
    const braces = { ...crd, metadata: { name: "a.b.c", annotations: { note: "{{ x }}" } } };
    const chart = chartFiles({
      projectName: "myweb",
      version: "0.1.0",
      description: "",
      image: { name: "i", tag: "", digest: "" },
      objects: [...objects, braces as ManifestObject],
    });
    expect(chart.get("templates/crds/a.b.c.yaml")).toContain('{{ "{{" }} x }}');
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
    image: { name: "i", tag: "", digest: "" },
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
  const folder = mkdtempSync(join(tmpdir(), "tsop-chart-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const helm = async (...args: string[]): Promise<string> =>
    (await execa(join(clientFolder(), "helm"), args)).stdout;
  const template = async (...args: string[]): Promise<ManifestObject[]> =>
    parseAllDocuments(await helm("template", "web", folder, "-n", "myweb-system", ...args))
      .map((document) => document.toJS() as ManifestObject | null)
      .filter((object) => object !== null);

  beforeAll(() => {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  });

  it("finds nothing to complain of", async () => {
    expect(await helm("lint", "--strict", folder)).toContain("0 chart(s) failed");
  });

  it("renders the objects of config/default", async () => {
    const byIdentity = (list: readonly ManifestObject[]): Record<string, unknown> =>
      Object.fromEntries(
        list.map((object) => {
          const text = JSON.stringify(object).replaceAll(
            '"app.kubernetes.io/managed-by":"kustomize"',
            '"app.kubernetes.io/managed-by":"Helm"',
          );
          return [`${object.kind} ${object.metadata.name}`, JSON.parse(text) as unknown];
        }),
      );
    const expected = byIdentity(objects.filter(({ kind }) => kind !== "Namespace"));
    const rendered = await template(
      "--set",
      "image.repository=controller,image.tag=latest,image.pullPolicy=null,crds.keep=false",
    );
    for (const object of rendered) {
      if (object.kind !== "Deployment") continue;
      const [container] = (
        object as unknown as { spec: { template: { spec: { containers: object[] } } } }
      ).spec.template.spec.containers;
      Reflect.deleteProperty(container ?? {}, "imagePullPolicy");
    }
    for (const { metadata } of rendered) {
      if ((metadata.annotations as unknown) === null) delete metadata.annotations;
    }
    expect(byIdentity(rendered)).toEqual(expected);
  });

  it.each([
    ["crds.enabled=false", "CustomResourceDefinition"],
    ["networkPolicy.enabled=false", "NetworkPolicy"],
    ["serviceAccount.create=false", "ServiceAccount"],
  ])("leaves out with %s every %s", async (value, kind) => {
    const kinds = (await template("--set", value)).map((object) => object.kind);
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
    ["replicaCount=two", "replicaCount"],
    ["image.digest=v1", "digest"],
    [`namePrefix=${"a".repeat(60)}`, "namePrefix"],
    ["imagee=x", "imagee"],
  ])("refuses %s", async (value, named) => {
    await expect(template("--set", value)).rejects.toThrow(named);
  });

  it("has a PodDisruptionBudget for several replicas only, and none when it is switched off", async () => {
    const budgets = async (values: string): Promise<ManifestObject[]> =>
      (await template("--set", values)).filter(({ kind }) => kind === "PodDisruptionBudget");
    const deployment = objects.find(({ kind }) => kind === "Deployment");
    const { selector } = (deployment as unknown as { spec: { selector: object } }).spec;
    expect(await budgets("replicaCount=3,namePrefix=shop")).toEqual([
      expect.objectContaining({
        metadata: {
          name: "shop-controller-manager",
          namespace: "myweb-system",
          labels: { ...deployment?.metadata.labels, "app.kubernetes.io/managed-by": "Helm" },
        },
        spec: { minAvailable: 1, selector },
      }),
    ]);
    expect(await budgets("replicaCount=1")).toEqual([]);
    expect(await budgets("replicaCount=3,podDisruptionBudget.enabled=false")).toEqual([]);
  });

  it("sets what the values say", async () => {
    const rendered = await template(
      "--set",
      "replicaCount=3,image.tag=v9,nodeSelector.disk=ssd,podLabels.team=x,serviceAccount.name=own,namePrefix=shop",
      "--set-json",
      'args=["--leader-elect"],env=[{"name":"A","value":"b"}],tolerations=[{"operator":"Exists"}]',
    );
    const deployment = rendered.find(({ kind }) => kind === "Deployment");
    expect(deployment).toMatchObject({
      metadata: { name: "shop-controller-manager" },
      spec: {
        replicas: 3,
        template: {
          metadata: { labels: { team: "x" } },
          spec: {
            serviceAccountName: "own",
            nodeSelector: { disk: "ssd" },
            tolerations: [{ operator: "Exists" }],
            containers: [{ image: "registry.example.com/myweb:v9", args: ["--leader-elect"] }],
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
