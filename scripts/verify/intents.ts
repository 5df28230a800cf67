import type { Named } from "../../test/contract/intents/judge.ts";
import { IntentJudge } from "../../test/contract/intents/judge.ts";
import { installGadgets, namedShapes, removeGadgets } from "../../test/contract/intents/shapes.ts";
import { connect } from "../../test/contract/targets.ts";
import { ownBases } from "../../test/controlplane/builtin/differential/bases.ts";
import { changesOf } from "../../test/contract/intents/foreign.ts";
import { donorsOf, mutate } from "../../test/controlplane/builtin/differential/mutations.ts";
import { Random } from "../../test/support/random.ts";
import { createClient, StatusError, TsopError, type Client } from "../../src/index.ts";
import type { SentObject } from "../../src/kube/object.ts";
import { defineVerification, SEED } from "../programs/program.ts";

/** The type of a Secret that a controller fills, or deletes. */
const TOKEN = "kubernetes.io/service-account-token";

const typeOf = (object: object): unknown => (object as { type?: unknown }).type;

/** Objects that stop others from being created, or in which controllers change what others wrote. */
const LEFT_OUT =
  /Webhook|AdmissionPolicy|APIService|CustomResourceDefinition|Namespace|Node$|FlowSchema|PriorityLevel|RuntimeClass|Event$|ResourceQuota|LimitRange|^Pod$|TokenReview|SubjectAccess|HorizontalPodAutoscaler/;

/** Objects of the built-in kinds that are in namespaces. */
async function namespacedBases(client: Client): Promise<SentObject[]> {
  const bases: SentObject[] = [];
  for (const base of ownBases()) {
    if (LEFT_OUT.test(base.kind)) continue;
    try {
      const { namespaced } = await client.dynamic(base.apiVersion, base.kind);
      if (namespaced) bases.push(base);
    } catch (error) {
      // Some kinds are served by newer or older API servers only.
      if (!(error instanceof TsopError)) throw error;
    }
  }
  return bases;
}

/** Intents of built-in kinds: objects with up to three random changes. */
function randomIntents(
  bases: readonly SentObject[],
  namespace: string,
  count: number,
  random: Random,
): Named[] {
  const donors = donorsOf(bases);
  return Array.from({ length: count }, (_, index) => {
    const { status: _status, ...base } = random.pick(bases) as SentObject & {
      status?: unknown;
    };
    const mutations = changesOf(base, donors);
    const changes = Array.from({ length: random.below(4) }, () => random.pick(mutations));
    const { metadata, ...rest } = mutate(base, changes);
    const name = `random-${index}`;
    return { ...rest, metadata: { ...metadata, namespace, name } };
  });
}

export const program = defineVerification({
  about:
    "Applies intents in many spellings until the server has them: none may be sent again, and what others change must come out as if each were sent.",
  compares: "applies",
  needs: [],
  options: {
    kubeconfig: { type: "text", about: "of a real API server; the embedded one when absent" },
    count: { type: "number", default: 300, about: "random intents, besides the listed ones" },
    rounds: { type: "number", default: 5, about: "rounds of random changes by others" },
    seed: SEED,
  },
  run: async ({ values: { kubeconfig, count, rounds, seed }, tally }) => {
    const random = new Random(seed);
    const target = await connect(kubeconfig);
    const [namespace] = target.namespaces;
    const gadgets = await installGadgets(target.client, target.run);
    const judge = new IntentJudge(target.config);
    try {
      const bases = await namespacedBases(target.client);
      const all = [
        ...namedShapes(namespace, gadgets).values(),
        ...randomIntents(bases, namespace, count, random),
      ].filter((intent) => typeOf(intent) !== TOKEN);
      await judge.start(all);
      const intents: Named[] = [];
      for (const intent of all) {
        try {
          await judge.apply(intent);
          intents.push(intent);
        } catch (error) {
          if (!(error instanceof StatusError)) throw error;
        }
      }
      await judge.settle();
      console.log(`${intents.length} of ${all.length} intents are valid`);
      for (const intent of intents) {
        const sent = (await judge.apply(intent)) + (await judge.apply(intent));
        tally.add(1, sent === 0 ? 1 : 0);
        if (sent > 0) console.log(`sent again: ${JSON.stringify(intent)}`);
      }
      const others = createClient(target.config, { warnings: "ignore" });
      for (let round = 0; round < rounds; round++) {
        const problems = await judge.round(intents, others, random);
        tally.add(intents.length, intents.length - problems.length);
        for (const problem of problems) console.log(problem);
      }
    } finally {
      await judge.end();
      await removeGadgets(target.client, target.run);
      await target.end();
    }
  },
});
