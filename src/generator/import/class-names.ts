/**
 * Names for the classes of an imported kind: by the path at which they stand, so that they stay when
 * the CRD grows, and as short as is unique.
 */
import { capitalized } from "../../kube/text/capitalized.ts";

/** Hands out names, each once, also where they differ in case only. */
export class ClassNames {
  readonly #kind: string;
  readonly #taken: Set<string>;

  constructor(kind: string, taken: Iterable<string>) {
    this.#kind = kind;
    this.#taken = new Set([...taken].map((name) => name.toLowerCase()));
  }

  /** The name for the class at a path such as `["spec", "ports", "port"]`. */
  nameFor(path: readonly string[]): string {
    const words = path.map(pascalCase).filter((word) => word !== "");
    for (let count = 1; count <= words.length; count++) {
      const name = this.#kind + words.slice(-count).join("");
      if (this.#take(name)) return name;
    }
    for (let number = 2; ; number++) {
      const name = `${this.#kind}${words.slice(-2).join("")}${number}`;
      if (this.#take(name)) return name;
    }
  }

  #take(name: string): boolean {
    const key = name.toLowerCase();
    if (this.#taken.has(key)) return false;
    this.#taken.add(key);
    return true;
  }
}

/** The text in Pascal case: `node-selector` as `NodeSelector`; letters and digits only. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map(capitalized)
    .join("");
}

/** The name of a list's item: `ports` holds a `port`. */
export function singularOf(name: string): string {
  if (/ies$/.test(name)) return name.replace(/ies$/, "y");
  return /[^s]s$/.test(name) ? name.slice(0, -1) : `${name}Item`;
}
