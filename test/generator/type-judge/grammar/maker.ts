/** What the grammar knows of the case that it makes. */
import type { Random } from "../../../support/random.ts";
import type { Declared } from "../case.ts";
import type { Tree } from "../tree.ts";

/** What values a type has, as far as the grammar has to know it. */
export type Kind = "text" | "number" | "boolean" | "object" | "union" | "list" | "record" | "other";

/** A field of an object type. */
export interface Field {
  readonly name: string;
  readonly kind: Kind;
}

/** A type that was made. */
export interface Made {
  readonly tree: Tree;
  readonly kind: Kind;
  /** The names of an object's fields, as far as they are known. */
  readonly fields?: readonly Field[];
}

/** A name with a type. */
export interface Named extends Omit<Made, "tree"> {
  readonly name: string;
  readonly is: "class" | "interface" | "alias" | "enum" | "constant";
  /** Whether it has a type parameter. */
  readonly generic?: boolean;
  /** The names of the members of an enum. */
  readonly members?: readonly string[];
}

/** The case that is being made. */
export class Maker {
  readonly random: Random;
  readonly declarations: Declared[] = [];
  readonly known: Named[] = [];
  /** The number of files of the case. */
  readonly files: number;
  /** The type parameter in sight. */
  parameter: string | undefined;
  #next = 0;

  constructor(random: Random) {
    this.random = random;
    this.files = random.chance(0.25) ? 1 + random.below(3) : 1;
  }

  /** Adds a declaration. */
  declare(known: Named, tree: Tree): void {
    this.declarations.push({ name: known.name, file: this.random.below(this.files), tree });
    this.known.push(known);
  }

  /** A new name. */
  name(prefix: string): string {
    return `${prefix}${this.#next++}`;
  }

  /** One of some choices, each with a weight. */
  weighted<T>(choices: readonly (readonly [weight: number, make: () => T])[]): T {
    let rest = this.random.below(choices.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, make] of choices) {
      if (rest < weight) return make();
      rest -= weight;
    }
    throw new Error("there are no choices");
  }
}
