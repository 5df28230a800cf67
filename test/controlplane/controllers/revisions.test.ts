/** Names and bytes are those that Kubernetes 1.37.2 gave to the same sets. */
import { afterEach, describe, expect, it } from "vitest";
import { type SimulatedCluster, simulatedCluster, template } from "./simulated-cluster.ts";
import { encode } from "../../../src/controlplane/views/encode.ts";
import type { SentObject } from "../../../src/kube/object.ts";

let cluster: SimulatedCluster | undefined;
afterEach(() => cluster?.stop());

const set = (kind: string, container: object = {}): object => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "rev", namespace: "default", annotations: { note: "mine" } },
  spec: {
    selector: { matchLabels: { a: "rev" } },
    template: {
      metadata: { labels: { a: "rev" } },
      spec: {
        containers: [
          {
            name: "c",
            image: "a",
            ports: [{ containerPort: 9376 }],
            securityContext: {},
            env: [{ name: "V", value: "1" }],
            ...container,
          },
        ],
      },
    },
  },
});

const DATA =
  '"data":{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"a":"rev"}},"spec":{"containers":[{"env":[{"name":"V","value":"1"}],"image":"a","imagePullPolicy":"Always","name":"c","ports":[{"containerPort":9376,"protocol":"TCP"}],"resources":{},"securityContext":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}}}},"revision":1';

type Revision = SentObject & { readonly revision: number };

const revisionsIn = (found: SimulatedCluster): readonly Revision[] =>
  found.list("controllerrevisions.apps") as unknown as readonly Revision[];

describe("A ControllerRevision", () => {
  it("has the bytes, the name and the annotations of upstream's", async () => {
    cluster = await simulatedCluster();
    await cluster.create("statefulsets.apps", set("StatefulSet"));
    await cluster.create("daemonsets.apps", set("DaemonSet"));
    await cluster.settle();
    const revisions = revisionsIn(cluster);
    expect(revisions).toHaveLength(2);
    for (const revision of revisions) {
      expect(encode(revision, "application/json")).toContain(DATA);
      expect(revision.metadata.annotations).toMatchObject({ note: "mine" });
    }
    const ofStatefulSet = revisions.find(
      ({ metadata }) => metadata.ownerReferences?.[0]?.kind === "StatefulSet",
    );
    expect(ofStatefulSet?.metadata).toMatchObject({
      name: "rev-56d6f99677",
      labels: { "controller.kubernetes.io/hash": "56d6f99677" },
    });
  });

  it("escapes what has a meaning in HTML, as Go does", async () => {
    cluster = await simulatedCluster();
    await cluster.create("daemonsets.apps", set("DaemonSet", { args: ["a && b < c"] }));
    await cluster.settle();
    const [revision] = revisionsIn(cluster);
    expect(encode(revision ?? {}, "application/json")).toContain(
      String.raw`"args":["a \u0026\u0026 b \u003c c"]`,
    );
  });

  it("gets another name when that of its hash is taken", async () => {
    cluster = await simulatedCluster("no-kubelet");
    await cluster.create("controllerrevisions.apps", {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: { name: "rev-56d6f99677", namespace: "default" },
      data: {},
      revision: 1,
    });
    await cluster.create("statefulsets.apps", set("StatefulSet"));
    await cluster.settle();
    expect(cluster.get("statefulsets.apps", "rev").status).toMatchObject({ collisionCount: 1 });
    expect(revisionsIn(cluster)).toHaveLength(2);
  });

  it("counts on beyond 2^53", async () => {
    cluster = await simulatedCluster("no-kubelet");
    const large = "3546343826724305832";
    const owned = { labels: { t: "rev" }, namespace: "default" };
    const pod = (image: string, labels: object): object => ({
      ...template("x", { containers: [{ name: "c", image }] }),
      metadata: { labels },
    });
    const labels = { t: "rev", pod: "x" };
    await cluster.create("replicasets.apps", {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        name: "old",
        ...owned,
        annotations: { "deployment.kubernetes.io/revision": large },
      },
      spec: { replicas: 0, selector: { matchLabels: labels }, template: pod("a", labels) },
    });
    await cluster.create("deployments.apps", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d", ...owned },
      spec: {
        replicas: 0,
        selector: { matchLabels: { t: "rev" } },
        template: pod("b", { t: "rev" }),
      },
    });
    await cluster.settle();
    expect(cluster.get("deployments.apps", "d").metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/revision": "3546343826724305833",
    });
  });
});
