/** The order and the words are those of kube-controller-manager 1.37.2. */
import { afterEach, describe, expect, it } from "vitest";
import type { Namespace } from "../../../src/controlplane/builtin/kinds/core/namespace.ts";
import { CONFIG_MAPS, NAMESPACES, PODS } from "../../../src/controlplane/builtin/tokens.ts";
import { type SimulatedCluster, simulatedCluster } from "./simulated-cluster.ts";

let cluster: SimulatedCluster | undefined;
afterEach(() => cluster?.stop());

const POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "order", name: "p", finalizers: ["example.com/hold"] },
  spec: { containers: [{ name: "c", image: "x" }] },
};

const configMap = (name: string, finalizers: string[] = []): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "order", name, finalizers },
});

/** The conditions of the namespace, in words. */
const conditionsOf = (namespace: Namespace | undefined): string[] =>
  (namespace?.status?.conditions ?? []).map(
    ({ type, status, reason = "", message = "" }) => `${type}=${status} ${reason}: ${message}`,
  );

const NO_PROBLEM = [
  "NamespaceDeletionDiscoveryFailure=False ResourcesDiscovered: All resources successfully discovered",
  "NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions: All legacy kube types successfully parsed",
  "NamespaceDeletionContentFailure=False ContentDeleted: All content successfully deleted, may be waiting on finalization",
  "NamespaceContentRemaining=False ContentRemoved: All content successfully removed",
  "NamespaceFinalizersRemaining=False ContentHasNoFinalizers: All content-preserving finalizers finished",
];

describe("A namespace that is deleted", () => {
  it("loses its pods first, then all other content, and tells what remains", async () => {
    const started = await simulatedCluster();
    cluster = started;
    const { client } = cluster;
    const settle = (): Promise<void> => started.settle();
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "order" } };
    await cluster.create("namespaces", namespace);
    await settle();
    await cluster.create("configmaps", configMap("plain"));
    await cluster.create("configmaps", configMap("held", ["example.com/keep"]));
    await cluster.create("pods", POD);
    await settle();
    await client.remove(NAMESPACES, { name: "order" });
    await settle();
    await cluster.clock.advance(60_000);
    const names = (): unknown[] =>
      client.list(CONFIG_MAPS, { namespace: "order" }).map(({ metadata }) => metadata.name);
    const find = (): Namespace | undefined => client.find(NAMESPACES, { name: "order" });
    expect(names()).toEqual(["held", "kube-root-ca.crt", "plain"]);
    expect(conditionsOf(find())).toEqual(NO_PROBLEM);

    const pod = { namespace: "order", name: "p" };
    await client.patch(PODS, pod, { metadata: { finalizers: null } });
    await settle();
    expect(client.find(PODS, pod)).toBeUndefined();
    expect(names()).toEqual(["held"]);
    expect(conditionsOf(find())).toEqual([
      ...NO_PROBLEM.slice(0, 3),
      "NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances",
      "NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/keep in 1 resource instances",
    ]);

    const seen: string[][] = [];
    const stop = client.subscribe(({ resource, object }) => {
      if (resource.plural === "namespaces") seen.push(conditionsOf(object));
    });
    const held = { namespace: "order", name: "held" };
    await client.patch(CONFIG_MAPS, held, { metadata: { finalizers: null } });
    await settle();
    stop();
    expect(find()).toBeUndefined();
    expect(seen[0]).toEqual(NO_PROBLEM);
  });
});
