/**
 * What an expression sees while it is evaluated: its variables, and what it has spent so far.
 *
 * @module
 */
import type { CelError, CelValue } from "../values.ts";

/** A value or why there is none. */
export type Result = CelValue | CelError;

/** Thrown when an evaluation costs more than it may. */
export class CostExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** Far more than the budget of an evaluation can read; what is longer would take the process's memory first. */
const TEXT_MAX_LENGTH = 2 ** 25;

/**
 * Called before a function makes a text of so many UTF-16 units.
 *
 * @throws CostExceeded when nothing could be done with it
 */
export function checkTextLength(length: number): void {
  if (length > TEXT_MAX_LENGTH) throw new CostExceeded();
}

/** Adds up what an evaluation costs. */
export class Meter {
  spent = 0;
  readonly #limit: number;

  /** @param limit - what the evaluation may cost */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws CostExceeded */
  charge(cost: number): void {
    this.spent += cost;
    if (this.spent > this.#limit) throw new CostExceeded();
  }
}

/** The variables in sight. */
export interface Scope {
  readonly meter: Meter;
  find(name: string): Result | undefined;
}

/** A part of an expression that is ready to be evaluated. */
export interface Step {
  run(scope: Scope): Result;
  /** The value, where it is known beforehand. */
  readonly constant?: CelValue;
}
