/** Values that are put into lists, sets and maps after these were made. */
import { ts } from "../load.ts";
import type { Reader } from "../read/code/reader.ts";
import { findBinding } from "./bindings.ts";

/** A value that is put into a list, a set or a map. */
interface Put {
  readonly value: ts.Expression;
  readonly inMap: boolean;
}

/** The calls of a project that put something into lists, sets and maps. */
export class Puts {
  readonly #reader: Reader;
  readonly #values = new Map<ts.Node, Put[]>();
  readonly #calls = new Set<ts.Node>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Notes values in `list.push(Secret)`, `set.add(Secret)` and `map.set(name, Secret)`. */
  note(call: ts.CallExpression): void {
    const { expression } = call;
    if (!ts.isPropertyAccessExpression(expression) || !ts.isIdentifier(expression.expression)) {
      return;
    }
    const { modules } = this.#reader;
    const inMap = expression.name.text === "set";
    if (!inMap && !["push", "unshift", "add"].includes(expression.name.text)) return;
    const on = expression.expression;
    const found = modules.resolve(modules.get(on.getSourceFile().fileName), on.text);
    const list = findBinding(on)?.node ?? (found?.is === "declaration" ? found.node : undefined);
    if (!list || !ts.isVariableDeclaration(list)) return;
    const values = inMap ? call.arguments.slice(1, 2) : [...call.arguments];
    const known = this.#values.get(list) ?? [];
    this.#values.set(list, [...known, ...values.map((value) => ({ value, inMap }))]);
    this.#calls.add(call);
  }

  /** Whether a call puts something into a list that is followed. */
  has(call: ts.CallExpression): boolean {
    return this.#calls.has(call);
  }

  /** The values that are put into a variable. */
  into(variable: ts.VariableDeclaration): readonly Put[] {
    return this.#values.get(variable) ?? [];
  }
}
