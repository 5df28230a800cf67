/** Label and field selectors as text: what `parseLabelSelector` and `parseFieldSelector` read. */
import { formatFieldError } from "../field-errors.ts";
import { selectorErrors } from "./selector-rules.ts";
import {
  EXPRESSION_OPERATORS,
  SelectorError,
  type FieldRequirement,
  type LabelRequirement,
  type LabelSelector,
} from "./selector.ts";

/**
 * The requirements of a selector as specs have it, for `matchesLabels` and `formatLabelSelector`.
 *
 * @example
 * const wanted = labelRequirements({ matchLabels: { app: "web" } });
 *
 * @throws SelectorError with the API server's message for an invalid selector
 */
export function labelRequirements(selector: LabelSelector): LabelRequirement[] {
  const errors = selectorErrors("selector", selector);
  if (errors.length > 0) throw new SelectorError(errors.map(formatFieldError).join("; "));
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return [
    ...Object.entries(matchLabels).map(([key, value]): LabelRequirement => ({
      key,
      operator: "=",
      values: [value],
    })),
    ...matchExpressions.map(({ key, operator, values = [] }): LabelRequirement => {
      return { key, operator: EXPRESSION_OPERATORS.get(operator) ?? "exists", values };
    }),
  ];
}

/**
 * A selector as text, sorted by its keys: for `ListOptions.labels`, a `status.selector` of the
 * scale subresource, a URL.
 *
 * @example
 * formatLabelSelector({ matchLabels: { app: "web" } }); // "app=web"
 *
 * @throws SelectorError for a selector that the API server would refuse
 */
export function formatLabelSelector(selector: LabelSelector | readonly LabelRequirement[]): string {
  const requirements = isRequirements(selector) ? selector : labelRequirements(selector);
  return [...requirements]
    .sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
    .map(formatRequirement)
    .join(",");
}

const isRequirements = (
  selector: LabelSelector | readonly LabelRequirement[],
): selector is readonly LabelRequirement[] => Array.isArray(selector);

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${[...values].sort().join(",")})`;
    case "gt":
      return `${key}>${values.join(",")}`;
    case "lt":
      return `${key}<${values.join(",")}`;
    case "=":
    case "==":
    case "!=":
      return `${key}${operator}${values.join(",")}`;
  }
}

/**
 * A field selector as text, with what it needs escaped.
 *
 * @example
 * const fields = formatFieldSelector([{ field: "spec.nodeName", operator: "=", value: "one" }]);
 */
export function formatFieldSelector(requirements: readonly FieldRequirement[]): string {
  return requirements
    .map(({ field, operator, value }) => field + operator + value.replaceAll(/[\\,=]/g, "\\$&"))
    .join(",");
}
