import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { standingOf } from "../../../src/cli/cluster/ownership.ts";
import { type ControlPlane, startControlPlane } from "../../../src/controlplane/control-plane.ts";
import type { ManifestObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import type { Client } from "../../../src/runtime/client/client.ts";
import { createClient } from "../../../src/runtime/client/create-client.ts";
import { loadClusterConfig } from "../../../src/runtime/kubeconfig/load-config.ts";
import { type CliResult, projectAfter, runCli } from "../support/run-cli.ts";
import { WaitingClock } from "../support/waiting-clock.ts";

const type = (group: string, plural: string, kind: string, namespaced = true): ResourceType => ({
  group,
  version: "v1",
  kind,
  plural,
  namespaced,
});
const NAMESPACE = type("", "namespaces", "Namespace", false);
const SECRET = type("", "secrets", "Secret");
const CLUSTER_ROLE = type("rbac.authorization.k8s.io", "clusterroles", "ClusterRole", false);
const CRD = type(
  "apiextensions.k8s.io",
  "customresourcedefinitions",
  "CustomResourceDefinition",
  false,
);
const PAGE = type("web.example.com", "pages", "Page");

const CREATE_PAGE = ["create", "api", "--group", "web", "--version", "v1", "--kind", "Page"];
const DEPLOY = ["deploy", "--image", "shop:1", "--no-wait"];

describe("what a project may change and delete", () => {
  const clock = new WaitingClock();
  let cluster: ControlPlane;
  let client: Client;
  let folder: string;

  beforeAll(async () => {
    cluster = await startControlPlane({ clock });
    client = createClient(loadClusterConfig({ kubeconfigText: cluster.kubeconfig }), {
      name: "someone",
    });
  });
  afterAll(() => cluster.stop());

  async function project(...flags: string[]): Promise<void> {
    folder = await projectAfter([CREATE_PAGE], ...flags);
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig);
  }
  const tsop = (...argv: string[]): Promise<CliResult> =>
    runCli(folder, [...argv, "--kubeconfig", join(folder, "kubeconfig")], { clock });
  const isThere = async (
    resource: ResourceType,
    name: string,
    namespace?: string,
  ): Promise<boolean> =>
    (await client.find(resource, namespace === undefined ? { name } : { namespace, name })) !==
    undefined;

  it("keeps a namespace that was there before, and all that others have in it", async () => {
    await project();
    await client.create(NAMESPACE, { metadata: { name: "shop-system", labels: { team: "a" } } });
    const deployed = await tsop(...DEPLOY);
    expect([deployed.code, deployed.err]).toEqual([0, ""]);
    expect(deployed.out).toContain("kept       namespaces shop-system: it existed before");
    const removed = await tsop("undeploy");
    expect([removed.code, removed.err]).toEqual([0, ""]);
    expect(removed.out).toContain("kept       namespaces shop-system: not created by this project");
    expect((await client.get(NAMESPACE, { name: "shop-system" })).metadata.labels).toMatchObject({
      team: "a",
    });
    await client.delete(NAMESPACE, { name: "shop-system" });
  });

  it("keeps its own namespace as long as something of others is in it", async () => {
    await project();
    await tsop(...DEPLOY);
    const key = { namespace: "shop-system", name: "theirs" };
    await client.create(SECRET, { metadata: key });
    const planned = await tsop("undeploy", "--dry-run");
    const kept =
      "kept       namespaces shop-system: it contains objects that this project did not create: secrets shop-system/theirs";
    expect(planned.out).toContain(kept);
    const removed = await tsop("undeploy");
    expect([removed.code, removed.err]).toEqual([0, ""]);
    expect(removed.out).toContain(kept);
    expect(await isThere(SECRET, "theirs", "shop-system")).toBe(true);
    await client.delete(SECRET, key);
    expect((await tsop("undeploy")).out).toContain("deleted    namespaces shop-system");
  });

  it("refuses to overwrite what others made, before it changes anything", async () => {
    await project();
    const name = "shop-manager-role";
    await client.create(CLUSTER_ROLE, { metadata: { name }, rules: [] });
    const refused = await tsop(...DEPLOY);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("not-ours")]);
    expect(refused.err).toContain(
      `clusterroles.rbac.authorization.k8s.io ${name} (it was written by someone)`,
    );
    expect(await isThere(NAMESPACE, "shop-system")).toBe(false);
    // Told to, it changes the role, and leaves it when the operator goes.
    expect(await tsop(...DEPLOY, "--take-ownership")).toMatchObject({ code: 0 });
    expect(JSON.stringify(await client.get(CLUSTER_ROLE, { name }))).toContain("web.example.com");
    expect(await tsop(...DEPLOY)).toMatchObject({ code: 0 });
    const removed = await tsop("undeploy");
    expect(removed.out).toContain(
      `kept       clusterroles.rbac.authorization.k8s.io ${name}: it existed before`,
    );
    expect(await isThere(CLUSTER_ROLE, name)).toBe(true);
    await client.delete(CLUSTER_ROLE, { name });
  });

  it("neither changes nor deletes a CRD that others installed, nor its objects", async () => {
    await project();
    await tsop("install");
    const crd = await client.get(CRD, { name: "pages.web.example.com" });
    await tsop("uninstall");
    const { name, labels } = crd.metadata;
    const metadata = { name, labels };
    await client.create(CRD, { ...crd, metadata });
    const page = { metadata: { namespace: "default", name: "one" }, spec: {} };
    await eventually(() => client.create(PAGE, page as never));
    for (const argv of [["install"], DEPLOY]) {
      const refused = await tsop(...argv);
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("not-ours")]);
    }
    for (const argv of [
      ["uninstall"],
      ["undeploy"],
      ["uninstall", "--delete-objects"],
      ["undeploy", "--delete-objects"],
    ]) {
      const left = await tsop(...argv);
      expect([left.code, left.err]).toEqual([0, ""]);
      expect(left.out).toContain(
        "kept       customresourcedefinitions.apiextensions.k8s.io pages.web.example.com",
      );
    }
    expect(await isThere(PAGE, "one", "default")).toBe(true);
    await client.delete(CRD, { name: "pages.web.example.com" });
  });

  it("does not touch what another project of tsop made", async () => {
    await project();
    await tsop(...DEPLOY);
    const first = folder;
    await project("--domain", "example.org");
    const refused = await tsop(...DEPLOY);
    expect(refused.err).toContain("it belongs to the tsop project shop.example.com");
    const removed = await tsop("undeploy");
    expect(removed.code).toBe(0);
    expect(removed.out).not.toContain("deleted");
    folder = first;
    expect((await tsop("undeploy")).out).toContain("deleted    namespaces shop-system");
  });

  it("shows the whole plan of a removal that would be refused", async () => {
    await project();
    await tsop("install");
    const page = { metadata: { namespace: "default", name: "one" }, spec: {} };
    await client.create(PAGE, page);
    const planned = await tsop("uninstall", "--dry-run");
    expect(planned.code).toBe(0);
    expect(planned.out).toContain("to delete  pages.web.example.com default/one");
    expect(planned.out).toContain(
      "to delete  customresourcedefinitions.apiextensions.k8s.io pages",
    );
    expect(planned.err).toContain("without --delete-objects it is refused");
    expect(await isThere(PAGE, "one", "default")).toBe(true);
    expect(await tsop("uninstall", "--delete-objects")).toMatchObject({ code: 0 });
  });

  it("looks for its mark and for tsop in managedFields", () => {
    const object = (
      annotations: Record<string, string>,
      ...managers: string[]
    ): ManifestObject => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "a",
        annotations,
        managedFields: managers.map((manager) => ({
          manager,
          operation: manager === "tsop" ? "Apply" : "Update",
          ...(manager === "kubelet" ? { subresource: "status" } : {}),
        })),
      },
    });
    const made = { "tsop.dev/made-by": "shop.example.com" };
    const standing = (live: ManifestObject | undefined): string =>
      standingOf(live, "shop.example.com");
    expect(standing(undefined)).toBe("absent");
    expect(standing(object(made, "tsop", "kubectl-edit"))).toBe("made");
    expect(standing(object({ "tsop.dev/taken-over-by": "shop.example.com" }, "tsop"))).toBe(
      "taken-over",
    );
    // A copy of our object that somebody else made.
    expect(standing(object(made, "kubectl-create"))).toBe("foreign");
    expect(standing(object({ "tsop.dev/made-by": "other.example.com" }, "tsop"))).toBe("foreign");
    // What earlier versions applied.
    expect(standing(object({}, "tsop", "kubelet"))).toBe("made");
    expect(standing(object({}, "tsop", "helm"))).toBe("foreign");
    expect(standing(object({}))).toBe("foreign");
  });
});
