import { createClient } from "../../src/runtime/client/create-client.ts";
import type { Client } from "../../src/runtime/client/client.ts";
import { loadClusterConfig } from "../../src/runtime/kubeconfig/load-config.ts";
import { Node, Pod, PriorityClass } from "../../src/k8s.ts";
import { mergePatch } from "../../src/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { Random } from "../../test/support/random.ts";
import { defineVerification, SEED } from "../programs/program.ts";
import { NODES, PRIORITY, PRIORITY_VALUE, namedNode, nodeStatus, pod } from "./scheduling/cases.ts";
import { decideHere } from "./scheduling/ours.ts";

const NAMESPACE = "default";
const AT_ONCE = { gracePeriodSeconds: 0 };
const RUNNING = 5;
const NEW = 6;

interface Decision {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly message?: string }[];
  };
}

/** The node of a pod, or the scheduler's message; which of equal nodes is preempted does not count. */
function wordsOf({ spec, status }: Decision): string {
  if (spec?.nodeName) return "has a node";
  const known = status?.conditions?.find(({ type }) => type === "PodScheduled");
  return (known?.message ?? "").replace(
    /placement for pod on node \S+, preempting \d+/,
    "placement",
  );
}

async function removeAll(client: Client): Promise<void> {
  for (const { metadata } of await client.list(Pod, { namespace: NAMESPACE })) {
    await client.delete(Pod, metadata, AT_ONCE);
  }
  for (const { metadata } of await client.list(Node)) await client.delete(Node, metadata);
}

/** Makes nodes, and pods that run on them. */
async function furnish(client: Client, random: Random): Promise<void> {
  for (const name of NODES) {
    await client.create(Node, namedNode(random, name) as Node);
    const status = nodeStatus(random);
    await client.subresource("status").patch(Node, { name }, mergePatch({ status }));
  }
  await eventually(async () => {
    const nodes = await client.list(Node);
    const taints = nodes.flatMap(({ spec }) => spec?.taints ?? []);
    if (taints.some(({ key }) => key.endsWith("/not-ready"))) throw new Error("not ready yet");
  });
  for (let index = 0; index < RUNNING; index++) {
    const running = pod(random, `e${index}`, random.pick(NODES));
    await client.create(Pod, {
      ...running,
      metadata: { ...running.metadata, namespace: NAMESPACE },
    } as Pod);
  }
}

export const program = defineVerification({
  about:
    "Has a real kube-scheduler and the simulated one decide about the same random pods, and compares the words.",
  compares: "decisions",
  needs: ["a real API server"],
  options: {
    count: { type: "number", default: 10, about: "clusters, with 6 decisions in each" },
    seed: SEED,
    kubeconfig: {
      type: "text",
      required: true,
      about:
        "of the real API server with controllers and scheduler, whose nodes and pods are deleted",
    },
  },
  run: async ({ values: { count, seed, kubeconfig }, tally }) => {
    const client = createClient(loadClusterConfig({ kubeconfig }));
    const random = new Random(seed);
    const classes = await client.list(PriorityClass);
    if (!classes.some(({ metadata }) => metadata.name === PRIORITY)) {
      await client.create(PriorityClass, { metadata: { name: PRIORITY }, value: PRIORITY_VALUE });
    }
    for (let cluster = 0; cluster < count; cluster++) {
      await removeAll(client);
      await furnish(client, random);
      for (let index = 0; index < NEW; index++) {
        const nodes = await client.list(Node);
        const placed = await client.list(Pod, { namespace: NAMESPACE });
        const wanted = pod(random, `t${index}`);
        const created = await client.create(Pod, {
          ...wanted,
          metadata: { ...wanted.metadata, namespace: NAMESPACE },
        } as Pod);
        const real = await eventually(async () => {
          const found = await client.get(Pod, created.metadata);
          if (wordsOf(found) === "") throw new Error("not decided yet");
          return wordsOf(found);
        });
        const here = await decideHere(nodes, placed, created);
        const ours = here ? wordsOf(here) : "is gone";
        tally.add(1, ours === real ? 1 : 0);
        if (ours !== real)
          console.log(`cluster ${cluster}, t${index}\n  real ${real}\n  ours ${ours}`);
        await client.delete(Pod, created.metadata, AT_ONCE);
      }
    }
  },
});
