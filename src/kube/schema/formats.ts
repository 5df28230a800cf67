/**
 * The `format`s of OpenAPI that the API server checks, with its checks.
 *
 * A format that is not in this table is not checked. Hyphens in names do not count.
 *
 * @see https://kubernetes.io/docs/reference/using-api/declarative-validation/
 */
import { isIPv4, isIPv6 } from "node:net";
import { isRequestUri } from "./uri.ts";

/** A pattern that is compiled on first use: the classes of letters take milliseconds. */
function onFirstUse(source: string, flags: string): { test(text: string): boolean } {
  let pattern: RegExp | undefined;
  return { test: (text) => (pattern ??= new RegExp(source, flags)).test(text) };
}

const LETTER = "a-zA-Z\\p{L}";
const WORD = `${LETTER}0-9\\p{S}`;
const hostnamePattern = onFirstUse(
  `^([${WORD}](-?[${WORD}]{0,62})?|([${WORD}](([${WORD}-]{0,61}[${WORD}])?)\\.)+[${LETTER}]{2,63})$`,
  "u",
);
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-]+";
const QUOTED = '"(?:[^"\\\\\\r\\n]|\\\\.)*"';
const ADDRESS = `(?:${ATOM}(?:\\.${ATOM})*|${QUOTED})@(?:${ATOM}(?:\\.${ATOM})*|\\[[^[\\]\\\\]*\\])`;
const emailPattern = new RegExp(
  `^\\s*(?:${ADDRESS}|(?:(?:${ATOM}|${QUOTED}|\\.)\\s*)*<${ADDRESS}>)\\s*$`,
);
const SHORT_NAME = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const shortNamePattern = new RegExp(`^${SHORT_NAME}$`);
const longNamePattern = new RegExp(`^${SHORT_NAME}(\\.${SHORT_NAME})*$`);
const RGB_PART = "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*";
const rgbPattern = new RegExp(`^rgb\\(${RGB_PART},${RGB_PART},${RGB_PART}\\)$`);
const creditCardPattern =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

const matches =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255) return false;
  return (
    hostnamePattern.test(text) && text.split(".").every((part) => Buffer.byteLength(part) <= 63)
  );
}

/** An IPv4 address whose parts may have leading zeros, as Go read them before 1.17. */
function isSloppyIPv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^[0-9]+$/.test(part) && Number(part) <= 255);
}

const isPlainIPv6 = (text: string): boolean => isIPv6(text) && !text.includes("%");

function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const bits = text.slice(slash + 1);
  if (!/^[0-9]+$/.test(bits)) return false;
  if (isSloppyIPv4(address)) return Number(bits) <= 32;
  return isPlainIPv6(address) && Number(bits) <= 128;
}

/** 6, 8 or 20 bytes in hexadecimal, joined with colons or hyphens, or by fours with dots. */
function isMac(text: string): boolean {
  const separator = text.charAt(2) === ":" || text.charAt(2) === "-" ? text.charAt(2) : ".";
  const width = separator === "." ? 4 : 2;
  const parts = text.split(separator);
  const bytes = (parts.length * width) / 2;
  return (
    [6, 8, 20].includes(bytes) &&
    parts.every((part) => part.length === width && /^[0-9a-fA-F]+$/.test(part))
  );
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < 10; index++) {
    const digit = digits.charAt(index);
    sum += (index + 1) * (digit === "X" ? 10 : Number(digit));
  }
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < 12; index++) {
    sum += (index % 2 === 0 ? 1 : 3) * Number(digits.charAt(index));
  }
  return Number(digits.charAt(12)) === (10 - (sum % 10)) % 10;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!creditCardPattern.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits.charAt(digits.length - 1 - index));
    const weighted = index % 2 === 0 ? digit : digit * 2;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!parts) return false;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const parts = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})$/.exec(time);
  if (!parts) return false;
  const [hours = "", minutes = "", seconds = ""] = parts.slice(1);
  return hours <= "23" && minutes <= "59" && seconds <= "59";
}

/** Names of units; a unit may also go on after the last one of its row. */
const TIME_UNITS = [
  ["ns", "nano"],
  ["us", "µs", "micro"],
  ["ms", "milli"],
  ["s", "sec"],
  ["m", "min"],
  ["h", "hr", "hour"],
  ["d", "day"],
  ["w", "wk", "week"],
];

const isTimeUnit = (unit: string): boolean =>
  TIME_UNITS.some((names) => names.includes(unit) || unit.startsWith(names.at(-1) ?? ""));

/** Go's durations (`1h30m`), or anywhere in the text a number with a unit (`22 days`). */
function isDuration(text: string): boolean {
  if (/^[+-]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  for (const [, , unit = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    if (isTimeUnit(unit.toLowerCase())) return true;
  }
  return false;
}

const CHECKS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["bsonobjectid", matches(/^[0-9a-fA-F]{24}$/)],
  ["uri", isRequestUri],
  ["email", matches(emailPattern)],
  ["hostname", isHostname],
  [
    "ipv4",
    (text) => isIPv4(text) || isSloppyIPv4(text) || (isPlainIPv6(text) && text.includes(".")),
  ],
  ["ipv6", isPlainIPv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ["hexcolor", matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ["rgbcolor", matches(rgbPattern)],
  [
    "byte",
    matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  ],
  ["password", () => true],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["k8sshortname", (text) => text.length <= 63 && shortNamePattern.test(text)],
  ["k8slongname", (text) => text.length <= 253 && longNamePattern.test(text)],
]);

/** The check of a format of strings; `undefined` for an unknown name. */
export function stringFormat(name: string): ((text: string) => boolean) | undefined {
  return CHECKS.get(name.replaceAll("-", ""));
}

/**
 * Whether the format is known for values of that type.
 *
 * @param type - the type in the schema; `undefined` where there is none, or several
 */
export function isKnownFormat(format: string, type: string | undefined): boolean {
  switch (type) {
    case undefined:
    case "string":
      return stringFormat(format) !== undefined;
    case "integer":
      return format === "int32" || format === "int64";
    case "number":
      return format === "float" || format === "double";
    default:
      return false;
  }
}
