/**
 * The difference between a list and its copy after a round trip. Elements are identified by their
 * values, then by their names, then by their places, so that it still fits a list to which the user
 * of the other version added elements, or removed or moved some.
 */
import { sameJson } from "../../../kube/json.ts";
import { elementIdentity, identityOf, nameOfElement } from "./identity.ts";

/** An element that did not come back. */
interface LostElement {
  readonly value: unknown;
  /** Its place in the original list. */
  readonly at: number;
  /** The place, in the list that came back, of the element before it; -1 for the first one. */
  readonly after: number;
  /** Equal elements came back, so one of the present list proves nothing. */
  readonly again?: true;
}

/**
 * The difference between two lists; `D` is that of two elements. Places, also those that are keys,
 * are those in the list that came back.
 */
export interface ListDifference<D> {
  /** The number of elements that came back. */
  readonly length: number;
  /** The identities of the elements that the other fields refer to. */
  readonly came: Readonly<Record<string, string>>;
  /** The names of these elements, if they have one. */
  readonly named?: Readonly<Record<string, string>>;
  readonly changed?: Readonly<Record<string, D>>;
  /** The places of elements that the original list did not have. */
  readonly added?: readonly number[];
  readonly lost?: readonly LostElement[];
  /** The order of the elements that came back, if it changed. */
  readonly order?: readonly number[];
}

type Compare<D> = (one: unknown, other: unknown) => D | undefined;
type Restore<D> = (value: unknown, difference: D) => unknown;

const NONE = -1;

/** The difference between two lists that are not equal. */
export function listDifference<D>(
  list: readonly unknown[],
  came: readonly unknown[],
  compare: Compare<D>,
): ListDifference<D> {
  const partners = pairUp(list, came);
  const changed: Record<string, D> = {};
  const lost: LostElement[] = [];
  const identities = partners.includes(NONE) ? new Set(came.map(elementIdentity)) : undefined;
  const spokenOf = new Set<number>();
  let before = NONE;
  for (const [at, place] of partners.entries()) {
    if (place === NONE) {
      const again = identities?.has(elementIdentity(list[at])) ? { again: true as const } : {};
      lost.push({ value: list[at], at, after: before, ...again });
      if (before !== NONE) spokenOf.add(before);
      continue;
    }
    before = place;
    const difference = compare(list[at], came[place]);
    if (!difference) continue;
    changed[place] = difference;
    spokenOf.add(place);
  }
  const paired = new Set(partners);
  const added = Array.from(came.keys()).filter((place) => !paired.has(place));
  const order = partners.filter((place) => place !== NONE);
  const isMoved = order.some((place, at) => place < (order[at - 1] ?? NONE));
  for (const place of [...added, ...(isMoved ? order : [])]) spokenOf.add(place);
  return {
    length: came.length,
    ...references(came, spokenOf),
    ...(Object.keys(changed).length > 0 ? { changed } : {}),
    ...(added.length > 0 ? { added } : {}),
    ...(lost.length > 0 ? { lost } : {}),
    ...(isMoved ? { order } : {}),
  };
}

function references(
  came: readonly unknown[],
  places: ReadonlySet<number>,
): Pick<ListDifference<never>, "came" | "named"> {
  const identities: Record<string, string> = {};
  const named: Record<string, string> = {};
  for (const place of places) {
    identities[place] = identityOf(came[place]);
    const name = nameOfElement(came[place]);
    if (name !== undefined) named[place] = name;
  }
  return { came: identities, ...(Object.keys(named).length > 0 ? { named } : {}) };
}

/**
 * The place of each element in the list that came back: equal ones first, then those of the same
 * name, then in order.
 */
function pairUp(list: readonly unknown[], came: readonly unknown[]): number[] {
  const partners = list.map((element, at) =>
    list.length === came.length && sameJson(element, came[at]) ? at : NONE,
  );
  const taken = new Set(partners);
  const pairBy = (keyOf: (element: unknown) => string | undefined): void => {
    const waiting = new Map<string, number[]>();
    for (const [place, element] of came.entries()) {
      const key = taken.has(place) ? undefined : keyOf(element);
      if (key === undefined) continue;
      const places = waiting.get(key);
      if (places) places.push(place);
      else waiting.set(key, [place]);
    }
    // Shifting arrays is slow where thousands of elements are alike.
    const next = new Map<string, number>();
    for (const [at, element] of list.entries()) {
      const key = partners[at] === NONE ? keyOf(element) : undefined;
      const turn = key === undefined ? 0 : (next.get(key) ?? 0);
      const place = key === undefined ? undefined : waiting.get(key)?.[turn];
      if (key === undefined || place === undefined) continue;
      next.set(key, turn + 1);
      partners[at] = place;
      taken.add(place);
    }
  };
  pairBy(identityOf);
  pairBy(nameOfElement);
  pairBy(() => "");
  return partners;
}

/** A list with the parts that the other version could not hold, as far as they still fit. */
export function restoreList<D>(
  list: readonly unknown[],
  difference: ListDifference<D>,
  restore: Restore<D>,
): unknown[] {
  const { changed = {}, added = [], lost = [], order } = difference;
  const placeAt = findElements(list, difference);
  const removed = new Set(added);
  let elements: readonly Element[] = list.flatMap((value, at): Element[] => {
    const place = placeAt.get(at) ?? NONE;
    if (removed.has(place)) return [];
    const change = Object.hasOwn(changed, place) ? changed[place] : undefined;
    return [{ place, value: change ? restore(value, change) : value }];
  });
  if (order) elements = inOrder(elements, order);
  return withLost(elements, lost).map(({ value }) => value);
}

/** An element of a list that is being restored; `place` is its place in the list that came back. */
interface Element {
  readonly place: number;
  readonly value: unknown;
}

/** Finds the elements that the difference refers to: their present places by their former ones. */
function findElements(
  list: readonly unknown[],
  difference: ListDifference<unknown>,
): Map<number, number> {
  const { came, named = {}, added = [], length } = difference;
  const found = new Map<number, number>();
  const missing = new Set(Object.keys(came).map(Number));
  const take = (at: number, place: number): void => {
    found.set(at, place);
    missing.delete(place);
  };
  const identities = list.map((value, at) => {
    const identity = identityOf(value);
    if (came[at] === identity && missing.has(at)) take(at, at);
    return identity;
  });
  const takeBy = (
    keys: readonly (string | undefined)[],
    of: Readonly<Record<string, string>>,
  ): void => {
    if (missing.size === 0) return;
    const free = new Map<string, number[]>();
    for (const [at, key] of keys.entries()) {
      if (key === undefined || found.has(at)) continue;
      const places = free.get(key);
      if (places) places.push(at);
      else free.set(key, [at]);
    }
    for (const list of free.values()) list.reverse();
    for (const place of [...missing]) {
      const at = Object.hasOwn(of, place) ? free.get(of[place] ?? "")?.pop() : undefined;
      if (at !== undefined) take(at, place);
    }
  };
  takeBy(identities, came);
  // An element that the conversion added is only removed if it is unchanged.
  for (const place of added) missing.delete(place);
  takeBy(list.map(nameOfElement), named);
  if (list.length !== length) return found;
  for (const place of [...missing]) {
    const isNamed = Object.hasOwn(named, place) || nameOfElement(list[place]) !== undefined;
    if (place < length && !found.has(place) && !isNamed) take(place, place);
  }
  return found;
}

/**
 * Restores the original order, unless the user of the other version changed it; elements that they
 * added stay behind their predecessor.
 */
function inOrder(elements: readonly Element[], order: readonly number[]): Element[] {
  const known = elements.filter(({ place }) => place !== NONE);
  if (known.some(({ place }, at) => place < (known[at - 1]?.place ?? NONE))) return [...elements];
  const ranks = new Map(order.map((place, rank) => [place, rank]));
  let rank = NONE;
  const ranked = elements.map((element) => {
    rank = ranks.get(element.place) ?? rank;
    return { element, rank };
  });
  return ranked.sort((one, other) => one.rank - other.rank).map(({ element }) => element);
}

function withLost(elements: readonly Element[], lost: readonly LostElement[]): readonly Element[] {
  if (lost.length === 0) return elements;
  const known = new Set(elements.map(({ value }) => elementIdentity(value)));
  const missing = lost.filter(({ value, again }) => again || !known.has(elementIdentity(value)));
  const places = new Set(elements.map(({ place }) => place));
  const after = new Map<number, Element[]>();
  const homeless: LostElement[] = [];
  for (const one of missing) {
    const followers = after.get(one.after) ?? [];
    if (one.after !== NONE && !places.has(one.after)) homeless.push(one);
    else after.set(one.after, followers);
    followers.push({ place: NONE, value: one.value });
  }
  const result = [...(after.get(NONE) ?? [])];
  for (const element of elements) {
    result.push(element);
    if (element.place === NONE) continue;
    for (const follower of after.get(element.place) ?? []) result.push(follower);
  }
  return withHomeless(result, homeless);
}

/** Puts elements whose predecessors are gone at their former places. */
function withHomeless(
  elements: readonly Element[],
  homeless: readonly LostElement[],
): readonly Element[] {
  if (homeless.length === 0) return elements;
  const result: Element[] = [];
  let next = 0;
  // Inserting them one by one would move the rest of the list each time.
  for (const { value, at } of homeless.toSorted((one, other) => one.at - other.at)) {
    const end = next + Math.max(0, at - result.length);
    for (const element of elements.slice(next, end)) result.push(element);
    next = Math.min(end, elements.length);
    result.push({ place: NONE, value });
  }
  for (const element of elements.slice(next)) result.push(element);
  return result;
}
