/** What is left of owners and dependents: the states are those that kube-controller-manager 1.36.3 left behind. */
import { afterEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { type ControlPlane, startControlPlane } from "../../../src/controlplane/control-plane.ts";
import { mergePatch } from "../../../src/index.ts";
import { ConfigMap } from "../../../src/k8s.ts";
import { clientFor } from "../../../src/testing.ts";

let cluster: ControlPlane | undefined;

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

const HOLD = "x.example.com/hold";
type Policy = "Background" | "Foreground" | "Orphan";

/** `b<a* c>` is b, owned by a, whose deletion it blocks, and by c; `+` has a finalizer, `?` names an owner that is not there. */
const CASES: readonly [what: string, objects: string, policy: Policy | "", left: string][] = [
  ["a circle, in the background", "a<c> b<a> c<b>", "Background", ""],
  ["a circle that blocks, in the background", "a<c*> b<a*> c<b*>", "Background", ""],
  ["a circle, in the foreground", "a<c> b<a> c<b>", "Foreground", ""],
  ["a circle that blocks, in the foreground", "a<c*> b<a*> c<b*>", "Foreground", ""],
  ["a circle whose dependents stay", "a<c*> b<a*> c<b*>", "Orphan", "b c<b*>"],
  ["two that own each other", "a<b*> b<a*>", "Foreground", ""],
  ["one that owns itself", "a<a*>", "Foreground", "a!<a*>{foregroundDeletion}"],
  ["an owner that is not there", "b<?>", "", ""],
  ["one of two owners that is not there", "a b<a ?>", "", "a b<a>"],
  [
    "a dependent that blocks and is held",
    "a b+<a*>",
    "Foreground",
    `a!{foregroundDeletion} b!<a*>{${HOLD}}`,
  ],
  ["a dependent that is held and does not block", "a b+<a>", "Foreground", `b!<a>{${HOLD}}`],
  ["one of two owners, in the foreground", "a o b<a* o*>", "Foreground", "b<o*> o"],
  ["one of two owners, in the background", "a o b<a* o*>", "Background", "b<o*> o"],
  ["dependents that stay", "a b<a*> c<a>", "Orphan", "b c"],
  ["dependents of what stays", "a b<a> c<b>", "Orphan", "b c<b>"],
  [
    "a chain that is held at its end",
    "a b<a*> c+<b*>",
    "Foreground",
    `a!{foregroundDeletion} b!<a*>{foregroundDeletion} c!<b*>{${HOLD}}`,
  ],
  ["an owner that is held", "a+ b<a*>", "Background", `a!{${HOLD}} b<a*>`],
];

describe("the garbage collector leaves of a deleted owner what the real one leaves:", () => {
  it.each(CASES)("%s", async (_what, objects, policy, left) => {
    const clock = new VirtualClock();
    cluster = await startControlPlane({ clock });
    const client = clientFor(cluster);
    await cluster.settle();
    const namespace = "default";
    const uids = new Map([["?", "11111111-1111-1111-1111-111111111111"]]);
    const parts = [...objects.matchAll(/(\w)(\+?)(?:<(.*?)>)?(?= |$)/g)];
    const owners = parts.map(([, name = "", , list = ""]) => ({ name, list }));
    for (const [, name = "", held] of parts) {
      const metadata = { name, namespace, finalizers: held ? [HOLD] : [] };
      const made = await client.create(ConfigMap, { metadata });
      uids.set(name, made.metadata.uid);
    }
    for (const { name, list } of owners) {
      if (list === "") continue;
      const ownerReferences = list.split(" ").map((text) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: text.replace("*", ""),
        uid: uids.get(text.replace("*", "")) ?? "",
        ...(text.endsWith("*") ? { blockOwnerDeletion: true } : {}),
      }));
      const patch = mergePatch({ metadata: { ownerReferences } });
      await client.patch(ConfigMap, { name, namespace }, patch);
    }
    await cluster.settle();
    const [first] = owners;
    if (policy !== "") {
      const key = { name: first?.name ?? "", namespace };
      await client.delete(ConfigMap, key, { propagationPolicy: policy });
    }
    for (let seconds = 0; seconds < 60; seconds += 10) {
      await cluster.settle();
      await clock.advance(10_000);
    }
    await cluster.settle();
    const shown = cluster
      .objects("configmaps", namespace)
      .filter(({ metadata }) => metadata.name !== "kube-root-ca.crt")
      .map(({ metadata }) => {
        const { name, deletionTimestamp, finalizers = [], ownerReferences = [] } = metadata;
        const refs = ownerReferences.map((one) => one.name + (one.blockOwnerDeletion ? "*" : ""));
        return [
          name,
          deletionTimestamp ? "!" : "",
          refs.length > 0 ? `<${refs.join(" ")}>` : "",
          finalizers.length > 0 ? `{${finalizers.join(" ")}}` : "",
        ].join("");
      });
    expect(shown.sort().join(" ")).toBe(left);
  });
});
