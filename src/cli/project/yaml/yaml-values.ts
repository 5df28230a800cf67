/**
 * The values of a YAML document, as plain JSON, within bounds: aliases may neither lead in a circle nor multiply
 * without end.
 */
import { isAlias, isMap, isScalar, isSeq, type Alias, type Node, type YAMLMap } from "yaml";

/** The deepest nesting of lists and mappings; CRDs have about a hundred levels at most. */
export const MAX_DEPTH = 500;
/** How many values the aliases of a document may add to it. */
const MAX_ALIASED = 200_000;
const WRITE_OUT = "Write the values out in place of the aliases; nothing was written.";
const REPAIR = "Repair that line; nothing was written.";

/** A problem of a document, and where in its text it is. */
export class YamlProblem extends Error {
  readonly offset: number;
  readonly fix: string;

  constructor(node: unknown, message: string, fix: string) {
    super(message);
    this.offset = (node as Node | null)?.range?.[0] ?? 0;
    this.fix = fix;
  }
}

/** Reads the values of one document. */
export class YamlValues {
  /** The anchors so far: an alias means the last one of its name before it. */
  readonly #anchors = new Map<string, Node>();
  readonly #targets = new Map<Alias, Node>();
  /** The collections that are being read. */
  readonly #open = new Set<unknown>();
  #aliased = 0;
  #aliases = 0;

  /**
   * The value of a node.
   *
   * @throws YamlProblem
   */
  read(node: unknown): unknown {
    if (isAlias(node)) return this.#readAlias(node);
    if (this.#aliases > 0 && ++this.#aliased > MAX_ALIASED) {
      throw new YamlProblem(
        node,
        `its aliases expand to more than ${MAX_ALIASED} values`,
        WRITE_OUT,
      );
    }
    if (!isMap(node) && !isSeq(node) && !isScalar(node)) return null;
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return node.value;
    if (this.#open.size >= MAX_DEPTH) {
      throw new YamlProblem(
        node,
        `its aliases are nested deeper than ${MAX_DEPTH} levels`,
        WRITE_OUT,
      );
    }
    this.#open.add(node);
    const value = isMap(node) ? this.#readMap(node) : node.items.map((item) => this.read(item));
    this.#open.delete(node);
    return value;
  }

  #readAlias(alias: Alias): unknown {
    const target = this.#targetOf(alias);
    this.#aliases++;
    const value = this.read(target);
    this.#aliases--;
    return value;
  }

  #targetOf(alias: Alias): Node {
    const target = this.#targets.get(alias) ?? this.#anchors.get(alias.source);
    if (!target) {
      throw new YamlProblem(
        alias,
        `there is no anchor \`${alias.source}\` before this alias`,
        REPAIR,
      );
    }
    if (this.#open.has(target)) {
      throw new YamlProblem(alias, `the anchor \`${alias.source}\` contains itself`, WRITE_OUT);
    }
    this.#targets.set(alias, target);
    return target;
  }

  #readMap(map: YAMLMap): unknown {
    const own = new Map<string, unknown>();
    const merged = new Map<string, unknown>();
    for (const { key, value } of map.items) {
      if (isScalar(key) && key.value === "<<" && key.type === "PLAIN") {
        for (const [name, inherited] of this.#readMerge(value)) {
          if (!merged.has(name)) merged.set(name, inherited);
        }
        continue;
      }
      const name = this.#readKey(key);
      if (own.has(name)) throw new YamlProblem(key, `the key \`${name}\` is there twice`, REPAIR);
      own.set(name, this.read(value));
    }
    // Not by assignment: a key may be `__proto__`.
    return Object.fromEntries([...merged, ...own]);
  }

  #readKey(key: unknown): string {
    const value = this.read(key);
    if (value === null || value === undefined) return "";
    if (typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    throw new YamlProblem(key, "a key is a list or a mapping, but a string is expected", REPAIR);
  }

  /** The fields that `<<` adds: of a mapping, or of a list of mappings. */
  #readMerge(node: unknown): [name: string, value: unknown][] {
    const value = this.read(node);
    const maps: unknown[] = Array.isArray(value) ? value : [value];
    return maps.flatMap((map) => {
      if (typeof map === "object" && map !== null && !Array.isArray(map))
        return Object.entries(map);
      throw new YamlProblem(node, "`<<` takes a mapping, or a list of mappings", REPAIR);
    });
  }
}
