/**
 * When the change happened that endpoints follow: an annotation by which the delay of a network is measured.
 *
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/#endpoints-kubernetes-io-last-change-trigger-time
 * @module
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

/** Remembers, for each Service, since when its pods are as they are. */
export class TriggerTimes {
  readonly #client: ControllerClient;
  /** By Service: the time of each pod, by its name. */
  readonly #known = new Map<string, ReadonlyMap<string, number>>();

  constructor(client: ControllerClient) {
    this.#client = client;
  }

  /** Forgets a Service that is gone. */
  forget(key: string): void {
    this.#known.delete(key);
  }

  /** The first of the changes since the last look, in milliseconds; `undefined` when none has a time. */
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
