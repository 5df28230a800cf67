import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../../src/controlplane/control-plane.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import type { Client } from "../../../src/runtime/client/client.ts";
import { createClient } from "../../../src/runtime/client/create-client.ts";
import { loadClusterConfig } from "../../../src/runtime/kubeconfig/load-config.ts";
import { mergePatch } from "../../../src/runtime/client/patches.ts";
import { type CliResult, filesIn, runCli } from "../support/run-cli.ts";

interface Page extends KubeObject {
  spec?: { title?: string; size?: number };
}
const PAGE: ResourceType<Page> = {
  group: "web.example.com",
  version: "v1",
  kind: "Page",
  plural: "pages",
  namespaced: true,
};
const SERVICE: ResourceType = {
  group: "",
  version: "v1",
  kind: "Service",
  plural: "services",
  namespaced: true,
};
const KIND = ["--group", "web", "--version", "v1", "--kind", "Page"];
const CLASS = "src/api/v1/page.ts";
const DEPLOYMENT = "deployments.apps shop-system/shop-controller-manager";
/** Of every kind that a deployment has. */
const RESOURCES = [
  "namespaces",
  "customresourcedefinitions.apiextensions.k8s.io",
  "clusterroles.rbac.authorization.k8s.io",
  "clusterrolebindings.rbac.authorization.k8s.io",
  "roles.rbac.authorization.k8s.io",
  "rolebindings.rbac.authorization.k8s.io",
  "serviceaccounts",
  "services",
  "deployments.apps",
  "networkpolicies.networking.k8s.io",
  "poddisruptionbudgets.policy",
  "configmaps",
  "pages.web.example.com",
];

describe("tsop plan, and deploy after it", { timeout: 60_000 }, () => {
  let cluster: ControlPlane;
  let client: Client;
  let root: string;

  beforeAll(async () => {
    cluster = await startControlPlane({ controllers: "off" });
    client = createClient(loadClusterConfig({ kubeconfigText: cluster.kubeconfig }));
    root = mkdtempSync(join(tmpdir(), "tsop-plan-"));
    const init = ["init", "--domain", "example.com", "--project-name", "shop", "--no-install"];
    await runCli(root, init);
    await runCli(root, [
      "create",
      "api",
      ...KIND,
      "--field",
      "title:string?",
      "--field",
      "size:int?",
    ]);
    writeFileSync(join(root, "kubeconfig"), cluster.kubeconfig);
  });
  afterAll(async () => {
    rmSync(root, { recursive: true, force: true });
    await cluster.stop();
  });

  const tsop = (...argv: string[]): Promise<CliResult> =>
    runCli(root, [...argv, "--kubeconfig", join(root, "kubeconfig")]);
  const deploy = async (...flags: string[]): Promise<string> => {
    const { code, out, err } = await tsop("deploy", "--no-wait", ...flags);
    expect([code, err]).toEqual([0, ""]);
    return out;
  };
  const everything = (): unknown =>
    RESOURCES.filter((one) => one !== "pages.web.example.com" || isServed()).map((one) =>
      cluster.objects(one),
    );
  const isServed = (): boolean =>
    cluster.objects("customresourcedefinitions.apiextensions.k8s.io").length > 0;
  const names = (resource: string): (string | undefined)[] =>
    cluster.objects(resource).map(({ metadata }) => metadata.name);
  /** The plan, having made sure that it wrote nothing: neither an object nor a file. */
  const plan = async (image: string, ...flags: string[]): Promise<CliResult> => {
    const before = [everything(), filesIn(root)];
    const result = await tsop("plan", "--image", image, ...flags);
    expect([everything(), filesIn(root)]).toEqual(before);
    return result;
  };
  const editClass = (from: string | RegExp, to: string): void =>
    writeFileSync(join(root, CLASS), readFileSync(join(root, CLASS), "utf8").replace(from, to));

  it("names everything that is to be created, and nothing once it is deployed", async () => {
    const first = await plan("shop:1");
    expect(first.code).toBe(3);
    expect(first.out).toContain(`to create  ${DEPLOYMENT}`);
    expect(first.out).toMatch(/to create {2}customresourcedefinitions.apiextensions.k8s.io pages/);
    expect(first.out).toMatch(/\b(\d\d) to create, 0 to change, 0 to delete, 0 refused, 0 unch/);
    await deploy("--image", "shop:1");
    const again = await plan("shop:1");
    expect([again.code, again.err]).toEqual([0, ""]);
    expect(again.out).toMatch(/ 0 to create, 0 to change, 0 to delete, 0 refused, \d\d unchanged/);
  });

  it("shows the fields that change, from and to", async () => {
    const { code, out } = await plan("shop:2");
    expect(code).toBe(3);
    expect(out).toContain(`to change  ${DEPLOYMENT}`);
    expect(out).toContain(
      'spec.template.spec.containers[name=manager].image: "shop:1" -> "shop:2"',
    );
    expect(out).toContain("0 to create, 1 to change");
  });

  it("puts back what somebody else changed, and says so before", async () => {
    const key = { namespace: "shop-system", name: "shop-controller-manager-metrics-service" };
    const patch = mergePatch({ metadata: { labels: { "app.kubernetes.io/name": "other" } } });
    await client.patch(SERVICE, key, patch);
    const { code, out } = await plan("shop:1", "--output", "json");
    expect(code).toBe(3);
    const { objects } = JSON.parse(out) as { objects: { action: string; fields: unknown }[] };
    expect(objects.filter(({ action }) => action !== "unchanged")).toMatchObject([
      {
        name: "services shop-system/shop-controller-manager-metrics-service",
        action: "change",
        fields: [
          {
            path: 'metadata.labels["app.kubernetes.io/name"]',
            before: "other",
            after: "shop",
          },
        ],
      },
    ]);
  });

  it("deletes what the part before left, and only that", async () => {
    await runCli(root, ["edit", "--enable", "ha"]);
    await deploy("--image", "shop:1");
    expect(names("poddisruptionbudgets.policy")).toEqual(["shop-controller-manager"]);
    await runCli(root, ["edit", "--disable", "ha", "--disable", "network-policy"]);
    const planned = await plan("shop:1");
    expect(planned.out).toContain(
      "to delete  poddisruptionbudgets.policy shop-system/shop-controller-manager",
    );
    expect(planned.out).toContain("to delete  networkpolicies.networking.k8s.io shop-system/");
    const dry = await deploy("--image", "shop:1", "--dry-run");
    expect(dry).toContain("to delete  poddisruptionbudgets.policy");
    expect(names("poddisruptionbudgets.policy")).toHaveLength(1);
    expect(await deploy("--image", "shop:1", "--no-prune")).not.toContain("deleted");
    expect(names("poddisruptionbudgets.policy")).toHaveLength(1);
    const config = { apiVersion: "v1", kind: "ConfigMap" };
    await client.create(
      { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true },
      { ...config, metadata: { namespace: "shop-system", name: "users-own" } },
    );
    const before = RESOURCES.map((one) => names(one).length);
    expect(await deploy("--image", "shop:1")).toMatch(/deleted +poddisruptionbudgets/);
    expect(names("poddisruptionbudgets.policy")).toEqual([]);
    expect(names("networkpolicies.networking.k8s.io")).toEqual([]);
    const gone = RESOURCES.map((one, index) => (before[index] ?? 0) - names(one).length);
    expect(gone.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect((await plan("shop:1")).code).toBe(0);
  });

  it("leaves another deployment of the same project alone", async () => {
    const list = join(root, "config/default/kustomization.yaml");
    const text = readFileSync(list, "utf8");
    writeFileSync(list, text.replace("shop-system", "stage").replace(": shop-", ": stage-"));
    await runCli(root, ["edit", "--enable", "ha"]);
    await deploy("--image", "shop:1");
    await runCli(root, ["edit", "--disable", "ha"]);
    writeFileSync(list, text);
    const { code, out } = await plan("shop:1");
    // The CRD is the one thing that both have.
    expect([code, out]).toEqual([3, expect.stringContaining(" 0 to delete")]);
    await deploy("--image", "shop:1");
    expect(cluster.objects("deployments.apps", "stage")).toHaveLength(1);
    expect(names("poddisruptionbudgets.policy")).toEqual(["stage-controller-manager"]);
  });

  it("judges the changes of a CRD, and names the live objects that it would refuse or cut", async () => {
    const at = (name: string): { namespace: string; name: string } => ({
      namespace: "default",
      name,
    });
    await client.create(PAGE, { metadata: at("long"), spec: { title: "much too long", size: 1 } });
    await client.create(PAGE, { metadata: at("short"), spec: { title: "ok" } });
    editClass(/@MaxLength\(\d+\)\s*/g, "");
    editClass("title?: string;", "@MaxLength(5)\n  title?: string;");
    editClass('} from "tsop";', '} from "tsop";\nimport { MaxLength } from "tsop";');
    editClass(/\n[^\n]*\bsize\?: [^\n]*\n/, "\n");
    const { code, out, err } = await plan("shop:1");
    expect([code, err.replace(/^note .*$/m, "")]).toEqual([3, ""]);
    expect(out).toMatch(/breaking v1 spec\.title: /);
    expect(out).toMatch(/breaking v1 spec(?:\.size)?: /);
    expect(out).toContain("refuses default/long: spec.title: ");
    expect(out).toContain("drops default/long: spec.size");
    expect(out).not.toContain("default/short");
    const json = JSON.parse((await plan("shop:1", "-o", "json")).out) as {
      objects: { invalid: { name: string; errors: string[]; dropped: string[] }[] }[];
    };
    const [invalid, ...others] = json.objects.flatMap((object) => object.invalid);
    expect(others).toEqual([]);
    expect(invalid).toMatchObject({ name: "default/long", dropped: ["spec.size"] });
    // What the control plane says of a new object of that kind is the same sentence.
    await deploy("--image", "shop:1");
    await expect(
      client.create(PAGE, { metadata: at("new"), spec: { title: "much too long" } }),
    ).rejects.toThrow(invalid?.errors[0]?.replace(/^spec\.title: /, ""));
  });

  it("keeps a CRD that the project no longer has, since all its objects would go with it", async () => {
    await runCli(root, ["delete", "api", ...KIND, "--force"]);
    rmSync(join(root, "config/crd"), { recursive: true, force: true });
    const planned = await plan("shop:1");
    expect(planned.out).toMatch(
      /kept +customresourcedefinitions\S* pages\S*: deleting it would delete all objects of the kind/,
    );
    await deploy("--image", "shop:1");
    expect(names("pages.web.example.com")).toContain("long");
    // The roles of its users are the project's own, and go.
    expect(names("clusterroles.rbac.authorization.k8s.io")).not.toContain("shop-page-viewer-role");
  });

  it("says that deploy would refuse kinds that nobody serves, and deploy does so before it changes anything", async () => {
    await runCli(root, ["edit", "--enable", "prometheus"]);
    const { code, out } = await plan("shop:1");
    expect(code).toBe(3);
    expect(out).toMatch(
      /refused +ServiceMonitor \S+: the API server does not serve the kind: install the Prometheus operator/,
    );
    for (const flags of [["--dry-run"], []]) {
      const deployed = await tsop("deploy", "--image", "shop:2", ...flags);
      expect([deployed.code, deployed.err]).toEqual([
        1,
        expect.stringMatching(
          /kinds-not-served: .*PrometheusRule of monitoring.coreos.com\/v1, ServiceMonitor of .*\n.*tsop edit --disable prometheus.* Nothing was changed/,
        ),
      ]);
      expect(deployed.out).not.toMatch(/created|configured|to change/);
    }
  });
});
