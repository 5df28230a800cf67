/**
 * Validation of the scheduling constraints of pods: node selectors, affinity, spreading,
 * tolerations.
 */
import type { Check } from "../../../../kube/check.ts";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  qualifiedNameErrors,
} from "../../../../kube/names.ts";
import { checkSelector } from "../checks.ts";
import type { LabelSelector, Loose } from "../shapes.ts";
import type {
  Affinity,
  NodeRequirement,
  NodeSelector,
  NodeTerm,
  PodAffinity,
  PodTerm,
  SpreadConstraint,
  Toleration,
} from "./pod-shapes.ts";

export const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
export const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

export const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function checkNodeSelector(selector: Check<Loose<NodeSelector>>): void {
  const terms = selector.at("nodeSelectorTerms");
  if (terms.given("must have at least one node selector term")) terms.each(checkNodeTerm);
}

function checkNodeTerm(term: Check<Loose<NodeTerm>>): void {
  term.at("matchExpressions").each(checkNodeExpression);
  term.at("matchFields").each(checkNodeField);
}

function checkNodeExpression(requirement: Check<Loose<NodeRequirement>>): void {
  const values = requirement.at("values");
  switch (requirement.value.operator) {
    case "In":
    case "NotIn":
      values.given("must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.count > 0) {
        values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
      break;
    case "Gt":
    case "Lt":
      if (values.count !== 1) {
        values.required("must be specified single value when `operator` is 'Lt' or 'Gt'");
      }
      break;
    default:
      requirement.at("operator").invalid("not a valid selector operator");
  }
  requirement.at("key").named(qualifiedNameErrors);
  values.each((value) => value.named(labelValueErrors));
}

function checkNodeField(requirement: Check<Loose<NodeRequirement>>): void {
  const { operator, key } = requirement.value;
  const values = requirement.at("values");
  if (operator !== "In" && operator !== "NotIn") {
    requirement.at("operator").invalid("not a valid selector operator");
  } else if (values.count !== 1) {
    values.required(
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
    );
  }
  if (key === "metadata.name") values.each((value) => value.named(dns1123SubdomainErrors));
  else requirement.at("key").invalid("not a valid field selector key");
}

function checkWeight(weight: Check<number>): void {
  if (weight.value <= 0 || weight.value > 100) weight.invalid("must be in the range 1-100");
}

export function checkAffinity(affinity: Check<Affinity | undefined>): void {
  const node = affinity.at("nodeAffinity");
  node.at(REQUIRED).ifSet(checkNodeSelector);
  node.at(PREFERRED).each((term) => {
    checkWeight(term.at("weight"));
    checkNodeTerm(term.at("preference"));
  });
  checkPodAffinity(affinity.at("podAffinity"));
  checkPodAffinity(affinity.at("podAntiAffinity"));
}

function checkPodAffinity(affinity: Check<PodAffinity | undefined>): void {
  affinity.at(REQUIRED).each(checkPodTerm);
  affinity.at(PREFERRED).each((term) => {
    checkWeight(term.at("weight"));
    checkPodTerm(term.at("podAffinityTerm"));
  });
}

function checkPodTerm(term: Check<PodTerm>): void {
  const { namespaces = [], matchLabelKeys, mismatchLabelKeys } = term.value;
  checkSelector(term.at("labelSelector"));
  checkSelector(term.at("namespaceSelector"));
  for (const name of namespaces) term.child("namespace", name).named(dns1123LabelErrors);
  checkLabelKeys(term, matchLabelKeys, mismatchLabelKeys);
  term.at("topologyKey").given("can not be empty");
  term.at("topologyKey").named(qualifiedNameErrors);
}

function checkLabelKeys(
  term: Check<{ labelSelector?: LabelSelector }>,
  matchLabelKeys: readonly string[] = [],
  mismatchLabelKeys: readonly string[] = [],
): void {
  const { labelSelector } = term.value;
  for (const [part, keys] of Object.entries({ matchLabelKeys, mismatchLabelKeys })) {
    const list = term.child(part, keys);
    if (keys.length > 0 && !labelSelector) {
      list.forbidden("must not be specified when labelSelector is not set");
    }
    list.each((key) => key.named(qualifiedNameErrors));
  }
  const labelled = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    const index = matchLabelKeys.indexOf(key);
    if (index >= 0 && labelled.has(key)) {
      term.entry(String(index)).invalid("exists in both matchLabelKeys and labelSelector", key);
    }
    labelled.add(key);
  }
  term.child("matchLabelKeys", matchLabelKeys).each((key) => {
    if (mismatchLabelKeys.includes(key.value)) {
      key.invalid("exists in both matchLabelKeys and mismatchLabelKeys");
    }
  });
}

export function checkSpread(constraints: Check<SpreadConstraint[] | undefined>): void {
  constraints.each((constraint, index) => {
    const { maxSkew, topologyKey, whenUnsatisfiable, matchLabelKeys } = constraint.value;
    if (maxSkew <= 0) constraint.at("maxSkew").invalid("must be greater than zero");
    constraint.at("topologyKey").given("can not be empty");
    constraint.at("whenUnsatisfiable").oneOf(["DoNotSchedule", "ScheduleAnyway"]);
    const isRepeated = constraints.value
      ?.slice(index + 1)
      .some(
        (other) =>
          other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable,
      );
    if (isRepeated) {
      const shown = `{${topologyKey}, ${whenUnsatisfiable}}`;
      constraint.child("{topologyKey, whenUnsatisfiable}", shown).duplicate();
    }
    constraint.at("minDomains").ifSet((minDomains) => {
      if (minDomains.value <= 0) minDomains.invalid("must be greater than zero");
      if (whenUnsatisfiable === "DoNotSchedule") return;
      const detail = "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not";
      minDomains.invalid(`${detail} ${whenUnsatisfiable}`);
    });
    for (const part of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
      constraint.at(part).ifSet((policy) => policy.oneOf(["Honor", "Ignore"]));
    }
    checkLabelKeys(constraint, matchLabelKeys);
    checkSelector(constraint.at("labelSelector"));
  });
}

export function checkToleration(toleration: Check<Toleration>): void {
  const { key = "", operator: name = "", value = "", tolerationSeconds } = toleration.value;
  const operator = toleration.child("operator", name);
  const effect = toleration.child("effect", toleration.value.effect ?? "");
  toleration.at("key").nameIfGiven(qualifiedNameErrors);
  if (key === "" && name !== "Exists") {
    operator.invalid(
      'operator must be Exists when `key` is empty, which means "match all values and all keys"',
    );
  }
  if (tolerationSeconds !== undefined && effect.value !== "NoExecute") {
    effect.invalid("effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (name === "" || name === "Equal") {
    const details = labelValueErrors(value);
    if (details.length > 0) operator.invalid(details.join(";"), value);
  } else if (name === "Exists") {
    if (value !== "") operator.invalid("value must be empty when `operator` is 'Exists'", value);
  } else {
    const compares = name === "Lt" || name === "Gt";
    operator.notSupported(["Equal", "Exists", ...(compares ? ["Lt", "Gt"] : [])]);
  }
  if (effect.value !== "") effect.oneOf(EFFECTS);
}
