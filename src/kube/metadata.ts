/**
 * Validation of every object's metadata, in the API server's words.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
 */
import { type FieldError, forbidden, invalidValue, required, tooLong } from "./field-errors.ts";
import { dns1123LabelErrors, labelValueErrors, qualifiedNameErrors } from "./names.ts";
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "./object.ts";
import { parseApiVersion } from "./resource.ts";
import { present } from "../present.ts";

/** The rule for names of the kind: the errors of a name, or of the prefix of one, as messages. */
export type NameRule = (name: string, prefix: boolean) => string[];

const ANNOTATIONS_MAX_BYTES = 256 * 1024;
const MANAGER_MAX_BYTES = 128;

/** The rules for metadata. */
export interface MetadataRules {
  /** The path of the metadata; `metadata` when absent. */
  readonly path?: string;
  /** Whether finalizers without a domain must be known ones, as on built-in kinds. */
  readonly strictFinalizers?: boolean;
}

const STANDARD_FINALIZERS = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function addUnknownFinalizers(
  errors: FieldError[],
  finalizers: readonly string[] | undefined,
  path: string,
): void {
  finalizers?.forEach((finalizer, index) => {
    if (finalizer.includes("/") || STANDARD_FINALIZERS.has(finalizer)) return;
    const text = "name is neither a standard finalizer name nor is it fully qualified";
    errors.push(invalidValue(`${path}[${index}]`, finalizer, text));
  });
}

/** Errors of the metadata of a new object. */
export function validateObjectMeta(
  metadata: ObjectMeta,
  namespaced: boolean,
  nameRule: NameRule,
  { path = "metadata", strictFinalizers = false }: MetadataRules = {},
): FieldError[] {
  const { name = "", generateName = "", namespace = "" } = metadata;
  const errors: FieldError[] = [];
  if (generateName !== "") {
    for (const message of nameRule(generateName, true)) {
      errors.push(invalidValue(`${path}.generateName`, generateName, message));
    }
  }
  if (name === "") errors.push(required(`${path}.name`, "name or generateName is required"));
  else {
    for (const message of nameRule(name, false)) {
      errors.push(invalidValue(`${path}.name`, name, message));
    }
  }
  if (!namespaced && namespace !== "") {
    errors.push(forbidden(`${path}.namespace`, "not allowed on this type"));
  } else if (namespaced && namespace === "") {
    errors.push(required(`${path}.namespace`));
  } else if (namespaced) {
    for (const message of dns1123LabelErrors(namespace)) {
      errors.push(invalidValue(`${path}.namespace`, namespace, message));
    }
  }
  if ((metadata.generation ?? 0) < 0) {
    errors.push(
      invalidValue(`${path}.generation`, metadata.generation, "must be greater than or equal to 0"),
    );
  }
  addMapErrors(errors, metadata, path);
  if (metadata.finalizers) {
    errors.push(...validateFinalizers(metadata.finalizers, `${path}.finalizers`));
  }
  addManagerErrors(errors, metadata.managedFields, `${path}.managedFields`);
  if (strictFinalizers) addUnknownFinalizers(errors, metadata.finalizers, `${path}.finalizers`);
  return errors;
}

/** Errors of a change of the metadata. */
export function validateObjectMetaUpdate(
  metadata: ObjectMeta,
  old: ObjectMeta,
  { path = "metadata", strictFinalizers = false }: MetadataRules = {},
): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    errors.push(...validateNoNewFinalizers(metadata, old, path));
  }
  if ((metadata.resourceVersion ?? "") === "") {
    errors.push(invalidValue(`${path}.resourceVersion`, "", "must be specified for an update"));
  }
  if ((metadata.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(
      invalidValue(`${path}.generation`, metadata.generation ?? 0, "must not be decremented"),
    );
  }
  for (const field of IMMUTABLE) {
    if (metadata[field] !== old[field]) {
      const empty = field === "name" || field === "namespace" || field === "uid" ? "" : undefined;
      errors.push(invalidValue(`${path}.${field}`, metadata[field] ?? empty, "field is immutable"));
    }
  }
  addMapErrors(errors, metadata, path);
  addManagerErrors(errors, metadata.managedFields, `${path}.managedFields`);
  if (strictFinalizers) addUnknownFinalizers(errors, metadata.finalizers, `${path}.finalizers`);
  return errors;
}

function addMapErrors(errors: FieldError[], metadata: ObjectMeta, path: string): void {
  const { labels, annotations, ownerReferences } = metadata;
  if (labels) errors.push(...validateLabels(`${path}.labels`, labels));
  if (annotations) errors.push(...validateAnnotations(`${path}.annotations`, annotations));
  if (ownerReferences) errors.push(...validateOwners(ownerReferences, `${path}.ownerReferences`));
}

const IMMUTABLE = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** Labels: keys are qualified names, values at most 63 characters of a few kinds. */
export function validateLabels(
  path: string,
  labels: Readonly<Record<string, string>> = {},
): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? "";
    for (const message of qualifiedNameErrors(key)) errors.push(invalidValue(path, key, message));
    for (const message of labelValueErrors(value)) errors.push(invalidValue(path, value, message));
  }
  return errors;
}

/** Annotations: keys are qualified names in any case, at most 256 KiB in all. */
export function validateAnnotations(
  path: string,
  annotations: Readonly<Record<string, string>> = {},
): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const key of Object.keys(annotations)) {
    for (const message of qualifiedNameErrors(key.toLowerCase())) {
      errors.push(invalidValue(path, key, message));
    }
    size += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? "");
  }
  if (size > ANNOTATIONS_MAX_BYTES) errors.push(tooLong(path, ANNOTATIONS_MAX_BYTES));
  return errors;
}

/** The fields in the order in which messages show them. */
function inOrder({
  apiVersion,
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion,
}: OwnerReference): OwnerReference {
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...present({ controller, blockOwnerDeletion }),
  };
}

function validateOwners(owners: readonly OwnerReference[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  owners.forEach((owner, index) => {
    const at = `${path}[${index}]`;
    // A client may omit it.
    const apiVersion = (owner as Partial<OwnerReference>).apiVersion ?? "";
    const { group, version } = parseApiVersion(apiVersion);
    if (apiVersion === "") errors.push(required(`${at}.apiVersion`, "must not be empty"));
    else if (version === "" || version.includes("/")) {
      const text = "must be <group>/<version> or <version>";
      errors.push(invalidValue(`${at}.apiVersion`, apiVersion, text));
    }
    for (const field of ["kind", "name", "uid"] as const) {
      if (!owner[field]) errors.push(required(`${at}.${field}`, "must not be empty"));
    }
    if (group === "" && version === "v1" && owner.kind === "Event") {
      errors.push(
        invalidValue(at, inOrder(owner), "/v1, Kind=Event is disallowed from being an owner"),
      );
    }
    if (owner.controller !== true) return;
    const name = `${owner.kind}/${owner.name}`;
    if (controller === undefined) controller = name;
    else {
      errors.push(
        invalidValue(
          path,
          owners.map(inOrder),
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
        ),
      );
    }
  });
  return errors;
}

function validateFinalizers(finalizers: readonly string[], path: string): FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    qualifiedNameErrors(finalizer).map((message) => invalidValue(path, finalizer, message)),
  );
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(
      invalidValue(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"),
    );
  }
  return errors;
}

function validateNoNewFinalizers(
  metadata: ObjectMeta,
  old: ObjectMeta,
  path: string,
): FieldError[] {
  const added = [...new Set(metadata.finalizers ?? [])]
    .filter((finalizer) => !old.finalizers?.includes(finalizer))
    .sort();
  if (added.length === 0) return [];
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(", ");
  return [
    forbidden(
      `${path}.finalizers`,
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
}

const SUBRESOURCE_MAX_BYTES = 256;

function addManagerErrors(
  errors: FieldError[],
  entries: readonly ManagedFieldsEntry[] | undefined,
  path: string,
): void {
  entries?.forEach((entry, index) => {
    const operation: string | undefined = entry.operation;
    if (operation !== "Apply" && operation !== "Update") {
      const at = `${path}[${index}].operation`;
      errors.push(invalidValue(at, operation ?? "", "must be `Apply` or `Update`"));
    }
    const fieldsType: string = entry.fieldsType ?? "";
    if (fieldsType !== "" && fieldsType !== "FieldsV1") {
      errors.push(invalidValue(`${path}[${index}].fieldsType`, fieldsType, "must be `FieldsV1`"));
    }
    const { manager = "", subresource = "" } = entry;
    errors.push(...validateFieldManager(manager, `${path}[${index}].manager`));
    if (Buffer.byteLength(subresource) > SUBRESOURCE_MAX_BYTES) {
      errors.push(tooLong(`${path}[${index}].subresource`, SUBRESOURCE_MAX_BYTES));
    }
  });
}

/** The form of most managers' names. */
const PLAIN_MANAGER = /^[ -~]{0,128}$/;

/** A manager's name: at most 128 bytes, printable. */
export function validateFieldManager(manager: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (PLAIN_MANAGER.test(manager)) return errors;
  if (Buffer.byteLength(manager) > MANAGER_MAX_BYTES) errors.push(tooLong(path, MANAGER_MAX_BYTES));
  let offset = 0;
  for (const character of manager) {
    if (!isPrintable(character)) {
      errors.push(
        invalidValue(
          path,
          manager,
          `invalid character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")} (at position ${offset})`,
        ),
      );
      break;
    }
    offset += Buffer.byteLength(character);
  }
  return errors;
}

/** Go's `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols, and the plain space. */
function isPrintable(character: string): boolean {
  return character === " " || /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character);
}
