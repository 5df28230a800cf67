/**
 * How far an object has come, and the fields that say so: of any kind, and whatever stands in them.
 *
 * @module
 */
import { getField, isJsonObject } from "../json.ts";
import type { KubeObject } from "../object.ts";

/** How far an object has come. */
export type ObjectProgress =
  | "InProgress"
  | "Failed"
  | "Current"
  | "Terminating"
  /** There is no object. */
  | "NotFound"
  /** Its status is not one that its kind has. */
  | "Unknown";

/** How far an object has come, and why. */
export interface ObjectStatus {
  readonly status: ObjectProgress;
  /** One word in CamelCase, where it is not done: `LessReady`, `ProgressDeadlineExceeded`. */
  readonly reason?: string;
  /** For people. */
  readonly message: string;
}

/** A condition as any kind may have it. */
export interface AnyCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The conditions of an object, whatever else stands in its status. */
function conditionsIn(object: KubeObject): readonly AnyCondition[] {
  const found = valueIn(object, "status.conditions");
  return Array.isArray(found) ? found.filter(isCondition) : [];
}

function isCondition(value: unknown): value is AnyCondition {
  return (
    isJsonObject(value) && typeof value["type"] === "string" && typeof value["status"] === "string"
  );
}

function valueIn(object: KubeObject, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (value, key) => (isJsonObject(value) ? getField(value, key) : undefined),
      object,
    );
}

/** An object at a time, with defaults for fields that it does not have. */
export class StatusView {
  readonly conditions: readonly AnyCondition[];
  readonly nowMs: number;
  readonly #object: KubeObject;

  constructor(object: KubeObject, nowMs: number) {
    this.#object = object;
    this.nowMs = nowMs;
    this.conditions = conditionsIn(object);
  }

  get kind(): string {
    return this.#object.kind;
  }

  number(path: string, otherwise: number): number {
    const value = valueIn(this.#object, path);
    return typeof value === "number" ? value : otherwise;
  }

  text(path: string, otherwise = ""): string {
    const value = valueIn(this.#object, path);
    return typeof value === "string" ? value : otherwise;
  }

  list(path: string): readonly unknown[] {
    const value = valueIn(this.#object, path);
    return Array.isArray(value) ? value : [];
  }

  /** The condition of that type, and of that status where one is given. */
  condition(type: string, status?: string): AnyCondition | undefined {
    return this.conditions.find(
      (condition) =>
        condition.type === type && (status === undefined || condition.status === status),
    );
  }
}
