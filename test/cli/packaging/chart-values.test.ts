/** Each field of the operator's Deployment is in the chart once: config/default is the default of its value. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chartFiles } from "../../../src/cli/packaging/helm/chart.ts";
import type { ManifestObject } from "../../../src/kube/object.ts";
import { ChartFolder } from "../../support/helm.ts";
import { hasKubectl } from "../../support/kubectl.ts";

const LABELS = { "control-plane": "controller-manager", "app.kubernetes.io/name": "op" };

/** A Deployment with every field that is a value, other containers, and names of the release. */
const manager = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "op-controller-manager", namespace: "ops", labels: LABELS },
  spec: {
    replicas: 2,
    selector: { matchLabels: LABELS },
    template: {
      metadata: {
        labels: { ...LABELS, team: "web" },
        annotations: { note: "a", secret: "ops/op-secret" },
      },
      spec: {
        serviceAccountName: "op-controller-manager",
        imagePullSecrets: [{ name: "pull-me" }],
        nodeSelector: { disk: "ssd" },
        priorityClassName: "system-cluster-critical",
        tolerations: [{ key: "a", operator: "Exists" }],
        affinity: { nodeAffinity: { x: [] } },
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: "zone", labelSelector: { matchLabels: LABELS } },
        ],
        initContainers: [{ name: "migrate", image: "registry/op:v1", args: ["migrate"] }],
        containers: [
          { name: "proxy", image: "registry/proxy:v2", resources: { limits: { memory: "64Mi" } } },
          {
            name: "manager",
            image: "registry/op:v1",
            imagePullPolicy: "Always",
            args: ["--leader-elect", "--name", "op-secret", "--x=1"],
            env: [
              { name: "NODE_OPTIONS", value: "--a" },
              { name: "SECRET", value: "op-secret.ops.svc" },
            ],
            resources: { limits: { memory: "384Mi" } },
          },
        ],
      },
    },
  },
};
const agent = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "op-agent", namespace: "ops" },
  spec: {
    selector: { matchLabels: { app: "agent" } },
    template: {
      metadata: { labels: { app: "agent" } },
      spec: { containers: [{ name: "agent", image: "registry/agent:v1", env: [{ name: "A" }] }] },
    },
  },
};
const account = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "op-controller-manager", namespace: "ops" },
};
const secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "op-secret", namespace: "ops" },
  stringData: { note: "ops is a word, and ops/op-secret a name" },
};
const objects = [agent, manager, account, secret] as unknown as ManifestObject[];

type Pods = typeof manager.spec.template;
interface Rendered {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly replicas: number; readonly template: Pods };
}

describe.skipIf(!hasKubectl)("a chart of a Deployment with many fields", () => {
  let chart: ChartFolder;
  beforeAll(() => {
    chart = new ChartFolder(
      chartFiles({
        projectName: "op",
        version: "1.0.0",
        description: "",
        image: undefined,
        objects,
      }),
    );
  });
  afterAll(() => chart[Symbol.dispose]());
  const deployments = async (values: object = {}): Promise<Map<string, Rendered>> => {
    const rendered = await chart.template(values, { release: "op", namespace: "ops" });
    const all = rendered.filter(({ kind }) => kind === "Deployment") as unknown as Rendered[];
    return new Map(all.map((one) => [one.metadata.name, one]));
  };
  const podOf = async (values: object): Promise<Pods> => {
    const found = (await deployments(values)).get("op-controller-manager");
    if (!found) throw new Error("there is no Deployment of the operator");
    return found.spec.template;
  };

  it("renders without values what config/default has", async () => {
    const rendered = await deployments();
    const pod = structuredClone(rendered.get("op-controller-manager")?.spec.template) as Pods;
    const release = { "app.kubernetes.io/instance": "op" };
    expect(pod.metadata.labels).toEqual({ ...LABELS, team: "web", ...release });
    expect(pod.metadata.annotations).toEqual(manager.spec.template.metadata.annotations);
    expect(pod.spec.topologySpreadConstraints[0]?.labelSelector.matchLabels).toEqual({
      ...LABELS,
      ...release,
    });
    const { topologySpreadConstraints: _one, ...rest } = pod.spec;
    const { topologySpreadConstraints: _other, ...expected } = structuredClone(
      manager.spec.template.spec,
    );
    // What names an object of the release comes before the values.
    (expected.containers[1] as { args: string[] }).args = [
      ...["--name", "op-secret"],
      ...["--leader-elect", "--x=1"],
    ];
    expect(rest).toEqual(expected);
    expect(rendered.get("op-agent")?.spec.template.spec).toEqual(agent.spec.template.spec);
    expect(rendered.get("op-controller-manager")?.spec.replicas).toBe(2);
  });

  it.each([
    [{ topologySpreadConstraints: [{ maxSkew: 3 }] }, { maxSkew: 3 }],
    [{ tolerations: [{ key: "x" }] }, { key: "x" }],
    [{ imagePullSecrets: [{ name: "mine" }] }, { name: "mine" }],
  ])("replaces the list in %j", async (values, item) => {
    const [field = ""] = Object.keys(values);
    const { spec } = await podOf(values);
    expect((spec as unknown as Record<string, unknown>)[field]).toMatchObject([item]);
  });

  it.each([
    [{ nodeSelector: { disk: "hdd" } }, { spec: { nodeSelector: { disk: "hdd" } } }],
    [{ priorityClassName: "low" }, { spec: { priorityClassName: "low" } }],
    [{ affinity: { podAffinity: {} } }, { spec: { affinity: { podAffinity: {} } } }],
    [{ podLabels: { team: "shop", a: "b" } }, { metadata: { labels: { team: "shop", a: "b" } } }],
    [
      { podAnnotations: { note: "b", secret: "c" } },
      { metadata: { annotations: { note: "b", secret: "c" } } },
    ],
    [
      { containers: { proxy: { image: "mirror/proxy:v2", resources: { limits: null } } } },
      { spec: { containers: [{ image: "mirror/proxy:v2" }, { image: "registry/op:v1" }] } },
    ],
    [
      { image: { repository: "mirror/op", tag: "v9", pullPolicy: "" } },
      {
        spec: {
          initContainers: [{ image: "mirror/op:v9" }],
          containers: [{ image: "registry/proxy:v2" }, { image: "mirror/op:v9" }],
        },
      },
    ],
    [
      { resources: { limits: { memory: "2Gi" } } },
      { spec: { containers: [{}, { resources: { limits: { memory: "2Gi" } } }] } },
    ],
  ])("takes %j", async (values, expected) => {
    expect(await podOf(values)).toMatchObject(expected);
  });

  it("replaces variables by name, and adds others", async () => {
    const env = [
      { name: "NODE_OPTIONS", value: "--b" },
      { name: "NEW", value: "c" },
    ];
    const { spec } = await podOf({ env });
    expect(spec.containers[1]?.env).toEqual([
      { name: "SECRET", value: "op-secret.ops.svc" },
      ...env,
    ]);
  });

  it("has values of further workloads, whose other fields stay", async () => {
    const rendered = await deployments({
      workloads: { agent: { agent: { image: "mirror/agent:v1" } } },
    });
    expect(rendered.get("op-agent")?.spec.template.spec).toEqual({
      containers: [{ name: "agent", image: "mirror/agent:v1", env: [{ name: "A" }] }],
    });
  });

  it("renames what names an object of the release, and no other word", async () => {
    const rendered = await chart.template({}, { release: "web", namespace: "shop" });
    const found = rendered.find(({ kind }) => kind === "Secret");
    expect(found).toMatchObject({
      metadata: { name: "web-op-secret", namespace: "shop" },
      stringData: { note: "ops is a word, and shop/web-op-secret a name" },
    });
    const renamed = rendered.find(
      ({ kind, metadata }) =>
        kind === "Deployment" && metadata.name === "web-op-controller-manager",
    );
    expect(renamed).toMatchObject({
      spec: {
        template: {
          metadata: { annotations: { secret: "shop/web-op-secret" } },
          spec: {
            serviceAccountName: "web-op-controller-manager",
            containers: [
              {},
              {
                args: ["--name", "web-op-secret", "--leader-elect", "--x=1"],
                env: [{}, { name: "SECRET", value: "web-op-secret.shop.svc" }],
              },
            ],
          },
        },
      },
    });
  });

  it("keeps names within 63 characters whatever the release is called", async () => {
    const rendered = await chart.template({}, { release: "r".repeat(53), namespace: "shop" });
    const lengths = rendered.map(({ metadata }) => metadata.name.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(63);
  });
});

it("refuses to guess which of two Deployments is the operator's", () => {
  const plain = (name: string): ManifestObject => ({
    ...agent,
    metadata: { name, namespace: "ops" },
  });
  expect(() =>
    chartFiles({
      projectName: "op",
      version: "1.0.0",
      description: "",
      image: undefined,
      objects: [plain("a"), plain("b")],
    }),
  ).toThrow("config/default renders 2 Deployments that could be the operator's: a, b.");
});
