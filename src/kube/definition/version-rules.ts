/**
 * Validation of one version of a definition: its schema, subresources, columns and selectable
 * fields.
 */
import { duplicate, type FieldError, invalidValue, required, tooMany } from "../field-errors.ts";
import { parseFieldPath } from "../schema/field-path.ts";
import type { Schema } from "../schema/structural.ts";
import { unsupportedKeyword } from "../schema/keyword-rules.ts";
import type { DefinitionColumn, DefinitionScale, DefinitionVersion } from "./definition.ts";
import { type SchemaErrorOptions, schemaErrors } from "./schema-errors.ts";

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = [
  "byte",
  "date",
  "date-time",
  "double",
  "float",
  "int32",
  "int64",
  "password",
];
const MAX_SELECTABLE_FIELDS = 8;
const WARNING_MAX_BYTES = 256;

interface PartPaths {
  readonly schema: string;
  readonly subresources: string;
  readonly columns: string;
  readonly selectableFields: string;
}

type Parts = Partial<
  Pick<
    DefinitionVersion,
    "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields"
  >
>;

/** All errors of a version at `path`. */
export function versionErrors(
  version: DefinitionVersion,
  path: string,
  options: SchemaErrorOptions,
): FieldError[] {
  const errors = warningErrors(version, `${path}.deprecationWarning`);
  const paths = {
    schema: `${path}.schema`,
    subresources: `${path}.subresources`,
    columns: `${path}.additionalPrinterColumns`,
    selectableFields: `${path}.selectableFields`,
  };
  errors.push(...versionPartErrors({ ...version, selectableFields: [] }, paths, options));
  const selectable = version.selectableFields ?? [];
  const schema = version.schema?.openAPIV3Schema;
  if (selectable.length > 0 && !schema) {
    // The text says the opposite of the rule, as the API server's does.
    const rule = "may only be set when `version.schema.openAPIV3Schema` is not included";
    errors.push(invalidValue(paths.selectableFields, "", rule));
  } else if (schema) {
    errors.push(...selectableErrors(selectable, schema, paths.selectableFields));
  }
  return errors;
}

/** All errors of the parts of a version, wherever they are. */
export function versionPartErrors(
  parts: Parts,
  paths: PartPaths,
  options: SchemaErrorOptions,
): FieldError[] {
  const errors: FieldError[] = [];
  const schema = parts.schema?.openAPIV3Schema;
  if (schema) errors.push(...schemaErrors(schema, `${paths.schema}.openAPIV3Schema`, options));
  const scale = parts.subresources?.scale;
  if (scale) errors.push(...scaleErrors(scale, `${paths.subresources}.scale`));
  for (const [index, column] of (parts.additionalPrinterColumns ?? []).entries()) {
    errors.push(...columnErrors(column, `${paths.columns}[${index}]`));
  }
  const selectable = parts.selectableFields ?? [];
  if (selectable.length > 0 && !schema) {
    const rule = "may only be set when validations.schema is included";
    errors.push(invalidValue(paths.selectableFields, "", rule));
  } else if (schema) {
    errors.push(...selectableErrors(selectable, schema, paths.selectableFields));
  }
  return errors;
}

function warningErrors(version: DefinitionVersion, path: string): FieldError[] {
  const { deprecationWarning: warning } = version;
  if (warning === undefined) return [];
  const invalid = (rule: string): FieldError => ({
    ...invalidValue(path, warning, rule),
    // Go prints the value of a pointer as JSON, not quoted.
    message: `Invalid value: ${JSON.stringify(warning)}: ${rule}`,
  });
  if (!version.deprecated) return [invalid("can only be set for deprecated versions")];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(warning) > WARNING_MAX_BYTES) {
    errors.push(invalid("must be <= 256 characters long"));
  }
  if (warning === "") errors.push(invalid("must not be an empty string"));
  const bad = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning);
  if (bad) {
    const index = Buffer.byteLength(warning.slice(0, bad.index));
    const rule = "must only contain printable UTF-8 characters; non-printable character found at";
    errors.push(invalid(`${rule} index ${index}`));
  }
  return errors;
}

function simplePathErrors(value: string, path: string): FieldError[] {
  if (value.startsWith(".")) return [];
  return [invalidValue(path, value, "must be a simple json path starting with .")];
}

function scaleErrors(scale: DefinitionScale, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const check = (name: keyof DefinitionScale, parents: readonly string[], rule: string): void => {
    const value = scale[name];
    const at = `${path}.${name}`;
    if (!value) {
      if (name !== "labelSelectorPath") errors.push(required(at));
      return;
    }
    const simple = simplePathErrors(value, at);
    errors.push(...simple);
    if (simple.length === 0 && !parents.some((parent) => value.startsWith(parent))) {
      errors.push(invalidValue(at, value, rule));
    }
  };
  check("specReplicasPath", [".spec."], "should be a json path under .spec");
  check("statusReplicasPath", [".status."], "should be a json path under .status");
  const either = "should be a json path under either .spec or .status";
  check("labelSelectorPath", [".spec.", ".status."], either);
  return errors;
}

function columnErrors(column: DefinitionColumn, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { name, type, format, jsonPath } = column;
  if (!name) errors.push(required(`${path}.name`));
  const types = `must be one of ${COLUMN_TYPES.join(",")}`;
  if (!type) errors.push(required(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalidValue(`${path}.type`, type, types));
  if (format && !COLUMN_FORMATS.includes(format)) {
    const rule = `must be one of ${COLUMN_FORMATS.join(",")}`;
    errors.push(invalidValue(`${path}.format`, format, rule));
  }
  if (!jsonPath) errors.push(required(`${path}.JSONPath`));
  else errors.push(...simplePathErrors(jsonPath, `${path}.JSONPath`));
  return errors;
}

function selectableErrors(
  selectable: readonly { readonly jsonPath?: string }[],
  schema: Schema,
  path: string,
): FieldError[] {
  if (selectable.length === 0 || unsupportedKeyword(schema) !== undefined) return [];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { jsonPath = "" }] of selectable.entries()) {
    const at = `${path}[${index}].jsonPath`;
    if (jsonPath === "") {
      errors.push(required(at));
      continue;
    }
    const found = parseFieldPath(jsonPath, schema, { brackets: false });
    if (typeof found === "string") {
      errors.push(invalidValue(at, jsonPath, `is an invalid path: ${found}`));
      continue;
    }
    if (found.steps[0] === "metadata") {
      errors.push(invalidValue(at, jsonPath, "must not point to fields in metadata"));
    }
    if (!["string", "boolean", "integer"].includes(found.schema.type ?? "")) {
      const rule =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      errors.push(invalidValue(at, jsonPath, rule));
    }
    const key = JSON.stringify(found.steps);
    if (seen.has(key)) errors.push(duplicate(at, jsonPath));
    seen.add(key);
  }
  if (seen.size > MAX_SELECTABLE_FIELDS) {
    errors.push(tooMany(path, seen.size, MAX_SELECTABLE_FIELDS));
  }
  return errors;
}
