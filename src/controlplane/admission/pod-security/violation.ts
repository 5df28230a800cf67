/** What is wrong with a pod by the Pod Security Standards: where it was found, and its words. */
import type {
  Container,
  EphemeralContainer,
  PodSecurityContext,
  PodSpec,
  SecurityContext,
} from "../../../generated/k8s/core-v1.ts";
import type { ObjectMeta } from "../../../kube/object.ts";

/** A pod, or a pod template, which may lack its containers. */
export interface CheckedPod {
  readonly metadata?: ObjectMeta;
  readonly spec: Omit<PodSpec, "containers"> & { containers?: Container[] | null };
}

export type CheckedContainer = Container | EphemeralContainer;

/** The violation of one check by a pod. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** A check of a pod, by the rules of a minor version; `undefined` when the pod passes. */
export type Check = (pod: CheckedPod, minor: number) => Violation | undefined;

/** Values that a check forbids, and who has them. */
interface Findings<T> {
  /** `pod and container "a"` */
  readonly who: string;
  /** The names of the containers among them. */
  readonly names: readonly string[];
  readonly values: readonly T[];
}

/** All containers, in the order in which they start. */
export const containersOf = ({ spec }: CheckedPod): readonly CheckedContainer[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...(spec.ephemeralContainers ?? []),
];

type Find<T> = (pod: CheckedPod) => Findings<T> | undefined;

/** Finds the forbidden values of containers; `ofPod` gives those of the pod itself. */
export const inContainers =
  <T>(
    valuesOf: (container: CheckedContainer) => readonly T[],
    ofPod: (pod: CheckedPod) => readonly T[] = () => [],
  ): Find<T> =>
  (pod) => {
    const own = ofPod(pod);
    const bad = containersOf(pod).filter((container) => valuesOf(container).length > 0);
    const values = [...own, ...bad.flatMap(valuesOf)];
    if (values.length === 0) return undefined;
    const names = bad.map(({ name }) => name);
    const who = own.length > 0 ? ["pod"] : [];
    if (names.length > 0) who.push(counted("container", names));
    return { who: who.join(" and "), names, values };
  };

/** Finds the forbidden values of the security contexts of the pod and of its containers. */
export const inContexts = <T>(
  valuesOf: (context: PodSecurityContext | SecurityContext) => readonly T[],
): Find<T> =>
  inContainers(
    ({ securityContext = {} }) => valuesOf(securityContext),
    ({ spec }) => valuesOf(spec.securityContext ?? {}),
  );

/** A check that is violated where values are found; `detail` tells of them. */
export const check =
  <T>(reason: string, find: Find<T>, detail: (bad: Findings<T>) => string): Check =>
  (pod) => {
    const bad = find(pod);
    return bad && { reason, detail: detail(bad) };
  };

/** `"a", "b"` */
export const quoted = (items: readonly string[]): string =>
  items.map((item) => `"${item}"`).join(", ");

/** The noun, in the plural unless there is one of it. */
export const plural = (noun: string, count: number): string => (count === 1 ? noun : `${noun}s`);

/** The verb for as many subjects. */
export const use = (count: number): string => (count === 1 ? "uses" : "use");

/** `container "a"`, `containers "a", "b"` */
export const counted = (noun: string, names: readonly string[]): string =>
  `${plural(noun, names.length)} ${quoted(names)}`;

/** The items in order, each once. */
export const sorted = (items: readonly string[]): readonly string[] => [...new Set(items)].sort();

/** All violations with their details. */
export const showDetails = (violations: readonly Violation[]): string =>
  violations
    .map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`))
    .join(", ");
