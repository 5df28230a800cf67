/**
 * A set of fields of an object, as a trie: the fields that a manager owns, or that a write changed.
 *
 * A node's members are the fields that the set holds itself, its children lead to deeper ones; an
 * element may be both. Operations return new sets that share unchanged parts; only a set that is
 * being built is changed.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
import { isJsonObject, setField } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { type PathElement, sortElements, normaliseElement, printElement } from "./path-element.ts";

/** The path from the object's root to a field. */
export type FieldPath = readonly PathElement[];

const NOTHING: JsonObject = Object.freeze({});
const NO_MEMBERS: ReadonlySet<PathElement> = new Set();
const NO_CHILDREN: ReadonlyMap<PathElement, FieldSet> = new Map();

export class FieldSet {
  #members: ReadonlySet<PathElement>;
  #children: ReadonlyMap<PathElement, FieldSet>;
  /** The cached result of `toFieldsV1`. */
  #written: JsonObject | undefined;

  constructor(
    members: ReadonlySet<PathElement> = NO_MEMBERS,
    children: ReadonlyMap<PathElement, FieldSet> = NO_CHILDREN,
  ) {
    this.#members = members;
    this.#children = children;
  }

  static of(...paths: readonly FieldPath[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }

  /** The members directly under the root of the set. */
  get members(): ReadonlySet<PathElement> {
    return this.#members;
  }

  /** The subsets below the root, by path element. */
  get children(): ReadonlyMap<PathElement, FieldSet> {
    return this.#children;
  }

  /**
   * Adds a path to a set that is being built. Nobody owns the root, so the empty path adds nothing.
   */
  insert(path: FieldPath): void {
    this.#insert(path, 0);
  }

  #insert(path: FieldPath, depth: number): void {
    const element = path[depth];
    if (element === undefined) return;
    if (depth === path.length - 1) this.#add(element);
    else this.#descend(element).#insert(path, depth + 1);
  }

  #add(element: PathElement): void {
    if (this.#members === NO_MEMBERS) this.#members = new Set();
    (this.#members as Set<PathElement>).add(element);
  }

  #descend(element: PathElement): FieldSet {
    const known = this.#children.get(element);
    if (known) return known;
    if (this.#children === NO_CHILDREN) this.#children = new Map();
    const child = new FieldSet();
    (this.#children as Map<PathElement, FieldSet>).set(element, child);
    return child;
  }

  get isEmpty(): boolean {
    if (this.#members.size > 0) return false;
    for (const child of this.#children.values()) if (!child.isEmpty) return false;
    return true;
  }

  /** The paths in either set. */
  union(other: FieldSet): FieldSet {
    if (other.isEmpty || other === this) return this;
    if (this.isEmpty) return other;
    const children = new Map(this.#children);
    for (const [element, child] of other.#children) {
      const mine = children.get(element);
      children.set(element, mine ? mine.union(child) : child);
    }
    const members = new Set(this.#members);
    for (const element of other.#members) members.add(element);
    return new FieldSet(members, children);
  }

  /** Whether the set includes all paths of the other. */
  includes(other: FieldSet): boolean {
    if (other === this) return true;
    for (const element of other.#members) if (!this.#members.has(element)) return false;
    for (const [element, child] of other.#children) {
      const mine = this.#children.get(element);
      if (!(mine ? mine.includes(child) : child.isEmpty)) return false;
    }
    return true;
  }

  /** The paths in both sets. */
  intersection(other: FieldSet): FieldSet {
    let children: Map<PathElement, FieldSet> | undefined;
    for (const [element, child] of this.#children) {
      const theirs = other.#children.get(element);
      const both = theirs && child.intersection(theirs);
      if (both && !both.isEmpty) (children ??= new Map()).set(element, both);
    }
    return new FieldSet(
      keep(this.#members, (element) => other.#members.has(element)),
      children,
    );
  }

  /** The paths of this set that the other lacks; paths below a path of the other stay. */
  difference(other: FieldSet): FieldSet {
    return this.#minus(other, false);
  }

  /** The paths of this set that are neither in the other nor below one of its paths. */
  without(other: FieldSet): FieldSet {
    return this.#minus(other, true);
  }

  #minus(other: FieldSet, withBelow: boolean): FieldSet {
    let members = this.#members;
    let children: Map<PathElement, FieldSet> | undefined;
    for (const element of other.#members) {
      if (members.has(element)) members = keep(members, (one) => !other.#members.has(one));
      if (withBelow && this.#children.has(element)) {
        (children ??= new Map(this.#children)).delete(element);
      }
    }
    for (const [element, theirs] of other.#children) {
      const mine = (children ?? this.#children).get(element);
      if (!mine) continue;
      const left = mine.#minus(theirs, withBelow);
      if (left === mine) continue;
      children ??= new Map(this.#children);
      if (left.isEmpty) children.delete(element);
      else children.set(element, left);
    }
    if (members === this.#members && !children) return this;
    return new FieldSet(members, children ?? this.#children);
  }

  /** Every path: the paths of one level in order, then those below them. */
  paths(): FieldPath[] {
    const found: FieldPath[] = [];
    this.#collect([], found);
    return found;
  }

  #collect(prefix: FieldPath, found: FieldPath[]): void {
    for (const element of sortElements(this.#members)) found.push([...prefix, element]);
    for (const element of sortElements(this.#children.keys())) {
      const child = this.#children.get(element);
      if (child) child.#collect([...prefix, element], found);
    }
  }

  /**
   * An identifier that only sets with these paths have. Equal sets may have different ones, since
   * it depends on the order in which they were built.
   */
  identify(): string {
    let text = "";
    for (const element of this.#members) text += `${element.length}:${element}`;
    for (const [element, child] of this.#children) {
      text += `/${element.length}:${element}(${child.identify()})`;
    }
    return text;
  }

  /**
   * The set in the form of `fieldsV1`, its keys in order; frozen, and the same object each time.
   */
  toFieldsV1(): JsonObject {
    this.#written ??= this.#write();
    return this.#written;
  }

  #write(): JsonObject {
    const fields: JsonObject = {};
    const elements = [...this.#members];
    for (const element of this.#children.keys()) {
      if (!this.#members.has(element)) elements.push(element);
    }
    for (const element of sortElements(elements)) {
      const child = this.#children.get(element);
      const below = child && !child.isEmpty ? child.toFieldsV1() : undefined;
      if (!this.#members.has(element)) {
        if (below) setField(fields, element, below);
      } else {
        setField(fields, element, below ? Object.freeze({ ".": NOTHING, ...below }) : NOTHING);
      }
    }
    return Object.freeze(fields);
  }

  /** Reads `fieldsV1`; `undefined` when it is malformed. */
  static fromFieldsV1(fields: unknown): FieldSet | undefined {
    return isJsonObject(fields) ? readFields(fields) : undefined;
  }
}

function readFields(fields: JsonObject): FieldSet | undefined {
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  for (const [key, below] of Object.entries(fields)) {
    if (key === ".") continue;
    const element = normaliseElement(key);
    if (element === undefined || !isJsonObject(below)) return undefined;
    const names = Object.keys(below);
    const isMember = names.length === 0 || Object.hasOwn(below, ".");
    if (isMember) members.add(element);
    if (names.length > (Object.hasOwn(below, ".") ? 1 : 0)) {
      const child = readFields(below);
      if (!child) return undefined;
      children.set(element, child);
    }
  }
  return new FieldSet(members, children);
}

function keep(
  members: ReadonlySet<PathElement>,
  wanted: (element: PathElement) => boolean,
): ReadonlySet<PathElement> {
  let kept: Set<PathElement> | undefined;
  for (const element of members) if (wanted(element)) (kept ??= new Set()).add(element);
  return kept ?? NO_MEMBERS;
}

/** A path as messages show it: `.spec.ports[port=80].name`. */
export function printPath(path: FieldPath): string {
  return path.map(printElement).join("");
}
