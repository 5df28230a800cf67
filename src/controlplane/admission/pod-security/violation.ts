/** The words of violations. */
import { type CheckedContainer, type CheckedPod, containersOf } from "./pod-shape.ts";

/** The violation of one check by a pod. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** `"a", "b"` */
export const quoted = (items: Iterable<string>): string =>
  [...items].map((item) => `"${item}"`).join(", ");

/** `container "a"`, `containers "a", "b"` */
export const counted = (noun: string, names: readonly string[]): string =>
  `${noun}${names.length === 1 ? "" : "s"} ${quoted(names)}`;

/** `one` for a count of one, else `many`. */
export const plural = (one: string, many: string, count: number): string =>
  count === 1 ? one : many;

/** The items in order, each once. */
export const sorted = (items: Iterable<string>): readonly string[] => [...new Set(items)].sort();

/** The names of containers. */
export const namesOf = (containers: readonly CheckedContainer[]): string[] =>
  containers.map(({ name }) => name);

/** The violation by the containers that a check finds; `detail` is the text behind their names. */
export function violationBy(
  { spec }: CheckedPod,
  isBad: (container: CheckedContainer) => unknown,
  reason: string,
  detail: (bad: readonly CheckedContainer[]) => string,
): Violation | undefined {
  const bad = containersOf(spec).filter(isBad);
  if (bad.length === 0) return undefined;
  return { reason, detail: `${counted("container", namesOf(bad))} ${detail(bad)}` };
}

/** `pod and container "a"` */
export function setters(isPod: boolean, containers: readonly string[]): string {
  const parts = isPod ? ["pod"] : [];
  if (containers.length > 0) parts.push(counted("container", containers));
  return parts.join(" and ");
}

/** All violations with their details. */
export const showDetails = (violations: readonly Violation[]): string =>
  violations
    .map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`))
    .join(", ");

/** All violations without their details. */
export const showReasons = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(", ");
