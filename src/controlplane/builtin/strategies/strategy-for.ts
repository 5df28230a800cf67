/** The strategies of the built-in kinds: their rules in the form that the write path uses. */
import { asJson, sameJson } from "../../../kube/json.ts";
import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  maskTrailingDash,
  pathSegmentErrors,
} from "../../../kube/names.ts";
import type { FieldError } from "../../../kube/field-errors.ts";
import type { SentObject } from "../../../kube/object.ts";
import { pluralOf } from "../../../kube/plural.ts";
import type { Strategy, WriteContext } from "../../kinds.ts";
import { autoscalerStrategy } from "../kinds/autoscaling/horizontal-pod-autoscaler/strategy.ts";
import { declaredErrors } from "./declared-errors.ts";
import { asGiven, holdsEmptied } from "../go/emptied.ts";
import { normaliseShape } from "../go/shape.ts";
import type { KindRules } from "../kind-rules.ts";
import { rulesOf } from "../kinds/kind-table.ts";
import { admitToLimits } from "./quota-admission.ts";
import { addressErrors } from "../shared/addresses/addresses.ts";

/** The group whose kinds another server checks, which knows no declared rules. */
const AGGREGATED = "apiregistration.k8s.io";

/** The strategy of the main endpoint of a built-in kind; that of unknown kinds has no rules. */
export function strategyFor(group: string, kind: string): Strategy {
  const strategy = mainStrategyFor(group, kind);
  return group === "autoscaling" ? autoscalerStrategy(strategy) : strategy;
}

function mainStrategyFor(group: string, kind: string): Strategy {
  const rules = rulesOf(group, kind) ?? {};
  return {
    setDefaults: (object) => setDefaults(object, rules),
    ...(rules.admit ? { admit: (object, context) => rules.admit?.(object, context) } : {}),
    prepareForCreate(object, context) {
      // What the empty status has is added with the shape.
      if (rules.status && !rules.keepsStatusOnCreate) Reflect.deleteProperty(object, "status");
      if (rules.generation && !rules.startsWithoutGeneration) object.metadata.generation = 1;
      rules.dropDisabled?.(object);
      rules.prepareForCreate?.(object, context);
      normaliseShape(object);
    },
    prepareForUpdate(object, old, context) {
      if (rules.status) keepFields(object, old, ["status"]);
      keepMetadata(object, old);
      const isEarlyChange = rules.generationSeesDisabled && isChange(object, old, rules);
      rules.dropDisabled?.(object);
      rules.prepareForUpdate?.(object, old, context);
      setDefaults(object, rules);
      if (rules.generation && (isEarlyChange || isChange(object, old, rules))) {
        object.metadata.generation = (old.metadata.generation ?? 0) + 1;
      }
    },
    validateCreate(object, context) {
      const errors = [
        ...(rules.validate?.(object, context) ?? []),
        ...(rules.validateCreate?.(object, context) ?? []),
      ];
      if (errors.length > 0) return errors;
      warn(object, undefined, rules, context);
      admitToLimits({ group, plural: pluralOf(kind) }, object, undefined, context);
      return errors;
    },
    errorsBetween: (object, old, context, between) =>
      updateErrors(rules, object, old, context, between),
    validateUpdate(object, old, context) {
      const errors = updateErrors(rules, object, old, context, []);
      if (errors.length > 0) return errors;
      warn(object, old, rules, context);
      rules.admitChange?.(object, old, context);
      admitToLimits({ group, plural: pluralOf(kind) }, object, old, context);
      return errors;
    },
    ...(group === AGGREGATED ? {} : { report: (errors) => declaredErrors(group, kind, errors) }),
    validateName: (name, prefix) => nameErrors(rules.name ?? "subdomain", name, prefix),
    allowCreateOnUpdate: rules.createOnUpdate ?? false,
    allowUnconditionalUpdate: !rules.conditionalUpdate,
  };
}

function updateErrors(
  rules: KindRules,
  object: SentObject,
  old: SentObject,
  context: WriteContext,
  between: readonly FieldError[],
): FieldError[] {
  const own = [
    ...(rules.validate?.(object, context) ?? []),
    ...(rules.validateChanged?.(object, context) ?? []),
  ];
  const change = rules.validateUpdate?.(object, old, context) ?? [];
  return rules.changeFirst ? [...change, ...between, ...own] : [...own, ...between, ...change];
}

/**
 * The strategy of a subresource that writes its parent object; `undefined` for other subresources.
 */
export function subresourceStrategyFor(
  group: string,
  kind: string,
  subresource: string,
): Strategy | undefined {
  if (subresource === "status") {
    const strategy = statusStrategyFor(group, kind);
    return group === "autoscaling" ? autoscalerStrategy(strategy) : strategy;
  }
  const rules = rulesOf(group, kind) ?? {};
  const own = rules.subresources?.[subresource];
  if (!own) return undefined;
  return {
    ...strategyFor(group, kind),
    prepareForUpdate(object, old, context) {
      const given = structuredClone(object);
      keepAllBut(object, old, ["metadata", "apiVersion", "kind"]);
      keepMetadata(object, old, own.keepsMetadata ? "none" : "all");
      own.take(object, given, context);
      setDefaults(object, rules);
      if (rules.generation && isChange(object, old, rules)) {
        object.metadata.generation = (old.metadata.generation ?? 0) + 1;
      }
    },
    validateUpdate: (object, old) => rules.validateSubresource?.(object, old, subresource) ?? [],
    allowCreateOnUpdate: false,
  };
}

/**
 * The strategy of the status subresource of a built-in kind: it takes the status and little else.
 */
function statusStrategyFor(group: string, kind: string): Strategy {
  const rules = rulesOf(group, kind) ?? {};
  return {
    ...mainStrategyFor(group, kind),
    prepareForUpdate(object, old, context) {
      keepAllBut(object, old, ["metadata", "status", "apiVersion", "kind"]);
      keepMetadata(object, old, rules.status);
      rules.prepareForStatus?.(object, old, context);
      setDefaults(object, rules);
    },
    validateUpdate: (object, old, context) => rules.validateStatus?.(object, old, context) ?? [],
    allowCreateOnUpdate: false,
  };
}

function warn(
  object: SentObject,
  old: SentObject | undefined,
  rules: KindRules,
  context: WriteContext,
): void {
  for (const text of rules.warnings?.(object, old) ?? []) context.warn(text);
}

function setDefaults(object: SentObject, rules: KindRules): void {
  normaliseShape(object);
  rules.setDefaults?.(object);
}

function keepFields(object: object, old: object, fields: readonly string[]): void {
  const target = asJson(object);
  const source = asJson(old);
  for (const field of fields) {
    if (source[field] === undefined) Reflect.deleteProperty(target, field);
    // Cloned, since the old object is frozen, and defaults and allocation may write into the copy.
    else target[field] = structuredClone(source[field]);
  }
}

function keepAllBut(object: SentObject, old: SentObject, fields: readonly string[]): void {
  const names = new Set([...Object.keys(object), ...Object.keys(old)]);
  keepFields(
    object,
    old,
    [...names].filter((name) => !fields.includes(name)),
  );
}

/** The metadata that a write to the status keeps as it is. */
const KEPT_METADATA = {
  all: [],
  "no-owners": ["ownerReferences"],
  "no-labels": ["ownerReferences", "labels"],
  none: ["ownerReferences", "labels", "annotations", "finalizers"],
};

/** Keeps the metadata that may not change and the generation, which a client cannot set. */
function keepMetadata(
  { metadata }: SentObject,
  old: SentObject,
  change: NonNullable<KindRules["status"]> = "all",
): void {
  keepFields(metadata, old.metadata, ["generation", ...KEPT_METADATA[change]]);
}

function isChange(object: SentObject, old: SentObject, rules: KindRules): boolean {
  const now = asJson(object);
  const before = asJson(old);
  const differs = (left: unknown, right: unknown): boolean =>
    !sameJson(left ?? null, right ?? null);
  if (rules.generation?.some((field) => differs(now[field], before[field]))) return true;
  const isEmptied = (field: string): boolean =>
    holdsEmptied(now[field]) || (now[field] ?? null) !== asGiven(object, field);
  if (rules.generationSeesEmpty && rules.generation?.some(isEmptied)) return true;
  const extra = rules.generationMetadata;
  return extra !== undefined && differs(object.metadata[extra], old.metadata[extra]);
}

function nameErrors(rule: NonNullable<KindRules["name"]>, name: string, prefix: boolean): string[] {
  const whole = prefix ? maskTrailingDash(name) : name;
  switch (rule) {
    case "any":
      return [];
    case "segment":
      return pathSegmentErrors(name, prefix);
    case "address":
      return addressErrors(name);
    case "label":
      return dns1123LabelErrors(whole);
    case "label1035":
      return dns1035LabelErrors(whole);
    case "generated":
      return prefix ? [] : dns1123SubdomainErrors(name);
    case "subdomain":
      return dns1123SubdomainErrors(whole);
  }
}
