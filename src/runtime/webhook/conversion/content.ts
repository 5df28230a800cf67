/** The result of a converter as plain JSON: checked, and a copy. */
import { isJsonObject, setField } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";

/** The fields of an object that the runtime sets, and a converter does not. */
export const RUNTIME_FIELDS: readonly string[] = ["apiVersion", "kind", "metadata"];

/** Far deeper than the API server allows; a value that contains itself reaches it. */
const MAX_LEVELS = 20_000;

/** An invalid result of a converter; the message continues after the converter's name. */
export class BadContent extends Error {
  override readonly name = "BadContent";
}

/** A value to copy, and its place. */
interface Visit {
  readonly value: object;
  readonly copy: JsonObject | unknown[];
  readonly parent: Visit | undefined;
  readonly step: string | number;
  readonly level: number;
}

/**
 * The content as JSON: undefined fields are left out, and whole numbers that fit become numbers.
 *
 * @throws BadContent
 */
export function plainContent(returned: unknown): JsonObject {
  if (returned instanceof Promise) {
    // Its rejection is not the mistake to report, and must not be unhandled.
    returned.catch(() => undefined);
    throw new BadContent("returned a promise; converters are synchronous");
  }
  if (!isJsonObject(returned)) {
    throw new BadContent(`returned ${described(returned)} instead of an object with the content`);
  }
  for (const field of RUNTIME_FIELDS) {
    if (returned[field] === undefined) continue;
    const rest = "const { apiVersion, kind, metadata, ...content } = object";
    throw new BadContent(
      `returned \`${field}\`, which a converter cannot change: return only the other fields (${rest})`,
    );
  }
  const content: JsonObject = {};
  const open: Visit[] = [{ value: returned, copy: content, parent: undefined, step: "", level: 0 }];
  for (let visit = open.pop(); visit; visit = open.pop()) copyParts(visit, open);
  return content;
}

function copyParts(visit: Visit, open: Visit[]): void {
  const { value, copy, level } = visit;
  if (level > MAX_LEVELS) throw new BadContent("returned an object that contains itself");
  if (Array.isArray(copy)) {
    for (const [step, item] of (value as unknown[]).entries()) {
      const part = plainPart(item, visit, step, open);
      if (part === undefined) throw refused(visit, step, item);
      copy.push(part);
    }
    return;
  }
  for (const step of Object.keys(value)) {
    const part = plainPart((value as JsonObject)[step], visit, step, open);
    if (part !== undefined) setField(copy, step, part);
  }
}

/** Copies a part; the parts below it are added to `open`. */
function plainPart(value: unknown, parent: Visit, step: string | number, open: Visit[]): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw refused(parent, step, value);
      return value;
    case "bigint":
      return BigInt(Number.MIN_SAFE_INTEGER) <= value && value <= BigInt(Number.MAX_SAFE_INTEGER)
        ? Number(value)
        : value;
    case "object": {
      if (value === null) return value;
      if (value instanceof Date) return dateText(value, parent, step);
      if (value instanceof Map || value instanceof Set || value instanceof Promise) {
        throw refused(parent, step, value);
      }
      const copy = Array.isArray(value) ? [] : {};
      open.push({ value, copy, parent, step, level: parent.level + 1 });
      return copy;
    }
    default:
      throw refused(parent, step, value);
  }
}

function dateText(date: Date, parent: Visit, step: string | number): string {
  if (Number.isNaN(date.getTime())) throw refused(parent, step, date);
  return date.toISOString();
}

function refused(parent: Visit, step: string | number, value: unknown): BadContent {
  return new BadContent(
    `returned ${described(value)} as ${pathOf(parent, step)}, which JSON does not have`,
  );
}

function pathOf(parent: Visit, last: string | number): string {
  const steps = [last];
  for (let at = parent; at.parent; at = at.parent) steps.push(at.step);
  return steps.reverse().reduce<string>((path, step) => {
    if (typeof step === "number") return `${path}[${step}]`;
    return path === "" ? step : `${path}.${step}`;
  }, "");
}

function described(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "an invalid date";
  if (typeof value === "object") return `a ${value.constructor.name}`;
  return typeof value === "number" ? String(value) : `a ${typeof value}`;
}
