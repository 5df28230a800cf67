/**
 * Validation of volumes whose files come from the API: secrets, config maps, fields of the pod,
 * tokens.
 */
import { Check } from "../../../../kube/check.ts";
import {
  type FieldError,
  forbidden,
  invalidValue,
  required,
} from "../../../../kube/field-errors.ts";
import { at, listAt, numberAt, textAt } from "../../at.ts";
import { localPathErrors } from "../checks.ts";
import type { Volume } from "../pods/shapes.ts";
import { fieldPathErrors, resourceFieldErrors } from "../pods/field-references.ts";
import {
  type CheckPath,
  checkBundleSource,
  checkCertificateSource,
} from "./certificate-sources.ts";
import { texts } from "./disk-sources.ts";

type Projected = NonNullable<Volume["projected"]>;

const DOWNWARD_FIELDS = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

const MAX_MODE = 0o777;
const MODE = "must be a number between 0 and 0777 (octal), both inclusive";
const CONFLICT = "conflicting duplicate paths";
const SHORTEST_TOKEN_SECONDS = 600;
const LONGEST_TOKEN_SECONDS = 2 ** 32;

function modeErrors(field: string, source: unknown, name: string): FieldError[] {
  const mode = numberAt(source, name);
  return mode < 0 || mode > MAX_MODE ? [invalidValue(`${field}.${name}`, mode, MODE)] : [];
}

/**
 * Validates a path inside of the volume, whose first step must not begin with `..`, as the volume's
 * own files do.
 */
function filePathErrors(field: string, path: string): FieldError[] {
  const errors = localPathErrors(field, path);
  return path.startsWith("..") && !path.startsWith("../")
    ? [...errors, invalidValue(field, path, "must not start with '..'")]
    : errors;
}

const keyErrors = (field: string, item: unknown): FieldError[] => [
  ...texts(field, item, "key", "path"),
  ...filePathErrors(`${field}.path`, textAt(item, "path")),
  ...modeErrors(field, item, "mode"),
];

const keysErrors = (field: string, source: unknown): FieldError[] =>
  listAt(source, "items").flatMap((item, index) => keyErrors(`${field}.items[${index}]`, item));

/** Validates a volume of the keys of a secret (`secretName`) or of a config map (`name`). */
export const keyFilesErrors = (field: string, source: unknown, name: string): FieldError[] => [
  ...texts(field, source, name),
  ...modeErrors(field, source, "defaultMode"),
  ...keysErrors(field, source),
];

/** Validates a volume of fields of the pod. */
export const downwardErrors = (field: string, source: unknown): FieldError[] => [
  ...modeErrors(field, source, "defaultMode"),
  ...listAt(source, "items").flatMap((item) => downwardItemErrors(field, item)),
];

function downwardItemErrors(field: string, item: unknown): FieldError[] {
  const errors = [
    ...texts(field, item, "path"),
    ...filePathErrors(`${field}.path`, textAt(item, "path")),
  ];
  const fieldRef = at(item, "fieldRef");
  const resource = at(item, "resourceFieldRef");
  if (fieldRef !== undefined) {
    errors.push(...fieldPathErrors(`${field}.fieldRef`, fieldRef, DOWNWARD_FIELDS));
    if (resource !== undefined) {
      const detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
      errors.push(invalidValue(field, "resource", detail));
    }
  } else if (resource !== undefined) {
    errors.push(...resourceFieldErrors(`${field}.resourceFieldRef`, resource, true));
  } else errors.push(required(field, "one of fieldRef and resourceFieldRef is required"));
  return [...errors, ...modeErrors(field, item, "mode")];
}

/** Validates a volume that projects several of these sources into one folder. */
export function projectedErrors(field: string, projected: Projected): FieldError[] {
  const paths = new Set<string>();
  return [
    ...modeErrors(field, projected, "defaultMode"),
    ...(projected.sources ?? []).flatMap((source, index) =>
      projectionErrors(field, `${field}.sources[${index}]`, source, paths),
    ),
  ];
}

function projectionErrors(
  field: string,
  where: string,
  source: NonNullable<Projected["sources"]>[number],
  paths: Set<string>,
): FieldError[] {
  const errors: FieldError[] = [];
  const claim = (path: string, shown: string): void => {
    if (path !== "" && paths.has(path)) errors.push(invalidValue(field, shown, CONFLICT));
    paths.add(path);
  };
  for (const part of ["secret", "configMap"]) {
    const files = at(source, part);
    if (files === undefined) continue;
    errors.push(...texts(`${where}.${part}`, files, "name"));
    for (const [index, item] of listAt(files, "items").entries()) {
      errors.push(...keyErrors(`${where}.${part}.items[${index}]`, item));
      claim(textAt(item, "path"), textAt(files, "name"));
    }
  }
  for (const item of listAt(source, "downwardAPI.items")) {
    errors.push(...downwardItemErrors(`${where}.downwardAPI`, item));
    claim(textAt(item, "path"), textAt(item, "path"));
  }
  const token = at(source, "serviceAccountToken");
  if (token !== undefined) errors.push(...tokenErrors(field, where, token));
  const checkPath: CheckPath = (path) => {
    const { value = "" } = path;
    path.add(filePathErrors(path.field, value));
    if (value !== "" && paths.has(value)) path.add([invalidValue(field, value, CONFLICT)]);
    paths.add(value);
  };
  const { clusterTrustBundle: bundle, podCertificate: certificate } = source;
  if (bundle) {
    const at = `${where}.clusterTrustBundle`;
    errors.push(...Check.errorsOf(bundle, (one) => checkBundleSource(one, checkPath), at));
  }
  if (certificate) {
    const at = `${where}.podCertificate`;
    errors.push(
      ...Check.errorsOf(certificate, (one) => checkCertificateSource(one, checkPath), at),
    );
  }
  if (Object.keys(source).length > 1) {
    errors.push(forbidden(where, "may not specify more than 1 volume type per source"));
  }
  return errors;
}

function tokenErrors(field: string, where: string, token: unknown): FieldError[] {
  const seconds = numberAt(token, "expirationSeconds");
  const path = textAt(token, "path");
  const lifetime = `${where}.serviceAccountToken.expirationSeconds`;
  const errors: FieldError[] = [];
  if (seconds < SHORTEST_TOKEN_SECONDS) {
    const detail = "may not specify a duration less than 10 minutes";
    errors.push(invalidValue(lifetime, seconds, detail));
  }
  if (seconds > LONGEST_TOKEN_SECONDS) {
    const detail = "may not specify a duration larger than 2^32 seconds";
    errors.push(invalidValue(lifetime, seconds, detail));
  }
  return [
    ...errors,
    ...(path === "" ? [required(`${field}.path`)] : filePathErrors(`${field}.path`, path)),
  ];
}
