/**
 * The selectors of access reviews, for objects to list, watch or delete.
 *
 * @see
 * https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/subject-access-review-v1/
 */
import type {
  FieldSelectorAttributes,
  ResourceAttributes,
} from "../../../generated/k8s/authorization-v1.ts";
import type { FieldSelectorRequirement } from "../../../generated/k8s/meta-v1.ts";
import type { Check } from "../../../kube/check.ts";
import {
  parseFieldSelector,
  parseLabelSelector,
  SelectorError,
} from "../../../kube/selectors/selector.ts";
import {
  isOperator,
  labelErrors,
  valueCountErrors,
} from "../../../kube/selectors/selector-rules.ts";

/** The selectors in the attributes of a resource. */
export type ReviewSelectors = Pick<ResourceAttributes, "fieldSelector" | "labelSelector">;

type Selector = FieldSelectorAttributes;
/** A requirement as it was sent, not validated yet. */
type Requirement = Partial<FieldSelectorRequirement>;

const AT = "spec.resourceAttributes";

/** Checks the selectors. Unknown operators are accepted: they may be those of a newer client. */
export function checkSelectors(attributes: Check<ReviewSelectors>): void {
  checkSelector(attributes.at("fieldSelector"), (requirement) => {
    requirement.at("key").given("must be specified");
    requirement.by(valueCountErrors);
  });
  checkSelector(attributes.at("labelSelector"), (requirement) => {
    requirement.by(valueCountErrors);
    requirement.by(labelErrors);
  });
}

function checkSelector(
  selector: Check<Selector | undefined>,
  check: (requirement: Check<FieldSelectorRequirement>) => void,
): void {
  if (!selector.value) return;
  const { rawSelector = "", requirements = [] } = selector.value;
  if (rawSelector !== "" && requirements.length > 0) {
    selector.at("rawSelector").invalid("may not specified at the same time as requirements");
  }
  const wanted = selector.at("requirements");
  if (rawSelector === "" && requirements.length === 0) {
    wanted.required(`when ${selector.field} is specified, requirements or rawSelector is required`);
  }
  wanted.each(check);
}

/**
 * The message about the parts of selectors that an authorizer cannot consider; empty when there are
 * none.
 */
export function ignoredSelectors({ fieldSelector, labelSelector }: ReviewSelectors): string {
  const ignored = [
    ignoredPart("fieldSelector", fieldSelector, parseFieldSelector, isFieldRequirement),
    ignoredPart("labelSelector", labelSelector, parseLabelSelector, isLabelRequirement),
  ];
  return ignored.filter((text) => text !== "").join("; ");
}

function ignoredPart(
  name: string,
  { rawSelector = "", requirements = [] }: Selector = {},
  parse: (text: string) => unknown,
  isKnown: (requirement: Requirement) => boolean,
): string {
  const known = requirements.filter(isKnown).length;
  if (known === requirements.length && isReadable(rawSelector, parse)) return "";
  const extent = known > 0 ? "partially ignored" : "ignored";
  return `${AT}.${name} ${extent} due to parse error`;
}

function isReadable(text: string, parse: (text: string) => unknown): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

/** Whether a requirement of a field is valid: it has one value. */
const isFieldRequirement = ({ operator, values = [] }: Requirement): boolean =>
  (operator === "In" || operator === "NotIn") && values.length === 1;

const isLabelRequirement = ({ operator = "" }: Requirement): boolean => isOperator(operator);

/** The field selector as the parameter of a list, without the parts that have no such form. */
export function fieldSelectorText({ fieldSelector = {} }: ReviewSelectors): string {
  const { rawSelector = "", requirements = [] } = fieldSelector;
  const known: readonly Requirement[] = requirements.filter(isFieldRequirement);
  if (known.length === 0) return rawSelector;
  return known
    .map(({ key = "", operator, values: [value = ""] = [] }) =>
      [key, operator === "In" ? "=" : "!=", value].join(""),
    )
    .join(",");
}
