/** The strategies of the built-in kinds: their rules in the form that the write path uses. */
import { asJson, sameJson } from "../../../kube/json.ts";
import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  maskTrailingDash,
  pathSegmentErrors,
} from "../../../kube/names.ts";
import type { SentObject } from "../../../kube/object.ts";
import { pluralOf } from "../../../kube/plural.ts";
import type { Strategy, WriteContext } from "../../kinds.ts";
import type { ResourceName } from "../../resource-name.ts";
import { declaredErrors } from "./declared-errors.ts";
import { normaliseShape } from "../go/shape.ts";
import { at } from "../at.ts";
import { raiseGeneration } from "../generation.ts";
import type { KindRules, SubresourceRules } from "../kind-rules.ts";
import { rulesOf } from "../kinds/kind-table.ts";
import { admitToLimits } from "./quota-admission.ts";
import { addressErrors } from "../shared/addresses/addresses.ts";

/** The strategy of the main endpoint of a built-in kind; that of unknown kinds has no rules. */
export function strategyFor(group: string, kind: string): Strategy {
  const rules = rulesOf(group, kind) ?? {};
  const strategy = mainStrategy(group, kind, rules);
  return withLimits({ group, plural: pluralOf(kind) }, rules.wrap?.(strategy, "") ?? strategy);
}

function mainStrategy(group: string, kind: string, rules: KindRules): Strategy {
  return {
    setDefaults: (object) => setDefaults(object, rules),
    prepareForCreate(object, context) {
      // What the empty status has is added with the shape.
      if (rules.status) Reflect.deleteProperty(object, "status");
      if (rules.generation) object.metadata.generation = 1;
      rules.dropDisabled?.(object);
      rules.prepareForCreate?.(object, context);
      normaliseShape(object);
    },
    prepareForUpdate(object, old, context) {
      if (rules.status) keepFields(object, old, ["status"]);
      keepMetadata(object, old);
      rules.dropDisabled?.(object);
      rules.prepareForUpdate?.(object, old, context);
      setDefaults(object, rules);
      if (isChange(object, old, rules)) raiseGeneration(object, old);
    },
    validateCreate(object, context) {
      const own = rules.validate?.(object, context) ?? [];
      const ofNew = rules.validateCreate?.(object, context) ?? [];
      const errors = [
        ...(context.metadataErrors ?? []),
        ...(rules.changeFirst ? [...ofNew, ...own] : [...own, ...ofNew]),
      ];
      if (errors.length === 0) warn(object, undefined, rules, context);
      return errors;
    },
    validateUpdate(object, old, context, between = []) {
      const own = rules.validate?.(object, context) ?? [];
      const change = rules.validateUpdate?.(object, old, context) ?? [];
      const errors = rules.changeFirst
        ? [...change, ...between, ...own]
        : [...own, ...between, ...change];
      if (errors.length === 0) warn(object, old, rules, context);
      return errors;
    },
    report: (errors) => declaredErrors(group, kind, errors),
    validateName: (name, prefix) => nameErrors(rules.name ?? "subdomain", name, prefix),
    allowCreateOnUpdate: rules.createOnUpdate ?? false,
    allowCreateOnApply: true,
    allowUnconditionalUpdate: !rules.conditionalUpdate,
  };
}

/** Checks valid objects against the limits and quotas of their namespace. */
const withLimits = (resource: ResourceName, strategy: Strategy): Strategy => ({
  ...strategy,
  validateCreate(object, context) {
    const errors = strategy.validateCreate(object, context);
    if (errors.length === 0) admitToLimits(resource, object, undefined, context);
    return errors;
  },
  validateUpdate(object, old, context, between) {
    const errors = strategy.validateUpdate(object, old, context, between);
    if (errors.length === 0) admitToLimits(resource, object, old, context);
    return errors;
  },
});

/**
 * The strategy of a subresource that writes its parent object; `undefined` for other subresources.
 */
export function subresourceStrategyFor(
  group: string,
  kind: string,
  subresource: string,
): Strategy | undefined {
  const rules = rulesOf(group, kind) ?? {};
  const own = rules.subresources?.[subresource];
  const writes = subresource === "status" ? statusWrites(rules) : own && partWrites(rules, own);
  if (!writes) return undefined;
  const strategy = {
    ...mainStrategy(group, kind, rules),
    ...writes,
    allowCreateOnUpdate: false,
    allowCreateOnApply: false,
  };
  return rules.wrap?.(strategy, subresource) ?? strategy;
}

type Writes = Pick<Strategy, "prepareForUpdate" | "validateUpdate">;

const partWrites = (rules: KindRules, own: SubresourceRules): Writes => ({
  prepareForUpdate(object, old, context) {
    const given = structuredClone(object);
    keepAllBut(object, old, ["metadata", "apiVersion", "kind"]);
    keepMetadata(object, old, own.keepsMetadata ? "none" : "all");
    own.take(object, given, context);
    setDefaults(object, rules);
    if (isChange(object, old, rules)) raiseGeneration(object, old);
  },
  validateUpdate: (object, old, context) => own.validate?.(object, old, context) ?? [],
});

/** The status subresource takes the status and little else. */
const statusWrites = (rules: KindRules): Writes => ({
  prepareForUpdate(object, old, context) {
    keepAllBut(object, old, ["metadata", "status", "apiVersion", "kind"]);
    keepMetadata(object, old, rules.status);
    rules.prepareForStatus?.(object, old, context);
    setDefaults(object, rules);
  },
  validateUpdate: (object, old, context) => rules.validateStatus?.(object, old, context) ?? [],
});

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

const isChange = (object: SentObject, old: SentObject, { generation = [] }: KindRules): boolean =>
  generation.some((path) => !sameJson(at(object, path) ?? null, at(old, path) ?? null));

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
