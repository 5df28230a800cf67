/**
 * The problems that strict decoding reports for a body that Go decodes into a struct: unknown and
 * duplicate fields, in the order in which Go's decoder meets them.
 */
import { type Definition, REFERENCE_PREFIX, findDefinition } from "../builtin/definitions.ts";
import { problemOf } from "./bodies/problems.ts";
import { refOf, shortName } from "./go-type.ts";
import { JsonEntries, printJsonPath } from "./json/json-scanner.ts";
import { isMap } from "./json/number-literal.ts";

const MAX_PROBLEMS = 100;

/** Types with their own unmarshallers, which are not strict. */
const SELF_READING: ReadonlySet<string> = new Set([
  ...["Time", "MicroTime", "Quantity", "IntOrString"],
  ...["JSONSchemaPropsOrBool", "JSONSchemaPropsOrArray", "JSONSchemaPropsOrStringArray"],
]);

/**
 * Unknown and duplicate fields: `unknown field "spec.a"`, each reported once, up to 100.
 *
 * @param tree - the content as `scanEntries` reads it; the fields of plain objects are visited in
 *   the order of their names
 * @param node - the definition as which Go decodes it
 */
export function strictProblems(tree: unknown, node: Definition): string[] {
  const walk = new StrictWalk();
  walk.value(tree, node);
  return [...walk.problems];
}

/** The node that refers to the definition of that name. */
export const nodeOf = (definition: string): Definition => ({ $ref: REFERENCE_PREFIX + definition });

class StrictWalk {
  readonly problems = new Set<string>();
  /** The path from the root: names and indexes. */
  readonly #path: (string | number)[] = [];

  value(value: unknown, node: Definition): void {
    const name = refOf(node);
    const named = name === undefined ? undefined : (findDefinition(name) ?? {});
    if (name !== undefined && SELF_READING.has(shortName(name))) return;
    const { properties, additionalProperties, items } = named ?? node;
    if (Array.isArray(value)) {
      if (items) this.#list(value, items);
      else if (isFree(node)) this.#list(value, node);
      return;
    }
    if (!isObject(value)) return;
    if (properties || shortName(name ?? "") === "CustomResourceSubresourceStatus") {
      this.#struct(value, properties ?? {});
    } else if (additionalProperties) this.#map(value, additionalProperties);
    else if (isFree(node)) this.#map(value, node);
  }

  #list(list: readonly unknown[], items: Definition): void {
    for (const [index, item] of list.entries()) this.#inside(index, item, items);
  }

  #map(map: object, values: Definition): void {
    const seen = new Set<string>();
    for (const [key, value] of entriesOf(map)) {
      this.#meet(seen, key);
      this.#inside(key, value, values);
    }
  }

  #struct(struct: object, known: Readonly<Record<string, Definition>>): void {
    const seen = new Set<string>();
    for (const [key, value] of entriesOf(struct)) {
      const node = Object.hasOwn(known, key) ? known[key] : undefined;
      if (node) {
        this.#meet(seen, key);
        this.#inside(key, value, node);
      } else this.#tell("unknown", key);
    }
  }

  #meet(seen: Set<string>, key: string): void {
    if (seen.has(key)) this.#tell("duplicate", key);
    else seen.add(key);
  }

  #inside(step: string | number, value: unknown, node: Definition): void {
    this.#path.push(step);
    this.value(value, node);
    this.#path.pop();
  }

  #tell(what: "duplicate" | "unknown", key: string): void {
    if (this.problems.size >= MAX_PROBLEMS) return;
    this.problems.add(problemOf(what, printJsonPath([...this.#path, key])));
  }
}

const isObject = (value: unknown): value is object => value instanceof JsonEntries || isMap(value);

/** Whether Go decodes the node into an empty interface: any JSON, without unknown fields. */
const isFree = (node: Definition): boolean =>
  refOf(node) === undefined && node.type === undefined && !node.properties;

function entriesOf(object: object): readonly (readonly [name: string, value: unknown])[] {
  if (object instanceof JsonEntries) return object.list;
  return Object.entries(object).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
