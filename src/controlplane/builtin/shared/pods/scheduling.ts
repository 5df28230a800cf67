/**
 * Validation of the scheduling constraints of pods: node selectors, affinity, spreading,
 * tolerations.
 */
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  qualifiedNameErrors,
} from "../../../../kube/names.ts";
import { selectorErrors } from "../../../../kube/selectors/selector-rules.ts";
import { oneOf } from "../checks.ts";
import type { LabelSelector } from "../shapes.ts";
import type {
  Affinity,
  NodeRequirement,
  NodeSelector,
  NodeTerm,
  PodAffinity,
  PodSpec,
  PodTerm,
  SpreadConstraint,
  Toleration,
} from "./shapes.ts";

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

export const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function nodeSelectorErrors(field: string, selector: NodeSelector): FieldError[] {
  const at = `${field}.nodeSelectorTerms`;
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0) return [required(at, "must have at least one node selector term")];
  return terms.flatMap((term, index) => nodeTermErrors(`${at}[${index}]`, term));
}

function nodeTermErrors(at: string, term: NodeTerm): FieldError[] {
  const { matchExpressions = [], matchFields = [] } = term;
  return [
    ...matchExpressions.flatMap((requirement, index) =>
      expressionErrors(`${at}.matchExpressions[${index}]`, requirement),
    ),
    ...matchFields.flatMap((requirement, index) =>
      fieldRequirementErrors(`${at}.matchFields[${index}]`, requirement),
    ),
  ];
}

function expressionErrors(
  at: string,
  { key, operator, values = [] }: NodeRequirement,
): FieldError[] {
  const errors: FieldError[] = [];
  const field = `${at}.values`;
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      errors.push(required(field, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      errors.push(
        forbidden(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
    }
  } else if (operator === "Gt" || operator === "Lt") {
    if (values.length !== 1) {
      errors.push(
        required(field, "must be specified single value when `operator` is 'Lt' or 'Gt'"),
      );
    }
  } else errors.push(invalidValue(`${at}.operator`, operator, "not a valid selector operator"));
  return [
    ...errors,
    ...nameErrorsAt(`${at}.key`, key, qualifiedNameErrors),
    ...values.flatMap((value, index) =>
      nameErrorsAt(`${field}[${index}]`, value, labelValueErrors),
    ),
  ];
}

function fieldRequirementErrors(
  at: string,
  { key, operator, values = [] }: NodeRequirement,
): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn") {
    errors.push(invalidValue(`${at}.operator`, operator, "not a valid selector operator"));
  } else if (values.length !== 1) {
    errors.push(
      required(
        `${at}.values`,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      ),
    );
  }
  if (key !== "metadata.name") {
    return [...errors, invalidValue(`${at}.key`, key, "not a valid field selector key")];
  }
  return [
    ...errors,
    ...values.flatMap((value, index) =>
      nameErrorsAt(`${at}.values[${index}]`, value, dns1123SubdomainErrors),
    ),
  ];
}

const weightErrors = (field: string, weight: number): FieldError[] =>
  weight <= 0 || weight > 100 ? [invalidValue(field, weight, "must be in the range 1-100")] : [];

export function affinityErrors(field: string, affinity: Affinity | undefined): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  const errors: FieldError[] = [];
  const wanted = nodeAffinity?.[REQUIRED];
  if (wanted) errors.push(...nodeSelectorErrors(`${field}.nodeAffinity.${REQUIRED}`, wanted));
  for (const [index, { weight, preference }] of (nodeAffinity?.[PREFERRED] ?? []).entries()) {
    const at = `${field}.nodeAffinity.${PREFERRED}[${index}]`;
    errors.push(...weightErrors(`${at}.weight`, weight));
    errors.push(...nodeTermErrors(`${at}.preference`, preference));
  }
  return [
    ...errors,
    ...podAffinityErrors(`${field}.podAffinity`, podAffinity),
    ...podAffinityErrors(`${field}.podAntiAffinity`, podAntiAffinity),
  ];
}

function podAffinityErrors(field: string, affinity: PodAffinity | undefined): FieldError[] {
  const wanted = affinity?.[REQUIRED] ?? [];
  const preferred = affinity?.[PREFERRED] ?? [];
  return [
    ...wanted.flatMap((term, index) => podTermErrors(`${field}.${REQUIRED}[${index}]`, term)),
    ...preferred.flatMap(({ weight, podAffinityTerm }, index) => {
      const at = `${field}.${PREFERRED}[${index}]`;
      return [
        ...weightErrors(`${at}.weight`, weight),
        ...podTermErrors(`${at}.podAffinityTerm`, podAffinityTerm),
      ];
    }),
  ];
}

function podTermErrors(at: string, term: PodTerm): FieldError[] {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey } = term;
  return [
    ...(labelSelector ? selectorErrors(`${at}.labelSelector`, labelSelector) : []),
    ...(namespaceSelector ? selectorErrors(`${at}.namespaceSelector`, namespaceSelector) : []),
    ...namespaces.flatMap((name) => nameErrorsAt(`${at}.namespace`, name, dns1123LabelErrors)),
    ...labelKeyErrors(at, term.matchLabelKeys, term.mismatchLabelKeys, labelSelector),
    ...(topologyKey === "" ? [required(`${at}.topologyKey`, "can not be empty")] : []),
    ...nameErrorsAt(`${at}.topologyKey`, topologyKey, qualifiedNameErrors),
  ];
}

function labelKeyErrors(
  at: string,
  matching: readonly string[] = [],
  mismatching: readonly string[] = [],
  selector: LabelSelector | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [part, keys] of [
    ["matchLabelKeys", matching],
    ["mismatchLabelKeys", mismatching],
  ] as const) {
    if (keys.length > 0 && !selector) {
      errors.push(
        forbidden(`${at}.${part}`, "must not be specified when labelSelector is not set"),
      );
    }
    for (const [index, key] of keys.entries()) {
      errors.push(...nameErrorsAt(`${at}.${part}[${index}]`, key, qualifiedNameErrors));
    }
  }
  const labelled = new Set(Object.keys(selector?.matchLabels ?? {}));
  for (const { key } of selector?.matchExpressions ?? []) {
    const index = matching.indexOf(key);
    if (index >= 0 && labelled.has(key)) {
      errors.push(
        invalidValue(`${at}[${index}]`, key, "exists in both matchLabelKeys and labelSelector"),
      );
    }
    labelled.add(key);
  }
  for (const [index, key] of matching.entries()) {
    if (!mismatching.includes(key)) continue;
    const detail = "exists in both matchLabelKeys and mismatchLabelKeys";
    errors.push(invalidValue(`${at}.matchLabelKeys[${index}]`, key, detail));
  }
  return errors;
}

export function spreadErrors(
  field: string,
  constraints: readonly SpreadConstraint[] = [],
): FieldError[] {
  return constraints.flatMap((constraint, index) => {
    const at = `${field}[${index}]`;
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains, labelSelector } = constraint;
    const errors: FieldError[] = [];
    if (maxSkew <= 0) {
      errors.push(invalidValue(`${at}.maxSkew`, maxSkew, "must be greater than zero"));
    }
    if (topologyKey === "") errors.push(required(`${at}.topologyKey`, "can not be empty"));
    errors.push(
      ...oneOf(`${at}.whenUnsatisfiable`, whenUnsatisfiable, ["DoNotSchedule", "ScheduleAnyway"]),
    );
    const repeated = constraints
      .slice(index + 1)
      .some(
        (other) =>
          other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable,
      );
    if (repeated) {
      errors.push(
        duplicate(
          `${at}.{topologyKey, whenUnsatisfiable}`,
          `{${topologyKey}, ${whenUnsatisfiable}}`,
        ),
      );
    }
    errors.push(...minDomainsErrors(`${at}.minDomains`, minDomains, whenUnsatisfiable));
    for (const part of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
      const policy = constraint[part];
      if (policy !== undefined) {
        errors.push(...oneOf(`${at}.${part}`, policy, ["Honor", "Ignore"]));
      }
    }
    return [
      ...errors,
      ...labelKeyErrors(at, constraint.matchLabelKeys, [], labelSelector),
      ...(labelSelector ? selectorErrors(`${at}.labelSelector`, labelSelector) : []),
    ];
  });
}

function minDomainsErrors(
  field: string,
  minDomains: number | undefined,
  action: string,
): FieldError[] {
  if (minDomains === undefined) return [];
  const errors =
    minDomains <= 0 ? [invalidValue(field, minDomains, "must be greater than zero")] : [];
  if (action === "DoNotSchedule") return errors;
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [...errors, invalidValue(field, minDomains, detail)];
}

export function tolerationsErrors(
  field: string,
  tolerations: PodSpec["tolerations"] = [],
): FieldError[] {
  return tolerations.flatMap((toleration, index) =>
    tolerationErrors(`${field}[${index}]`, toleration),
  );
}

function tolerationErrors(at: string, toleration: Toleration): FieldError[] {
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  const errors = key === "" ? [] : nameErrorsAt(`${at}.key`, key, qualifiedNameErrors);
  const field = `${at}.operator`;
  if (key === "" && operator !== "Exists") {
    errors.push(
      invalidValue(
        field,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    errors.push(
      invalidValue(
        `${at}.effect`,
        effect,
        "effect must be 'NoExecute' when `tolerationSeconds` is set",
      ),
    );
  }
  if (operator === "" || operator === "Equal") {
    const details = labelValueErrors(value);
    if (details.length > 0) errors.push(invalidValue(field, value, details.join(";")));
  } else if (operator === "Exists") {
    if (value !== "") {
      errors.push(invalidValue(field, value, "value must be empty when `operator` is 'Exists'"));
    }
  } else {
    const compares = operator === "Lt" || operator === "Gt";
    const known = ["Equal", "Exists", ...(compares ? ["Lt", "Gt"] : [])];
    errors.push(notSupported(field, operator, known));
  }
  return [...errors, ...(effect === "" ? [] : oneOf(`${at}.effect`, effect, EFFECTS))];
}
