/**
 * Paths of replacements and variables: fields between dots, items of lists by their index, by `[field=value]` or all of
 * them by `*`.
 */
import { compilePattern } from "../../kube/cel/patterns.ts";
import { CelError } from "../../kube/cel/values.ts";
import { getField, isJsonObject, setField } from "../../kube/json.ts";
import { fieldSlot, type FieldSlot, itemSlot, splitPath } from "./field-specs.ts";
import { scalarText } from "./resource.ts";

/** The kind of value that is made where the path leads to nothing. */
export type MadeValue = "scalar" | "mapping" | "list";

/** The steps of `a.b.[x.y/z].c.[name=n]`; brackets keep dots. */
export function splitFieldPath(path: string): string[] {
  const steps: string[] = [];
  const parts = splitPath(path, ".");
  for (let index = 0; index < parts.length; index++) {
    let step = parts[index] ?? "";
    if (step.startsWith("[") && !step.endsWith("]")) {
      while (index < parts.length - 1 && !step.endsWith("]")) step += `.${parts[++index] ?? ""}`;
      steps.push(step.includes("=") ? step : step.replace(/^\[+|\]+$/g, ""));
    } else {
      steps.push(step);
    }
  }
  return steps;
}

/** The value that the path leads to; `undefined` when there is none. */
export function readPath(node: unknown, steps: readonly string[]): unknown {
  let at = node;
  for (const step of steps.map((text) => text.trim()).filter((text) => text !== "")) {
    if (Array.isArray(at)) at = readItem(at, step);
    else if (isJsonObject(at)) at = getField(at, step);
    else return undefined;
  }
  return at;
}

function readItem(list: readonly unknown[], step: string): unknown {
  if (step === "-") return list.at(-1);
  if (/^\d+$/.test(step)) return list[Number(step)];
  const [, field, value] = ITEM.exec(step) ?? [];
  if (field === undefined) return undefined;
  return list.find((item) => keyOf(item, field) === value);
}

/** A step that selects items: `[field=value]`; the field of an item that is a single value is left out. */
const ITEM = /^\[([^=]*)=(.*)\]$/;

function keyOf(item: unknown, field: string): string | undefined {
  if (field === "") return typeof item === "object" ? undefined : scalarText(item);
  if (!isJsonObject(item) || !Object.hasOwn(item, field)) return undefined;
  return scalarText(item[field]);
}

/**
 * The places that the path leads to; none when there is no such field, an error's text when the path does not fit.
 *
 * @param made - what is made of a missing field
 */
export function findSlots(
  slot: FieldSlot,
  [step, ...rest]: readonly string[],
  made?: MadeValue,
): FieldSlot[] | string {
  if (step === undefined) return [slot];
  const { value: node } = slot;
  if (/^\d+$/.test(step)) return indexed(node, Number(step), rest, made);
  const [, field, pattern] = ITEM.exec(step) ?? [];
  if (field !== undefined && pattern !== undefined) {
    return matching(node, { field, pattern }, rest, made);
  }
  if (step === "*") {
    if (!Array.isArray(node)) return "`*` is applied to a value that is not a list";
    return joined([...node.keys()].map((index) => findSlots(itemSlot(node, index), rest, made)));
  }
  if (node === undefined || node === null) return [];
  if (!isJsonObject(node)) return `\`${step}\` is applied to a value that is not a mapping`;
  const present = getField(node, step);
  if (present === undefined) {
    if (made === undefined) return [];
    setField(node, step, emptyBefore(rest[0], made));
  }
  return findSlots(fieldSlot(node, step), rest, made);
}

function indexed(
  node: unknown,
  index: number,
  rest: readonly string[],
  made: MadeValue | undefined,
): FieldSlot[] | string {
  if (!Array.isArray(node)) return `\`${index}\` is applied to a value that is not a list`;
  if (index === node.length && made !== undefined) node.push(emptyBefore(rest[0], made));
  if (index >= node.length) return `there is no item ${index} in the list of ${node.length}`;
  return findSlots(itemSlot(node, index), rest, made);
}

function matching(
  node: unknown,
  { field, pattern }: { readonly field: string; readonly pattern: string },
  rest: readonly string[],
  made: MadeValue | undefined,
): FieldSlot[] | string {
  if (!Array.isArray(node))
    return `\`[${field}=${pattern}]\` is applied to a value that is not a list`;
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return `\`${pattern}\` is not a regular expression of Go`;
  const find = (): FieldSlot[] | string =>
    joined(
      [...node.keys()].map((index) => {
        const key = keyOf(node[index], field);
        if (key === undefined || !compiled.matcher(key).find()) return [];
        return field === ""
          ? [itemSlot(node, index)]
          : findSlots(itemSlot(node, index), rest, made);
      }),
    );
  const found = find();
  if (made === undefined || typeof found === "string" || found.length > 0) return found;
  node.push(field === "" ? pattern : { [field]: pattern });
  return find();
}

function joined(found: readonly (FieldSlot[] | string)[]): FieldSlot[] | string {
  const problem = found.find((one) => typeof one === "string");
  return problem ?? found.flatMap((one) => one as FieldSlot[]);
}

/** The empty value to put before the next step; `MADE` marks a single value that is still missing. */
function emptyBefore(next: string | undefined, made: MadeValue): unknown {
  if (next === undefined) {
    if (made === "scalar") return MADE;
    return made === "list" ? [] : {};
  }
  return ITEM.test(next) || /^\d+$/.test(next) ? [] : {};
}

/** A single value that was made and is not written yet. */
export const MADE: unique symbol = Symbol("made");
