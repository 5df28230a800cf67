/** The loop of an expanded macro. */
import { capitalized } from "../../text/capitalized.ts";
import type { ComprehensionExpr } from "../expression.ts";
import type { Meter, Scope, Step } from "./scope.ts";
import {
  appendAll,
  CelError,
  CelList,
  CelMap,
  type CelValue,
  typeOfValue,
  ValueList,
  ValueMap,
  type Result,
} from "../values.ts";

/** The planned parts of a loop. */
interface LoopSteps {
  readonly range: Step;
  readonly start: Step;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
}

/** A list that grows in place: only its loop sees it before it is complete. */
class GrowingList extends ValueList {
  override plus(other: CelList): CelList | CelError {
    return appendAll(this.items, other) ?? this;
  }
}

/** The variables of a loop, in front of those around it. */
class LoopScope implements Scope {
  readonly meter: Meter;
  first: Result | undefined;
  second: Result | undefined;
  /** Whether the loop is over: then only the accumulator is left. */
  over = false;
  readonly #outer: Scope;
  readonly #loop: ComprehensionExpr;
  readonly #start: Step;
  #value: Result | undefined;

  constructor(outer: Scope, loop: ComprehensionExpr, start: Step) {
    this.meter = outer.meter;
    this.#outer = outer;
    this.#loop = loop;
    this.#start = start;
  }

  /** The accumulator; its start value is evaluated when it is first used. */
  get value(): Result {
    return (this.#value ??= growing(this.#start.run(this.#outer)));
  }

  set value(value: Result) {
    this.#value = value;
  }

  find(name: string): Result | undefined {
    if (name === this.#loop.accumulator) return this.value;
    if (!this.over) {
      if (name === this.#loop.variable) return this.first;
      if (name === this.#loop.secondVariable) return this.second;
    }
    return this.#outer.find(name);
  }
}

function growing(start: Result): Result {
  if (start instanceof ValueList && start.size === 0) return new GrowingList([]);
  if (start instanceof ValueMap && start.size === 0) return new ValueMap();
  return start;
}

export class LoopStep implements Step {
  readonly #loop: ComprehensionExpr;
  readonly #steps: LoopSteps;

  constructor(loop: ComprehensionExpr, steps: LoopSteps) {
    this.#loop = loop;
    this.#steps = steps;
  }

  run(scope: Scope): Result {
    const range = this.#steps.range.run(scope);
    if (range instanceof CelError) return range;
    const inner = new LoopScope(scope, this.#loop, this.#steps.start);
    if (range instanceof CelList) this.#overList(range, inner);
    else if (range instanceof CelMap) this.#overMap(range, inner);
    else return new CelError(`got '${goType(range)}', expected iterable type`);
    inner.over = true;
    const result = this.#steps.result.run(inner);
    return result instanceof GrowingList ? new ValueList(result.items) : result;
  }

  #overList(list: CelList, scope: LoopScope): void {
    const two = this.#loop.secondVariable !== undefined;
    for (let index = 0; index < list.size; index++) {
      const item = list.at(index);
      scope.first = two ? BigInt(index) : item;
      scope.second = item;
      if (!this.#once(scope)) return;
    }
  }

  #overMap(map: CelMap, scope: LoopScope): void {
    for (const key of map.keys()) {
      scope.first = key;
      if (this.#loop.secondVariable !== undefined) scope.second = map.find(key);
      if (!this.#once(scope)) return;
    }
  }

  #once(scope: LoopScope): boolean {
    if (this.#steps.condition.run(scope) === false) return false;
    scope.value = this.#steps.step.run(scope);
    return true;
  }
}

/** The name of a value's Go type in messages. */
function goType(value: CelValue): string {
  const name = typeOfValue(value).name;
  const short = name.slice(name.lastIndexOf(".") + 1);
  return `types.${capitalized(short)}`;
}
