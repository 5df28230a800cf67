/** The strategies of CustomResourceDefinitions. */
import { at, textAt } from "../builtin/at.ts";
import { copyJson, sameJson } from "../../kube/json.ts";
import { dns1123SubdomainErrors, maskTrailingDash } from "../../kube/names.ts";
import { canonicaliseSchema } from "../../kube/schema/canonical.ts";
import { isKnownFormat } from "../../kube/schema/formats.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { schemasOf } from "../../kube/schema/keyword-rules.ts";
import { normaliseShape } from "../builtin/go/shape.ts";
import type { KindTraits, Strategy, WriteContext } from "../kinds.ts";
import {
  CLEANUP_FINALIZER,
  type Definition,
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

const storageVersionOf = ({ spec }: Definition): string | undefined =>
  spec.versions?.find((version) => version.storage)?.name;

/** Adds the storage version to the stored ones. */
function recordStorageVersion(definition: Definition): void {
  const { status } = definition;
  const storage = storageVersionOf(definition);
  if (!status || storage === undefined) return;
  const stored = status.storedVersions ?? [];
  if (!stored.includes(storage)) status.storedVersions = [...stored, storage];
}

/** What `find` finds in the parts of all schemas, once for each use. */
function findInSchemas(
  definition: Definition,
  find: (part: Schema) => string | undefined,
): string[] {
  const { common, versions } = hoistVersions(definition);
  return [common, ...versions].flatMap(({ schema }) =>
    [...schemasOf(schema?.openAPIV3Schema ?? {})].flatMap((part) => find(part) ?? []),
  );
}

/** The format, if the API server does not know it. */
const unknownFormat = ({ format, type }: Schema): string | undefined =>
  format === undefined || format === "" || isKnownFormat(format, type) ? undefined : format;

/** The type of items that a list cannot hold as a set, though the schema says so. */
function typeOfSet(part: Schema): string | undefined {
  const type = textAt(part, "items.type");
  const isSet = part["x-kubernetes-list-type"] === "set";
  return isSet && (type === "object" || type === "array") ? type : undefined;
}

/** Warns of what a definition says in vain, unless it said so before. */
function warnOfSchema(
  definition: Definition,
  before: Definition | undefined,
  context: WriteContext,
): void {
  const newOnes = (find: (part: Schema) => string | undefined): string[] => {
    const known = before ? findInSchemas(before, find) : [];
    return [...new Set(findInSchemas(definition, find))].filter((one) => !known.includes(one));
  };
  for (const format of newOnes(unknownFormat)) {
    context.warn(`unrecognized format ${JSON.stringify(format)}`);
  }
  for (const type of newOnes(typeOfSet).sort()) {
    context.warn(
      `x-kubernetes-list-type: set for items of type ${JSON.stringify(type)} is not supported by server-side apply or CEL validation rules`,
    );
  }
}

export const definitionStrategy: Strategy = {
  allowCreateOnUpdate: false,
  allowCreateOnApply: true,
  allowUnconditionalUpdate: false,
  validateName: (name, prefix) => dns1123SubdomainErrors(prefix ? maskTrailingDash(name) : name),
  setDefaults: setSpecDefaults,
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
  validateCreate: (definition: Definition, { metadataErrors = [] }) => [
    ...metadataErrors,
    ...definitionErrors(definition),
  ],
  validateUpdate: definitionUpdateErrors,
};

/** The endpoint `/status` of definitions; it keeps the spec and takes everything else. */
export const definitionStatusStrategy: Strategy = {
  ...definitionStrategy,
  allowCreateOnApply: false,
  prepareForCreate() {
    // Nothing is created through a status.
  },
  prepareForUpdate(definition: Definition, before: Definition) {
    definition.spec = copyJson(before.spec);
    const status = (definition.status ??= {});
    if ((status.storedVersions ?? []).length === 0) {
      const storage = storageVersionOf(definition);
      if (storage !== undefined) status.storedVersions = [storage];
    }
  },
  validateUpdate: definitionStatusErrors,
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
  const message =
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
  const reason = "InstanceDeletionPending";
  setCondition(definition, { type: "Terminating", status: "True", reason, message }, now);
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
