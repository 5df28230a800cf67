/** The scope of an evaluation: its variables, and the cost so far. */
import type { CelValue, Result } from "../values.ts";

/** Thrown when an evaluation exceeds its cost limit. */
export class CostExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/**
 * Far more than the budget of an evaluation can read; a longer text would exhaust the process's
 * memory first.
 */
const TEXT_MAX_LENGTH = 2 ** 25;

/**
 * Checks the length of a text, in UTF-16 units, before a function makes it.
 *
 * @throws CostExceeded when the text is too long to be used
 */
export function checkTextLength(length: number): void {
  if (length > TEXT_MAX_LENGTH) throw new CostExceeded();
}

/** Adds up the cost of an evaluation. */
export class Meter {
  spent = 0;
  readonly #limit: number;

  /** @param limit - the largest allowed cost */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws CostExceeded */
  charge(cost: number): void {
    this.spent += cost;
    if (this.spent > this.#limit) throw new CostExceeded();
  }
}

export interface Scope {
  readonly meter: Meter;
  find(name: string): Result | undefined;
}

/** A part of an expression that is ready to be evaluated. */
export interface Step {
  run(scope: Scope): Result;
  /** The value, where it is constant. */
  readonly constant?: CelValue;
}
