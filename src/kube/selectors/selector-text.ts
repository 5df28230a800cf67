/** Label selectors as events, conditions and tables print them. */
import type { LabelSelector } from "./selector.ts";

/** A selector as Go prints it. */
export function selectorText(selector: LabelSelector | undefined): string {
  if (!selector) return "nil";
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}: ${value},`);
  const demands = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${demands.join("")}},}`;
}
