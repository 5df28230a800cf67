/** `Name{field: value}`: a value of a library's message type. */
import type { MessageType } from "../environment.ts";
import type { StructExpr } from "../expression.ts";
import { PlanError } from "./plan-error.ts";
import type { Scope, Step } from "./scope.ts";
import { CelError, type CelValue, formatValue, Optional, type Result } from "../values.ts";

const MESSAGE_COST = 40;

/** Makes a new value on each evaluation. */
export class MessageStep implements Step {
  readonly #message: MessageType;
  readonly #expr: StructExpr;
  readonly #values: readonly Step[];

  /**
   * @param values - the values of the fields, in their order
   * @throws PlanError when no type has that name
   */
  constructor(message: MessageType | undefined, expr: StructExpr, values: readonly Step[]) {
    if (!message) throw new PlanError(`unknown type: ${expr.name}`);
    this.#message = message;
    this.#expr = expr;
    this.#values = values;
  }

  run(scope: Scope): Result {
    const fields = new Map<string, CelValue>();
    for (const [index, { name, optional }] of this.#expr.fields.entries()) {
      const value = this.#values[index]?.run(scope) ?? null;
      if (value instanceof CelError) return value;
      if (!optional) fields.set(name, value);
      else if (!(value instanceof Optional)) {
        const shown = formatValue(value);
        return new CelError(
          `cannot initialize optional entry '${name}' from non-optional value ${shown}`,
        );
      } else if (value.value !== undefined) fields.set(name, value.value);
    }
    const made = this.#message.make(fields);
    scope.meter.charge(MESSAGE_COST);
    return made;
  }
}
