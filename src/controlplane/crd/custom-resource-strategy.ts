/** The strategy of custom resources, by the schema of their definition. */
import { type FieldError, invalidValue } from "../../kube/field-errors.ts";
import { asJson, sameJson, setField } from "../../kube/json.ts";
import { dns1123SubdomainErrors, maskTrailingDash, qualifiedNameErrors } from "../../kube/names.ts";
import type { JsonObject, SentObject } from "../../kube/object.ts";
import { groupResourceOf, type ResourceInfo } from "../../kube/resource.ts";
import { Correlation } from "../../kube/schema/correlation.ts";
import { dropNulls, setDefaults } from "../../kube/schema/defaults.ts";
import { coerceEmbedded, embeddedErrors } from "../../kube/schema/embedded.ts";
import { listErrors } from "../../kube/schema/lists.ts";
import { prune } from "../../kube/schema/prune.ts";
import type { RuleChecker } from "../../kube/rules/rule-check.ts";
import { propertyOf, type Schema } from "../../kube/schema/structural.ts";
import { SchemaValidator } from "../../kube/schema/validate.ts";
import { failure } from "../../kube/status.ts";
import { present } from "../../present.ts";
import type { DefaultingOptions, Strategy, WriteContext } from "../kinds.ts";
import type { DefinitionScale } from "../../kube/definition/definition.ts";
import { scaleSpecErrors, scaleStatusErrors } from "./scale.ts";

export interface CustomKind {
  readonly resource: ResourceInfo;
  readonly schema: Schema;
  readonly hasStatus: boolean;
  readonly scale?: DefinitionScale | undefined;
  /** Whether the definition is being deleted. */
  readonly terminating: boolean;
  /** The rules in CEL; absent when there are none. */
  readonly rules?: RuleChecker | undefined;
}

/** Errors that keep rules from being run. */
const BLOCKING: ReadonlySet<FieldError["reason"]> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const RULES_SKIPPED =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

const STANDARD_FINALIZERS = ["orphan", "foregroundDeletion", "kubernetes"];

/** The object without its metadata. */
function contentOf(object: SentObject): JsonObject {
  const content = { ...asJson(object) };
  delete content["metadata"];
  return content;
}

/** The endpoint of a custom resource itself. */
export class CustomResourceStrategy implements Strategy {
  readonly allowCreateOnUpdate = false;
  readonly allowCreateOnApply: boolean = true;
  readonly allowUnconditionalUpdate = false;
  protected readonly kind: CustomKind;
  readonly #validator: SchemaValidator;

  constructor(kind: CustomKind) {
    this.kind = kind;
    this.#validator = new SchemaValidator(kind.schema);
  }

  /** As `ServedResource.dropUnknown`. */
  dropUnknown(object: SentObject): string[] {
    const { schema, resource } = this.kind;
    const { unknown, error } = coerceEmbedded(object, schema);
    if (error) {
      const { kind, version } = resource;
      const message = `${kind} in version "${version}" cannot be handled as a ${kind}: ${error.field}: ${error.message}`;
      throw failure(400, "BadRequest", message);
    }
    return [...prune(object, schema, { root: true }), ...unknown];
  }

  setDefaults(
    object: SentObject,
    { keepNulls = false, keepUnknown = false }: DefaultingOptions = {},
  ): void {
    const { schema } = this.kind;
    if (!keepUnknown) prune(object, schema, { root: true });
    if (!keepNulls) dropNulls(object, schema);
    setDefaults(object, schema);
  }

  prepareForCreate(object: SentObject): void {
    const { resource, hasStatus, terminating } = this.kind;
    if (terminating) {
      const { name = "" } = object.metadata;
      const reason = "create not allowed while custom resource definition is terminating";
      const message = `${groupResourceOf(resource)} ${JSON.stringify(name)} is forbidden: ${reason}`;
      const { group, plural } = resource;
      throw failure(403, "Forbidden", message, { name, group, kind: plural });
    }
    if (hasStatus) delete asJson(object)["status"];
    object.metadata.generation = 1;
  }

  prepareForUpdate(object: SentObject, old: SentObject, context: WriteContext): void {
    if (this.kind.hasStatus) {
      const { status } = asJson(old);
      if (status === undefined) delete asJson(object)["status"];
      else asJson(object)["status"] = status;
    }
    const generation = old.metadata.generation ?? 0;
    if (!sameJson(contentOf(object), contentOf(old))) {
      object.metadata.generation = generation + 1;
    }
    const before = new Set(old.metadata.finalizers);
    const added = (object.metadata.finalizers ?? []).filter((name) => !before.has(name));
    warnOfFinalizers(added, context);
  }

  validateCreate(object: SentObject, context: WriteContext): FieldError[] {
    const { schema } = this.kind;
    const errors = [
      ...(context.metadataErrors ?? []),
      ...this.#contentErrors(object),
      ...listErrors(object, schema),
    ];
    const all = this.withRules(errors, object, undefined, undefined, context);
    if (all.length === 0) warnOfFinalizers(object.metadata.finalizers ?? [], context);
    return all;
  }

  validateUpdate(object: SentObject, old: SentObject, context: WriteContext): FieldError[] {
    const { schema } = this.kind;
    const correlation = new Correlation(object, old, schema);
    const errors = this.#contentErrors(object, correlation);
    errors.push(...newListErrors(object, old, schema));
    return this.withRules(errors, object, old, correlation, context);
  }

  /** Errors of the object as it is, but for those of its lists. */
  #contentErrors(object: SentObject, correlation?: Correlation): FieldError[] {
    const { schema, scale } = this.kind;
    const errors = this.typeErrors(object);
    if (errors.length === 0) {
      errors.push(...this.#validator.validate(object, present({ correlation })));
      if (scale) {
        errors.push(...scaleSpecErrors(object, scale), ...scaleStatusErrors(object, scale));
      }
    }
    return [...errors, ...embeddedErrors(object, schema)];
  }

  validateName(name: string, prefix: boolean): string[] {
    return dns1123SubdomainErrors(prefix ? maskTrailingDash(name) : name);
  }

  /** Errors of the type: a patch may have changed apiVersion or kind. */
  protected typeErrors(object: SentObject): FieldError[] {
    const { group, version, kind } = this.kind.resource;
    const apiVersion = `${group}/${version}`;
    const errors: FieldError[] = [];
    if (object.kind !== kind) errors.push(invalidValue("kind", object.kind, `must be ${kind}`));
    if (object.apiVersion !== apiVersion) {
      errors.push(invalidValue("apiVersion", object.apiVersion, `must be ${apiVersion}`));
    }
    return errors;
  }

  /** The errors, and those of the rules in CEL unless one of the errors blocks them. */
  protected withRules(
    errors: FieldError[],
    object: SentObject,
    old: SentObject | undefined,
    correlation: Correlation | undefined,
    context: WriteContext,
  ): FieldError[] {
    const { rules } = this.kind;
    if (!rules) return errors;
    if (errors.some(({ reason }) => BLOCKING.has(reason))) {
      return [...errors, invalidValue("<nil>", null, RULES_SKIPPED)];
    }
    const warn = context.warn.bind(context);
    return [...errors, ...rules.check(object, old, { correlation, warn })];
  }
}

/** The endpoint `/status`: only the status changes. */
export class CustomStatusStrategy extends CustomResourceStrategy {
  override readonly allowCreateOnApply = false;
  readonly #status: SchemaValidator;

  constructor(kind: CustomKind) {
    super(kind);
    this.#status = new SchemaValidator(propertyOf(kind.schema, "status") ?? {});
  }

  override prepareForUpdate(object: SentObject, old: SentObject): void {
    const fields = asJson(object);
    const before = asJson(old);
    const { managedFields, resourceVersion } = object.metadata;
    for (const name of Object.keys(fields)) {
      if (name !== "status" && !Object.hasOwn(before, name)) Reflect.deleteProperty(fields, name);
    }
    for (const [name, value] of Object.entries(before)) {
      if (name !== "status") setField(fields, name, value);
    }
    const metadata = { ...old.metadata };
    if (managedFields) metadata.managedFields = managedFields;
    else delete metadata.managedFields;
    if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion;
    object.metadata = metadata;
  }

  override validateUpdate(
    object: SentObject,
    old: SentObject,
    context: WriteContext,
  ): FieldError[] {
    const wrongKind = this.typeErrors(object);
    if (wrongKind.length > 0) return wrongKind;
    const { schema, scale } = this.kind;
    const correlation = new Correlation(object, old, schema);
    const errors: FieldError[] = [];
    const { status } = asJson(object);
    if (status !== undefined) {
      const options = { base: "status", correlation: correlation.field("status") };
      errors.push(...this.#status.validate(status, options));
    }
    if (scale) errors.push(...scaleStatusErrors(object, scale));
    errors.push(...newListErrors(object, old, schema));
    return this.withRules(errors, object, old, correlation, context);
  }
}

/**
 * Errors of lists; where the old lists had errors, all may stay, and unchanged ones are not
 * checked.
 */
function newListErrors(object: SentObject, old: SentObject, schema: Schema): FieldError[] {
  const errors = listErrors(object, schema, { ofChanged: true });
  return errors.length > 0 && listErrors(old, schema).length > 0 ? [] : errors;
}

function warnOfFinalizers(finalizers: readonly string[], context: WriteContext): void {
  for (const finalizer of [...new Set(finalizers)].sort()) {
    const prefix = `metadata.finalizers: ${JSON.stringify(finalizer)}: `;
    for (const message of qualifiedNameErrors(finalizer)) context.warn(prefix + message);
    if (finalizer.includes("/") || STANDARD_FINALIZERS.includes(finalizer)) continue;
    const path = finalizer.includes(".") ? " including a path (/)" : "";
    context.warn(
      `${prefix}prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
    );
  }
}
