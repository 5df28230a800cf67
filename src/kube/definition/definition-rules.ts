/**
 * Validation of CustomResourceDefinitions.
 *
 * Rules for its schemas are in `schema-errors.ts`.
 *
 * @see https://pkg.go.dev/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
 */
import {
  type FieldError,
  forbidden,
  invalidValue,
  notSupported,
  required,
} from "../field-errors.ts";
import { sameJson } from "../json.ts";
import { dns1035LabelErrors, dns1123SubdomainErrors } from "../names.ts";
import { approvalErrors } from "./approval.ts";
import {
  type Definition,
  type DefinitionConversion,
  type DefinitionNames,
  type DefinitionVersion,
  isConditionTrue,
} from "./definition.ts";
import { goVersions } from "./go-form.ts";
import { hoistVersions } from "./hoisted.ts";
import type { SchemaErrorOptions } from "./schema-errors.ts";
import { versionErrors, versionPartErrors } from "./version-rules.ts";
import { caBundleErrors, webhookAddressErrors } from "../webhooks/webhook-address.ts";

const SCOPES = ["Cluster", "Namespaced"];
const STRATEGIES = ["None", "Webhook"];
const REVIEW_VERSIONS = ["v1", "v1beta1"];
const NAME_RULE = 'must be spec.names.plural+"."+spec.group';

/**
 * The state of a definition's schemas: the generator checks them itself, to report their places.
 */
type SchemaState = Pick<SchemaErrorOptions, "judged">;

/** All errors of a new definition beside those of its metadata. */
export function definitionErrors(definition: Definition, schemas: SchemaState = {}): FieldError[] {
  return [
    ...nameErrors(definition),
    ...specErrors(definition, undefined, schemas),
    ...definitionStatusErrors(definition),
    ...storedVersionErrors(definition),
    ...approvalErrors(definition),
    ...preserveErrors(definition),
  ];
}

/** All errors of a change of a definition. */
export function definitionUpdateErrors(definition: Definition, old: Definition): FieldError[] {
  return [
    ...specErrors(definition, old),
    ...immutableErrors(definition, old),
    ...definitionStatusErrors(definition),
    ...storedVersionErrors(definition),
    ...approvalErrors(definition, old),
    ...(old.spec.preserveUnknownFields ? [] : preserveErrors(definition)),
  ];
}

/** All errors of the status of a definition. */
export function definitionStatusErrors(definition: Definition): FieldError[] {
  return namesErrors(definition.status?.acceptedNames ?? {}, "status.acceptedNames");
}

function nameErrors({ metadata, spec }: Definition): FieldError[] {
  const expected = `${spec.names?.plural ?? ""}.${spec.group ?? ""}`;
  const { name = "", generateName = "" } = metadata;
  const errors: FieldError[] = [];
  if (generateName !== "" && generateName !== expected) {
    errors.push(invalidValue("metadata.generateName", generateName, NAME_RULE));
  }
  if (name !== "" && name !== expected) {
    errors.push(invalidValue("metadata.name", name, NAME_RULE));
  }
  return errors;
}

function specErrors(
  definition: Definition,
  old: Definition | undefined,
  schemas: SchemaState = {},
): FieldError[] {
  const { spec } = definition;
  const { group = "", names = {} } = spec;
  const { common, versions } = hoistVersions(definition);
  const errors = [...groupErrors(group), ...enumErrors("spec.scope", spec.scope, SCOPES)];
  if (!common.schema?.openAPIV3Schema) {
    for (const [index, version] of versions.entries()) {
      if (version.schema?.openAPIV3Schema) continue;
      errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
    }
  }
  for (const [index, version] of versions.entries()) {
    const path = `spec.versions[${index}]`;
    for (const message of [dns1035LabelErrors(version.name).join(",")]) {
      if (message !== "") errors.push(invalidValue(`${path}.name`, version.name, message));
    }
    const subresources = common.subresources ?? version.subresources;
    const unchanged = hasSameSchema(definition, old, version.name);
    const hasStatus = subresources?.status !== undefined;
    errors.push(...versionErrors(version, path, { ...schemas, hasStatus, unchanged }));
  }
  const whole = (rule: string): FieldError =>
    invalidValue("spec.versions", goVersions(versionsOrNone(spec.versions, versions)), rule);
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(whole("must contain unique version names"));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(whole("must have exactly one version marked as storage version"));
  }
  const [first] = versions;
  if (first && first.name !== "") {
    const message = dns1035LabelErrors(first.name).join(",");
    if (message !== "") errors.push(invalidValue("spec.version", first.name, message));
  }
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if (!names[name]) errors.push(required(`spec.names.${name}`));
  }
  errors.push(...namesErrors(names, "spec.names"));
  const anyStatus = [common, ...versions].some(({ subresources }) => subresources?.status);
  const unchanged = first !== undefined && hasSameSchema(definition, old, first.name);
  errors.push(
    ...versionPartErrors(common, topLevelPaths, { ...schemas, hasStatus: anyStatus, unchanged }),
  );
  errors.push(...conversionErrors(spec.conversion, old));
  return errors;
}

/** Whether the stored definition has that version with the same schema. */
function hasSameSchema(
  definition: Definition,
  old: Definition | undefined,
  version: string,
): boolean {
  const schemaIn = ({ spec }: Definition): DefinitionVersion["schema"] =>
    spec.versions?.find(({ name }) => name === version)?.schema;
  const before = old && schemaIn(old);
  return before !== undefined && sameJson(before, schemaIn(definition));
}

/** The versions, with `null` and an empty list kept apart, as in Go. */
const versionsOrNone = (
  given: readonly DefinitionVersion[] | null | undefined,
  versions: readonly DefinitionVersion[],
): readonly DefinitionVersion[] | null => (given ? versions : null);

const topLevelPaths = {
  schema: "spec.validation",
  subresources: "spec.subresources",
  columns: "spec.additionalPrinterColumns",
  selectableFields: "spec.selectableFields",
};

function groupErrors(group: string): FieldError[] {
  if (group === "") return [required("spec.group")];
  const messages = dns1123SubdomainErrors(group);
  if (messages.length > 0) return [invalidValue("spec.group", group, messages.join(","))];
  if (group.includes(".")) return [];
  return [invalidValue("spec.group", group, "should be a domain with at least one dot")];
}

function enumErrors(
  path: string,
  value: string | undefined,
  accepted: readonly string[],
): FieldError[] {
  if (!value) return [required(path)];
  return accepted.includes(value) ? [] : [notSupported(path, value, accepted)];
}

function namesErrors(names: DefinitionNames, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const check = (at: string, name: string | undefined, mixedCase = false): void => {
    if (!name) return;
    const messages = dns1035LabelErrors(mixedCase ? name.toLowerCase() : name);
    if (messages.length === 0) return;
    const prefix = mixedCase ? "may have mixed case, but should otherwise match: " : "";
    errors.push(invalidValue(`${path}.${at}`, name, prefix + messages.join(",")));
  };
  const checkAll = (list: "shortNames" | "categories"): void => {
    for (const [index, name] of (names[list] ?? []).entries()) {
      const messages = dns1035LabelErrors(name);
      if (messages.length === 0) continue;
      errors.push(invalidValue(`${path}.${list}[${index}]`, name, messages.join(",")));
    }
  };
  check("plural", names.plural);
  check("singular", names.singular);
  check("kind", names.kind, true);
  check("listKind", names.listKind, true);
  checkAll("shortNames");
  if (names.kind && names.kind === names.listKind) {
    const rule = "kind and listKind may not be the same";
    errors.push(invalidValue(`${path}.listKind`, names.listKind, rule));
  }
  checkAll("categories");
  return errors;
}

function conversionErrors(
  conversion: DefinitionConversion | undefined,
  old: Definition | undefined,
): FieldError[] {
  if (!conversion) return [];
  const path = "spec.conversion";
  const config = conversion.webhook?.clientConfig;
  const reviewVersions = conversion.webhook?.conversionReviewVersions ?? [];
  const errors = enumErrors(`${path}.strategy`, conversion.strategy, STRATEGIES);
  if (conversion.strategy !== "Webhook") {
    const rule = "should not be set when strategy is not set to Webhook";
    if (config) errors.push(forbidden(`${path}.webhookClientConfig`, rule));
    if (reviewVersions.length > 0) {
      errors.push(forbidden(`${path}.conversionReviewVersions`, rule));
    }
    return errors;
  }
  const at = `${path}.webhookClientConfig`;
  if (!config) errors.push(required(at, "required when strategy is set to Webhook"));
  else {
    errors.push(...webhookAddressErrors(config, at));
    if (config.caBundle && requiresValidBundle(old)) {
      errors.push(...caBundleErrors(config.caBundle, `${at}.caBundle`));
    }
  }
  errors.push(...reviewVersionErrors(reviewVersions, `${path}.conversionReviewVersions`));
  return errors;
}

/**
 * Whether the CA bundle must be valid: a broken one may stay, and may be set while the definition
 * is not established.
 */
function requiresValidBundle(old: Definition | undefined): boolean {
  if (!old || !isConditionTrue(old, "Established")) return false;
  const bundle = old.spec.conversion?.webhook?.clientConfig?.caBundle;
  return !bundle || caBundleErrors(bundle, "").length === 0;
}

function reviewVersionErrors(versions: readonly string[], path: string): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  for (const [index, version] of versions.entries()) {
    const at = `${path}[${index}]`;
    if (versions.indexOf(version) < index)
      errors.push(invalidValue(at, version, "duplicate version"));
    else {
      for (const message of dns1035LabelErrors(version)) {
        errors.push(invalidValue(at, version, message));
      }
    }
  }
  if (!versions.some((version) => REVIEW_VERSIONS.includes(version))) {
    const rule = `must include at least one of ${REVIEW_VERSIONS.join(", ")}`;
    errors.push(invalidValue(path, versions, rule));
  }
  return errors;
}

function immutableErrors({ spec }: Definition, old: Definition): FieldError[] {
  const errors: FieldError[] = [];
  const check = (path: string, value: string | undefined, before: string | undefined): void => {
    if (value !== before) errors.push(invalidValue(path, value ?? "", "field is immutable"));
  };
  if (isConditionTrue(old, "Established")) {
    check("spec.scope", spec.scope, old.spec.scope);
    check("spec.names.kind", spec.names?.kind, old.spec.names?.kind);
  }
  check("spec.group", spec.group, old.spec.group);
  check("spec.names.plural", spec.names?.plural, old.spec.names?.plural);
  return errors;
}

function storedVersionErrors({ spec, status }: Definition): FieldError[] {
  const path = "status.storedVersions";
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) {
    return [invalidValue(path, null, "must have at least one stored version")];
  }
  const errors: FieldError[] = [];
  // A second version of the same name does not find the name any more.
  const missing = new Map(stored.map((name, index) => [name, index]));
  for (const { name, storage } of spec.versions ?? []) {
    if (!missing.delete(name) && storage) {
      errors.push(invalidValue(path, stored, `must have the storage version ${name}`));
    }
  }
  for (const [name, index] of missing) {
    const rule = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalidValue(`${path}[${index}]`, name, rule));
  }
  return errors;
}

function preserveErrors({ spec }: Definition): FieldError[] {
  if (!spec.preserveUnknownFields) return [];
  const rule =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [invalidValue("spec.preserveUnknownFields", true, rule)];
}
