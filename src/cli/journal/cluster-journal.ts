/** The journal of an operator that runs in a cluster, by a connection to each of its pods. */
import type { Clock } from "../../clock.ts";
import { TsopError } from "../../errors.ts";
import { Pod } from "../../generated/k8s/core-v1.ts";
import { formatKey, keyOf, type ManifestObject } from "../../kube/object.ts";
import type { Client } from "../../runtime/client/client.ts";
import { findOperatorDeployment } from "../project/operator-deployment.ts";
import { readJournal, type JournalPlace, type OperatorJournal } from "./journal-place.ts";

const FLAG = /^--debug-port=(\d+)$/;

/** The port of the journal, as the pod's operator was told; `undefined` where it keeps none. */
export function debugPortOf({ spec }: Pick<Pod, "spec">): number | undefined {
  const args = (spec?.containers ?? []).flatMap(({ args = [] }) => args);
  for (const [index, arg] of args.entries()) {
    const text = arg === "--debug-port" ? args[index + 1] : FLAG.exec(arg)?.[1];
    if (text !== undefined && /^\d+$/.test(text)) return Number(text);
  }
  return undefined;
}

/** The journals of an operator's processes. */
export interface FoundJournals {
  readonly places: readonly JournalPlace[];
}

/**
 * Finds the journal of each pod of a deployed operator.
 *
 * @param rendered - the project's manifests, with the operator's Deployment
 * @throws TsopError `no-journal-in-cluster`
 */
export async function findJournals(
  client: Pick<Client, "list" | "pods">,
  rendered: readonly ManifestObject[],
): Promise<FoundJournals> {
  const deployment = findOperatorDeployment(rendered);
  const namespace = deployment?.metadata.namespace ?? "default";
  const labels = deployment?.spec.selector.matchLabels ?? {};
  const pods = deployment ? await client.list(Pod, { namespace, labels }) : [];
  const running = pods.filter(({ status }) => status?.phase === "Running");
  const serving = running.flatMap((pod) => {
    const port = debugPortOf(pod);
    return port === undefined ? [] : [{ key: keyOf(pod), port }];
  });
  if (serving.length === 0) throw noneServes(namespace, running.length);
  const places = serving.map(({ key, port }) => ({
    url: `http://127.0.0.1:${port}`,
    pod: {
      name: formatKey(key),
      connect: (signal: AbortSignal) => client.pods.connect(key, port, { signal }),
    },
  }));
  return { places };
}

/**
 * The journals of the pods of a deployed operator.
 *
 * @param rendered - the project's manifests, with the operator's Deployment
 * @throws TsopError `no-journal-in-cluster`; as `readJournal`
 */
export async function clusterJournals(
  client: Pick<Client, "list" | "pods">,
  rendered: readonly ManifestObject[],
  clock: Clock,
): Promise<OperatorJournal[]> {
  const journals = await findJournals(client, rendered);
  return Promise.all(journals.places.map((place) => readJournal(place, clock)));
}

function noneServes(namespace: string, running: number): TsopError {
  return new TsopError(
    "no-journal-in-cluster",
    running === 0
      ? `No pod of the operator runs in the namespace ${namespace}.`
      : `The operator in the namespace ${namespace} was started without --debug-port, so it does not keep a journal.`,
    running === 0
      ? "Deploy it with `tsop deploy`, or name the cluster with --context."
      : "Add `--debug-port=8089` to the arguments in config/manager/manager.yaml and deploy it again; src/main.ts must pass it to createManager({ debug }).",
  );
}
