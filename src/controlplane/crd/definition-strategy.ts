/** The strategies of CustomResourceDefinitions. */
import { at, textAt } from "../builtin/at.ts";
import type { FieldError } from "../../kube/field-errors.ts";
import { copyJson, sameJson } from "../../kube/json.ts";
import { dns1123SubdomainErrors, maskTrailingDash } from "../../kube/names.ts";
import { canonicaliseSchema } from "../../kube/schema/canonical.ts";
import { isKnownFormat } from "../../kube/schema/formats.ts";
import { schemasOf } from "../../kube/schema/keyword-rules.ts";
import { normaliseShape } from "../builtin/strategies/go-shape.ts";
import type { KindTraits, Strategy, WriteContext } from "../kinds.ts";
import {
  CLEANUP_FINALIZER,
  type Definition,
  type DefinitionVersion,
  setCondition,
} from "../../kube/definition/definition.ts";
import {
  definitionErrors,
  definitionStatusErrors,
  definitionUpdateErrors,
} from "../../kube/definition/definition-rules.ts";
import { hoistVersions } from "../../kube/definition/hoisted.ts";

function setSpecDefaults(definition: Definition): void {
  const given = at(definition, "spec.versions");
  normaliseShape(definition);
  const { spec } = definition;
  // Messages distinguish an empty list from an absent one.
  if (Array.isArray(given) && given.length === 0) spec.versions = [];
  for (const { schema, subresources } of spec.versions ?? []) {
    if (schema?.openAPIV3Schema) canonicaliseSchema(schema.openAPIV3Schema);
    // Only its presence matters.
    if (subresources?.status) subresources.status = {};
  }
  const names = (spec.names ??= {});
  names.singular ||= (names.kind ?? "").toLowerCase();
  if (names.kind) names.listKind ||= `${names.kind}List`;
  spec.conversion ??= { strategy: "None" };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service) service.port ??= 443;
}

/** Adds the storage version to the stored ones. */
function recordStorageVersion({ spec, status }: Definition): void {
  const storage = spec.versions?.find((version) => version.storage)?.name;
  if (!status || storage === undefined) return;
  const stored = status.storedVersions ?? [];
  if (!stored.includes(storage)) status.storedVersions = [...stored, storage];
}

/** The formats that the API server does not know, once for each use. */
function unknownFormats(definition: Definition): string[] {
  const { common, versions } = hoistVersions(definition);
  return [common, ...versions].flatMap(({ schema }) =>
    [...schemasOf(schema?.openAPIV3Schema ?? {})].flatMap(({ format, type }) =>
      format === undefined || format === "" || isKnownFormat(format, type) ? [] : [format],
    ),
  );
}

/** The types of items that a list cannot hold as a set, though the schema says so. */
function typesOfSets(definition: Definition): string[] {
  const { common, versions } = hoistVersions(definition);
  return [common, ...versions].flatMap(({ schema }) =>
    [...schemasOf(schema?.openAPIV3Schema ?? {})].flatMap((part) => {
      const type = textAt(part, "items.type");
      const isSet = part["x-kubernetes-list-type"] === "set";
      return isSet && (type === "object" || type === "array") ? [type] : [];
    }),
  );
}

/** Warns of what a definition says in vain, unless it said so before. */
function warnOfSchema(
  definition: Definition,
  before: Definition | undefined,
  context: WriteContext,
): void {
  const isNew = (find: (one: Definition) => string[]): string[] => {
    const known = before ? find(before) : [];
    return [...new Set(find(definition))].filter((one) => !known.includes(one));
  };
  for (const format of isNew(unknownFormats)) {
    context.warn(`unrecognized format ${JSON.stringify(format)}`);
  }
  for (const type of isNew(typesOfSets).sort()) {
    context.warn(
      `x-kubernetes-list-type: set for items of type ${JSON.stringify(type)} is not supported by server-side apply or CEL validation rules`,
    );
  }
}

const validateName = (name: string, prefix: boolean): string[] =>
  dns1123SubdomainErrors(prefix ? maskTrailingDash(name) : name);

/** The endpoint of definitions. */
export const definitionStrategy: Strategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  validateName,
  setDefaults(definition: Definition) {
    setSpecDefaults(definition);
  },
  prepareForCreate(definition: Definition, context) {
    definition.status = {
      conditions: null,
      acceptedNames: { plural: "", kind: "" },
      storedVersions: null,
    };
    definition.metadata.generation = 1;
    recordStorageVersion(definition);
    warnOfSchema(definition, undefined, context);
  },
  prepareForUpdate(definition: Definition, before: Definition, context) {
    if (before.status) definition.status = copyJson(before.status);
    else delete definition.status;
    if (!sameJson(definition.spec, before.spec)) {
      definition.metadata.generation = (before.metadata.generation ?? 0) + 1;
    }
    recordStorageVersion(definition);
    warnOfSchema(definition, before, context);
  },
  validateCreate(definition: Definition): FieldError[] {
    return definitionErrors(definition);
  },
  validateUpdate(definition: Definition, before: Definition): FieldError[] {
    return definitionUpdateErrors(definition, before);
  },
};

/** The endpoint `/status` of definitions; it keeps the spec and takes everything else. */
export const definitionStatusStrategy: Strategy = {
  ...definitionStrategy,
  prepareForCreate() {
    // Nothing is created through a status.
  },
  prepareForUpdate(definition: Definition, before: Definition) {
    definition.spec = copyJson(before.spec);
    const status = (definition.status ??= {});
    if ((status.storedVersions ?? []).length === 0) {
      const storage = definition.spec.versions?.find(
        (version: DefinitionVersion) => version.storage,
      );
      if (storage) status.storedVersions = [storage.name];
    }
  },
  validateUpdate(definition: Definition): FieldError[] {
    return definitionStatusErrors(definition);
  },
};

/**
 * Begins the deletion of a definition, in place: it stays, with the finalizer that removes its
 * objects first. `deletionTimestamp` is the caller's to set.
 *
 * @param now - RFC 3339
 */
function markForDeletion(definition: Definition, now: string): void {
  const finalizers = definition.metadata.finalizers ?? [];
  if (!finalizers.includes(CLEANUP_FINALIZER)) {
    definition.metadata.finalizers = [...finalizers, CLEANUP_FINALIZER];
  }
  setCondition(
    definition,
    {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionPending",
      message:
        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    },
    now,
  );
}

/** The traits of CustomResourceDefinitions. */
export const definitionTraits: KindTraits = {
  freeFinalizers: true,
  deletion: {
    answersObject: true,
    pinsUid: "precondition failed",
    dependents: "unsupported",
    begin: markForDeletion,
  },
};
