/**
 * Named formats of texts: `format.dns1123Label().validate(x)`.
 *
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-format-library
 */
import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  maskTrailingDash,
  qualifiedNameErrors,
} from "../../names.ts";
import { stringFormat } from "../../schema/formats.ts";
import { member, overload, functionOf } from "../functions.ts";
import type { Library } from "../environment.ts";
import { listOf, optionalOf, STRING, struct } from "../types.ts";
import { type CelError, type CelValue, noSuchOverload, Optional, ValueList } from "../values.ts";
import { requestUrlError } from "./go-url.ts";
import { KubernetesValue } from "./kubernetes-value.ts";

const FORMAT = struct("kubernetes.NamedFormat");

export class NamedFormat extends KubernetesValue {
  readonly type = FORMAT;
  readonly name: string;
  /** The length of the pattern that its cost depends on. */
  readonly patternSize: number;
  readonly errorsOf: (text: string) => string[];

  constructor(name: string, patternSize: number, errorsOf: (text: string) => string[]) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.errorsOf = errorsOf;
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof NamedFormat ? other.name === this.name : noSuchOverload();
  }

  toString(): string {
    return this.name;
  }
}

type Check = (text: string) => string[];

const prefixOf =
  (check: Check): Check =>
  (text) =>
    check(maskTrailingDash(text));

const checked =
  (format: string, message: string): Check =>
  (text) =>
    stringFormat(format)?.(text) ? [] : [message];

/** The length of the pattern of dates and times. */
const DATE_TIME_PATTERN = 71;

const FORMATS: ReadonlyMap<string, NamedFormat> = new Map(
  (
    [
      ["dns1123Label", "DNS1123Label", 30, dns1123LabelErrors],
      ["dns1123Subdomain", "DNS1123Subdomain", 60, dns1123SubdomainErrors],
      ["dns1035Label", "DNS1035Label", 30, dns1035LabelErrors],
      ["qualifiedName", "QualifiedName", 60, qualifiedNameErrors],
      ["dns1123LabelPrefix", "DNS1123LabelPrefix", 30, prefixOf(dns1123LabelErrors)],
      ["dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, prefixOf(dns1123SubdomainErrors)],
      ["dns1035LabelPrefix", "DNS1035LabelPrefix", 30, prefixOf(dns1035LabelErrors)],
      ["labelValue", "LabelValue", 40, labelValueErrors],
      [
        "uri",
        "URI",
        1103,
        (text: string) => [requestUrlError(text)?.message ?? ""].filter(Boolean),
      ],
      ["uuid", "uuid", 70, checked("uuid", "does not match the UUID format")],
      ["byte", "byte", 84, checked("byte", "invalid base64")],
      ["date", "date", DATE_TIME_PATTERN, checked("date", "invalid date")],
      ["datetime", "datetime", DATE_TIME_PATTERN, checked("datetime", "invalid datetime")],
    ] as const
  ).map(([name, title, size, check]) => [name, new NamedFormat(title, size, check)]),
);

function validate(format: CelValue, text: CelValue = null): CelValue | CelError {
  if (!(format instanceof NamedFormat) || typeof text !== "string") return noSuchOverload();
  const errors = format.errorsOf(text);
  return errors.length === 0 ? new Optional() : new Optional(new ValueList(errors));
}

function named(name: CelValue): CelValue | CelError {
  if (typeof name !== "string") return noSuchOverload();
  return new Optional(FORMATS.get(name));
}

export const formatLibrary: Library = {
  functions: [
    functionOf(
      "validate",
      member("format-validate", [FORMAT, STRING], optionalOf(listOf(STRING)), validate),
    ),
    functionOf("format.named", overload("format-named", [STRING], optionalOf(FORMAT), named)),
    ...[...FORMATS].map(([name, format]) =>
      functionOf(
        `format.${name}`,
        overload(`format.${name}`, [], FORMAT, () => format),
      ),
    ),
  ],
};
