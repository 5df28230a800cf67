/** The journal of an operator that runs in a cluster, by a forwarded port of each of its pods. */
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

/** The journals of an operator's pods, as long as their ports are forwarded. */
export interface ForwardedJournals {
  readonly places: readonly JournalPlace[];
  close(): Promise<void>;
}

/**
 * Forwards the port of the journal of each pod of a deployed operator.
 *
 * @param rendered - the project's manifests, with the operator's Deployment
 * @throws TsopError `no-journal-in-cluster`
 */
export async function forwardJournals(
  client: Pick<Client, "list" | "pods">,
  rendered: readonly ManifestObject[],
): Promise<ForwardedJournals> {
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
  const failures = new Map<string, Error>();
  const opened = await Promise.allSettled(
    serving.map(async ({ key, port }) => {
      const name = formatKey(key);
      const onError = (error: Error): void => void failures.set(name, error);
      const forward = await client.pods.portForward(key, port, { onError });
      return { ...forward, name };
    }),
  );
  const forwards = opened.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const close = async (): Promise<void> => {
    await Promise.all(forwards.map((forward) => forward.close()));
  };
  const failed = opened.find((one) => one.status === "rejected");
  if (failed) {
    await close();
    throw failed.reason;
  }
  const places = forwards.map(({ port, name }) => ({
    url: `http://127.0.0.1:${port}`,
    pod: { name, failure: () => failures.get(name) },
  }));
  return { places, close };
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
  const journals = await forwardJournals(client, rendered);
  try {
    return await Promise.all(journals.places.map((place) => readJournal(place, clock)));
  } finally {
    await journals.close();
  }
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
