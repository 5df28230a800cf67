/**
 * The annotation with the time of the change that endpoints follow, by which the delay of a network
 * is measured.
 *
 * @see
 * https://kubernetes.io/docs/reference/labels-annotations-taints/#endpoints-kubernetes-io-last-change-trigger-time
 */
import type { ObjectMeta } from "../../../kube/object.ts";
import { matchesLabelSelector } from "../../../kube/selectors/selector.ts";
import type { Service } from "../../builtin/kinds/core/service/shape.ts";
import type { ControllerClient } from "../client.ts";
import { textOf } from "../keys.ts";
import { PODS } from "../../builtin/tokens.ts";
import { readySince } from "../pods/pods.ts";
import { msOf, timeOf } from "../../../kube/values/times.ts";

const ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time";

/** Remembers the times of the last changes of each Service's pods. */
export class TriggerTimes {
  readonly #client: ControllerClient;
  /** The times of pods by name, by Service. */
  readonly #known = new Map<string, ReadonlyMap<string, number>>();

  constructor(client: ControllerClient) {
    this.#client = client;
  }

  /** Forgets a deleted Service. */
  forget(key: string): void {
    this.#known.delete(key);
  }

  /**
   * The time of the first change since the last call, in milliseconds; `undefined` when no change
   * has a time.
   */
  since(service: Service): number | undefined {
    const { namespace = "", creationTimestamp } = service.metadata;
    const selector = { matchLabels: service.spec.selector ?? {} };
    const times = new Map(
      this.#client
        .list(PODS, { namespace })
        .filter(({ metadata }) => matchesLabelSelector(selector, metadata.labels))
        .map((pod) => [pod.metadata.name ?? "", readySince(pod)]),
    );
    const before = this.#known.get(textOf(service));
    this.#known.set(textOf(service), times);
    if (!before) return msOf(creationTimestamp);
    const changed = [...times].filter(([name, time]) => time > (before.get(name) ?? 0));
    return changed.length > 0 ? Math.min(...changed.map(([, time]) => time)) : undefined;
  }
}

/** The annotations with the time of the change, or without one when it is unknown. */
export function withTriggerTime(
  { annotations }: ObjectMeta,
  sinceMs: number | undefined,
): { annotations?: Readonly<Record<string, string>> } {
  const others = Object.entries(annotations ?? {}).filter(([name]) => name !== ANNOTATION);
  if (sinceMs !== undefined) others.push([ANNOTATION, timeOf(sinceMs)]);
  return others.length > 0 ? { annotations: Object.fromEntries(others) } : {};
}
