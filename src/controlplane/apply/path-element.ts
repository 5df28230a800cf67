/**
 * A step of a field's path in the notation of FieldsV1: `f:name` is a field, `k:{"name":"x"}` an
 * item of a list map, `v:"x"` an item of a set, `i:0` an index.
 *
 * An element is kept as that string; equal elements have equal strings.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
import { quote } from "../../kube/field-errors.ts";
import { isNumeric } from "../../kube/text/go-number.ts";
import { encodeJson } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { readJson } from "../wire/json/json-scanner.ts";
import { printJson } from "../builtin/go/print.ts";

/** A path element in FieldsV1's notation. */
export type PathElement = string;

/** The element of a field or map key. */
export const fieldElement = (name: string): PathElement => `f:${name}`;

/** The name in a field's element; `undefined` for elements of lists. */
export function fieldNameOf(element: PathElement): string | undefined {
  return element.startsWith("f:") ? element.slice(2) : undefined;
}

export const valueElement = (value: unknown): PathElement => `v:${printJson(value)}`;

/** Matches strings that JSON writes between quotes without escapes. */
const PLAIN_TEXT = /^[\w./:-]*$/;

const printPart = (value: unknown): string =>
  typeof value === "string" && PLAIN_TEXT.test(value) ? `"${value}"` : printJson(value);

/** The element of an item of a list map. */
export function keyElement(key: JsonObject): PathElement {
  const names = Object.keys(key);
  const [name] = names;
  if (name !== undefined && names.length === 1) {
    return `k:{${printPart(name)}:${printPart(key[name])}}`;
  }
  names.sort();
  return `k:{${names.map((name) => `${printPart(name)}:${printPart(key[name])}`).join(",")}}`;
}

/**
 * The element in its canonical notation, whichever notation a client used; `undefined` when it is
 * malformed.
 */
export function normaliseElement(text: string): PathElement | undefined {
  const content = text.slice(2);
  switch (text.slice(0, 2)) {
    case "f:":
      return text;
    case "i:":
      return /^-?\d+$/.test(content) ? text : undefined;
    case "v:":
    case "k:":
      break;
    default:
      return undefined;
  }
  try {
    const value = readJson(content);
    if (text.startsWith("v:")) return valueElement(value);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? keyElement(value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

/** A scalar as messages show it: strings quoted. */
const printScalar = (value: unknown): string =>
  typeof value === "string" ? quote(value) : encodeJson(value);

/** The element as messages show it: `.name`, `[name="x",port=80]`, `[="x"]`, `[0]`. */
export function printElement(element: PathElement): string {
  const content = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${content}`;
    case "k":
      return `[${Object.entries(readJson(content) as JsonObject)
        .map(([name, value]) => `${name}=${printScalar(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${printScalar(readJson(content))}]`;
    default:
      return `[${content}]`;
  }
}

const RANKS = "fkvi";

/** The order of two texts, for a sort. */
export const compareTexts = (left: string, right: string): number =>
  left < right ? -1 : left > right ? 1 : 0;

function compareScalars(left: unknown, right: unknown): number {
  return isNumeric(left) && isNumeric(right)
    ? Number(left > right) - Number(left < right)
    : compareTexts(encodeJson(left), encodeJson(right));
}

function compareKeys(left: JsonObject, right: JsonObject): number {
  const rightFields = Object.entries(right);
  for (const [index, [name, value]] of Object.entries(left).entries()) {
    const other = rightFields[index];
    if (!other) return 1;
    const order = compareTexts(name, other[0]) || compareScalars(value, other[1]);
    if (order !== 0) return order;
  }
  return Object.keys(left).length - rightFields.length;
}

interface Ranked {
  readonly element: PathElement;
  readonly rank: number;
  /** The item's key or value, or the index. Absent for fields, which are sorted by their text. */
  readonly value?: unknown;
}

function ranked(element: PathElement): Ranked {
  const rank = RANKS.indexOf(element.charAt(0));
  return rank === 0 ? { element, rank } : { element, rank, value: readJson(element.slice(2)) };
}

function compareRanked(left: Ranked, right: Ranked): number {
  if (left.rank !== right.rank) return left.rank - right.rank;
  if (left.rank === 0) return compareTexts(left.element, right.element);
  return left.element.startsWith("k")
    ? compareKeys(left.value as JsonObject, right.value as JsonObject)
    : compareScalars(left.value, right.value);
}

/** The elements in the order of FieldsV1: fields, list map items, set items, indexes. */
export function sortElements(elements: Iterable<PathElement>): PathElement[] {
  return Array.from(elements, ranked)
    .sort(compareRanked)
    .map(({ element }) => element);
}
