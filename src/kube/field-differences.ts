/** The fields in which two states of an object differ. */
import { asJson, isJsonObject, sameJson } from "./json.ts";

/** One field that differs; `undefined` where it is absent. */
export interface FieldDifference {
  /** `spec.containers[name=web].image`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The longest JSON of a list that is new or gone and yet one difference. */
const WHOLE_LIST_CHARACTERS = 200;
/** Fields by which items of a list are compared, where each item has another one; as apply does. */
const ITEM_NAMES = ["name", "type"];
const PLAIN_NAME = /^[A-Za-z_][\w-]*$/;

type Step = readonly [step: string, before: unknown, after: unknown];

/**
 * The fields that differ, in the order in which they stand.
 *
 * @param isLeftOut - paths below which nothing is compared
 */
export function* fieldDifferences(
  before: unknown,
  after: unknown,
  isLeftOut: (path: string) => boolean,
  path = "",
): Generator<FieldDifference> {
  if (isLeftOut(path) || sameJson(before, after)) return;
  const steps = fieldSteps(before, after) ?? itemSteps(before, after);
  if (!steps || isWhole(before, after)) {
    yield { path, before, after };
    return;
  }
  for (const [step, old, now] of steps) {
    const below = path === "" ? step.replace(/^\./, "") : `${path}${step}`;
    yield* fieldDifferences(old, now, isLeftOut, below);
  }
}

/** Whether a part that is new or gone is told as one: a short list, an empty object. */
function isWhole(before: unknown, after: unknown): boolean {
  if ((before === undefined) === (after === undefined)) return false;
  const value = before ?? after;
  if (Array.isArray(value)) return JSON.stringify(value).length <= WHOLE_LIST_CHARACTERS;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function fieldSteps(before: unknown = {}, after: unknown = {}): Step[] | undefined {
  if (!isJsonObject(before) || !isJsonObject(after)) return undefined;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].map((name) => [
    PLAIN_NAME.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`,
    asJson(before)[name],
    asJson(after)[name],
  ]);
}

function itemSteps(before: unknown = [], after: unknown = []): Step[] | undefined {
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
  for (const name of ITEM_NAMES) {
    const [olds, nows] = [itemsBy(name, before), itemsBy(name, after)];
    if (!olds || !nows) continue;
    const keys = new Set([...olds.keys(), ...nows.keys()]);
    return [...keys].map((key) => [`[${name}=${key}]`, olds.get(key), nows.get(key)]);
  }
  const length = Math.max(before.length, after.length);
  return Array.from({ length }, (_, index) => [
    `[${index}]`,
    before[index] as unknown,
    after[index] as unknown,
  ]);
}

/** The items by a field of theirs; `undefined` where two have the same, or one has none. */
function itemsBy(field: string, items: readonly unknown[]): Map<string, unknown> | undefined {
  const found = new Map<string, unknown>();
  for (const item of items) {
    const name = isJsonObject(item) ? item[field] : undefined;
    if (typeof name !== "string" || found.has(name)) return undefined;
    found.set(name, item);
  }
  return found;
}
