/** What an operator created for itself goes with it: undeploy after the runtime has written to the control plane. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../../src/controlplane/control-plane.ts";
import { systemClock } from "../../../src/clock.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import { silentLogger } from "../../../src/log.ts";
import type { Client } from "../../../src/runtime/client/client.ts";
import { createClient } from "../../../src/runtime/client/create-client.ts";
import { loadClusterConfig } from "../../../src/runtime/kubeconfig/load-config.ts";
import { LeaderElector } from "../../../src/runtime/leader-election/leader-election.ts";
import { LEASE } from "../../../src/runtime/leader-election/lease.ts";
import { ShardLease } from "../../../src/runtime/sharding/shard-lease.ts";
import { SelfManaged } from "../../../src/runtime/webhook/certificates/self-managed.ts";
import {
  type CertificateSecret,
  SECRET,
} from "../../../src/runtime/webhook/certificates/targets.ts";
import { type CliResult, projectAfter, runCli } from "../support/run-cli.ts";
import { WaitingClock } from "../support/waiting-clock.ts";

const NAMESPACE: ResourceType = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
};
const KIND = ["--group", "web", "--version", "v1", "--kind", "Page"];
const WITH_WEBHOOKS = [
  ["create", "api", ...KIND],
  ["create", "webhook", ...KIND, "--defaulting"],
];
const IN = "shop-system";

describe("undeploy", () => {
  const clock = new WaitingClock();
  let cluster: ControlPlane;
  let someone: Client;
  let folder: string;

  beforeAll(async () => {
    cluster = await startControlPlane({ clock });
    someone = clientOf("someone");
  });
  afterAll(() => cluster.stop());

  const clientOf = (name: string): Client =>
    createClient(loadClusterConfig({ kubeconfigText: cluster.kubeconfig }), { name });
  const tsop = (...argv: string[]): Promise<CliResult> =>
    runCli(folder, [...argv, "--kubeconfig", join(folder, "kubeconfig")], { clock });

  async function deploy(): Promise<void> {
    folder = await projectAfter(WITH_WEBHOOKS);
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig);
    const deployed = await tsop("deploy", "--image", "shop:1", "--no-wait");
    expect(deployed.code).toBe(0);
  }

  /** Lets the runtime write as in a pod of the Deployment: a certificate, the lead, and a shard. */
  async function runOperator(operator = "shop", service = "shop-"): Promise<void> {
    const client = clientOf(operator);
    const parts = { client, clock: systemClock, log: silentLogger };
    const stop = new AbortController();
    const marks = { webhooks: [], conversions: [] };
    const certificates = { ...parts, namespace: IN, namePrefix: service, marks };
    await new SelfManaged(certificates).start(() => undefined, stop.signal);
    stop.abort();
    const identity = `${service}controller-manager-5d4f-x2x_1`;
    const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };
    const elector = new LeaderElector({
      ...parts,
      ...times,
      key: { namespace: IN, name: `${operator}.example.com` },
      identity,
      stuckAfterMs: 30_000,
      term: { endsAtMs: undefined },
      standsStillMs: () => 0,
    });
    await elector.acquire(new AbortController().signal);
    const shard = {
      ...parts,
      ...times,
      namespace: IN,
      id: "s",
      identity: `${service}controller-manager-a`,
    };
    await new ShardLease({ ...shard, term: { endsAtMs: undefined } }).publish(["a"], true);
  }

  const secret = (name: string, more: Partial<CertificateSecret["metadata"]> = {}) =>
    someone.create(SECRET, { metadata: { namespace: IN, name, ...more }, type: "Opaque" });
  const namesOf = async (resource: ResourceType): Promise<string[]> =>
    (await someone.live.list(resource, { namespace: IN }))
      .map(({ metadata }) => metadata.name)
      .sort();
  const namespaceIsThere = async (): Promise<boolean> =>
    (await someone.find(NAMESPACE, { name: IN })) !== undefined;

  it("deletes the Secret and the Leases of the operator, and so the namespace", async () => {
    await deploy();
    await runOperator();
    const labels = { "app.kubernetes.io/managed-by": "tsop" };
    const annotations = { "conversion.tsop.dev/crd": "pages.web.example.com" };
    await secret("conversion-key.pages.web.example.com", { labels, annotations });
    expect(await namesOf(SECRET)).toContain("shop-webhook-server-cert");
    const planned = await tsop("undeploy", "--dry-run");
    for (const line of [
      `to delete  secrets ${IN}/shop-webhook-server-cert: created by the operator`,
      `to delete  secrets ${IN}/conversion-key.pages.web.example.com: created by the operator`,
      `to delete  leases.coordination.k8s.io ${IN}/shop.example.com: created by the operator`,
      `to delete  leases.coordination.k8s.io ${IN}/s-shop-controller-manager-a: created by the operator`,
      `to delete  namespaces ${IN}\n`,
    ]) {
      expect(planned.out).toContain(line);
    }
    expect(await namesOf(SECRET)).toContain("shop-webhook-server-cert");
    const removed = await tsop("undeploy");
    expect([removed.code, removed.err]).toEqual([0, ""]);
    const order = [
      `deployments.apps ${IN}/shop-controller-manager`,
      `secrets ${IN}/shop-webhook-server-cert: created by the operator`,
      `services ${IN}/shop-webhook-service`,
      `namespaces ${IN}`,
    ].map((text) => removed.out.indexOf(`deleted    ${text}`));
    expect(order).toEqual([...order].sort((one, other) => one - other));
    expect(order[0]).toBeGreaterThan(0);
    expect(await namespaceIsThere()).toBe(false);
  });

  it("deletes them also where the namespace stays, and nothing that is not the operator's", async () => {
    await deploy();
    await runOperator();
    await runOperator("other", "other-");
    // A Lease of the version before.
    const lease = await someone.get(LEASE, { namespace: IN, name: "shop.example.com" });
    delete lease.metadata.labels;
    await someone.update(LEASE, lease);
    await secret("passwords");
    await secret("other-key", {
      labels: { "app.kubernetes.io/managed-by": "tsop" },
      annotations: { "conversion.tsop.dev/crd": "others.web.example.com" },
    });
    await secret("marked", { labels: { "app.kubernetes.io/managed-by": "tsop" } });
    await secret("annotated", {
      annotations: { "certificates.tsop.dev/service": "shop-webhook-service" },
    });
    await someone.create(LEASE, {
      metadata: {
        namespace: IN,
        name: "mine",
        labels: { "app.kubernetes.io/managed-by": "tsop" },
      },
      spec: { holderIdentity: "" },
    });
    const removed = await tsop("undeploy");
    expect([removed.code, removed.err]).toEqual([0, ""]);
    expect(removed.out).toContain(`kept       namespaces ${IN}: it contains objects`);
    expect(await namesOf(SECRET)).toEqual([
      "annotated",
      "marked",
      "other-key",
      "other-webhook-server-cert",
      "passwords",
    ]);
    expect(await namesOf(LEASE)).toEqual([
      "mine",
      "other.example.com",
      "s-other-controller-manager-a",
    ]);
    for (const name of await namesOf(SECRET)) await someone.delete(SECRET, { namespace: IN, name });
    // The run before has deleted everything else that tells whose the namespace is.
    await runOperator();
    expect((await tsop("undeploy")).out).toContain(`deleted    namespaces ${IN}`);
    expect(await namespaceIsThere()).toBe(false);
  });

  it("leaves a Lease that another process holds", async () => {
    await deploy();
    await secret("keeps-the-namespace");
    const spec = {
      holderIdentity: "laptop_1",
      leaseDurationSeconds: 15,
      renewTime: new Date(clock.now()).toISOString().replace("Z", "000Z"),
    };
    const held = { metadata: { namespace: IN, name: "shop.example.com" }, spec };
    await clientOf("shop").create(LEASE, held);
    await tsop("undeploy");
    expect(await namesOf(LEASE)).toEqual(["shop.example.com"]);
    await clock.sleep(120_000);
    await tsop("undeploy");
    expect(await namesOf(LEASE)).toEqual([]);
    await someone.delete(SECRET, { namespace: IN, name: "keeps-the-namespace" });
    await tsop("undeploy");
    expect(await namespaceIsThere()).toBe(false);
  });

  it("leaves the objects of an operator that another project deployed with the same names", async () => {
    await deploy();
    await runOperator();
    const project = join(folder, "PROJECT");
    writeFileSync(
      project,
      `layout: tsop/v1\nprojectName: shop\ndomain: other.example.org\nnamespaced: false\nresources: []\n`,
    );
    const foreign = await tsop("undeploy");
    expect(foreign.out).not.toContain("deleted ");
    expect(await namesOf(SECRET)).toEqual(["shop-webhook-server-cert"]);
    expect(await namesOf(LEASE)).toEqual(["s-shop-controller-manager-a", "shop.example.com"]);
  });
});
