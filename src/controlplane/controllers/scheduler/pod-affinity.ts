/**
 * Affinity between pods: which nodes the pods that run already allow for another one.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity
 */
import { matchesLabelSelector } from "../../../kube/selectors/selector.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PodTerm } from "../../builtin/shared/pods/pod-shapes.ts";
import { NAMESPACES } from "../../builtin/tokens.ts";
import type { ControllerClient } from "../framework/client.ts";
import type { NodeInfo } from "./node-info.ts";

/** The verdict on a node. */
export type AffinityProblem = "affinity" | "anti-affinity" | "existing anti-affinity";

/** The part of a topology: a label of nodes and its value. */
const domainOf = ({ metadata }: Node, key: string): string | undefined => {
  const value = metadata.labels?.[key];
  return value === undefined ? undefined : `${key}=${value}`;
};

const requiredTerms = ({ spec }: Pod): readonly PodTerm[] =>
  spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

const requiredAntiTerms = ({ spec }: Pod): readonly PodTerm[] =>
  spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

/** Whether a term of `owner` selects `other`. */
function selects(
  client: ControllerClient,
  owner: Pod,
  { namespaces = [], namespaceSelector, labelSelector }: PodTerm,
  other: Pod,
): boolean {
  if (!matchesLabelSelector(labelSelector, other.metadata.labels)) return false;
  const { namespace = "" } = other.metadata;
  if (namespaces.length === 0 && !namespaceSelector) return namespace === owner.metadata.namespace;
  if (namespaces.includes(namespace)) return true;
  const { labels } = client.find(NAMESPACES, { name: namespace })?.metadata ?? {};
  return matchesLabelSelector(namespaceSelector, labels);
}

/** The nodes that required terms, of a pod and of the pods that run, allow it. */
export class PodAffinity {
  readonly #affine: readonly PodTerm[];
  readonly #mayBeFirst: boolean;
  /** The domains in which a pod has all terms of the affinity. */
  readonly #wanted = new Set<string>();
  readonly #avoided = new Set<string>();
  readonly #closed = new Set<string>();

  constructor(client: ControllerClient, pod: Pod, nodes: readonly NodeInfo[]) {
    this.#affine = requiredTerms(pod);
    const avoided = requiredAntiTerms(pod);
    const hasAll = (other: Pod): boolean =>
      this.#affine.every((term) => selects(client, pod, term, other));
    for (const { node, pods } of nodes) {
      const add = (domains: Set<string>, { topologyKey }: PodTerm): void => {
        const domain = domainOf(node, topologyKey);
        if (domain !== undefined) domains.add(domain);
      };
      for (const other of pods) {
        if (this.#affine.length > 0 && hasAll(other)) {
          for (const term of this.#affine) add(this.#wanted, term);
        }
        for (const term of avoided) {
          if (selects(client, pod, term, other)) add(this.#avoided, term);
        }
        for (const term of requiredAntiTerms(other)) {
          if (selects(client, other, term, pod)) add(this.#closed, term);
        }
      }
    }
    this.#mayBeFirst = hasAll(pod);
  }

  problemOf({ node }: NodeInfo): AffinityProblem | undefined {
    if (!this.#isWanted(node)) return "affinity";
    const labels = Object.keys(node.metadata.labels ?? {});
    const isIn = (domains: ReadonlySet<string>): boolean =>
      domains.size > 0 && labels.some((key) => domains.has(domainOf(node, key) ?? ""));
    if (isIn(this.#avoided)) return "anti-affinity";
    return isIn(this.#closed) ? "existing anti-affinity" : undefined;
  }

  #isWanted(node: Node): boolean {
    const domains = this.#affine.map(({ topologyKey }) => domainOf(node, topologyKey));
    if (domains.includes(undefined)) return false;
    if (domains.every((domain) => this.#wanted.has(domain ?? ""))) return true;
    // The first pod of a group whose pods want to be together.
    return this.#wanted.size === 0 && this.#mayBeFirst;
  }
}

/** How much the pods on a node, and in its domains, speak for it by the preferred terms of the pod. */
export function affinityScores(
  client: ControllerClient,
  pod: Pod,
  nodes: readonly NodeInfo[],
): ReadonlyMap<NodeInfo, number> {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const weights = new Map<string, number>();
  const weigh = (sign: number, preferred: typeof podAffinity): void => {
    for (const one of preferred?.preferredDuringSchedulingIgnoredDuringExecution ?? []) {
      const { weight, podAffinityTerm: term } = one;
      for (const { node, pods } of nodes) {
        const domain = domainOf(node, term.topologyKey);
        if (domain === undefined) continue;
        const count = pods.filter((other) => selects(client, pod, term, other)).length;
        if (count > 0) weights.set(domain, (weights.get(domain) ?? 0) + sign * weight * count);
      }
    }
  };
  weigh(1, podAffinity);
  weigh(-1, podAntiAffinity);
  const scoreOf = ({ node }: NodeInfo): number =>
    Object.keys(node.metadata.labels ?? {}).reduce(
      (sum, key) => sum + (weights.get(domainOf(node, key) ?? "") ?? 0),
      0,
    );
  return new Map(nodes.map((info) => [info, scoreOf(info)]));
}
