/**
 * The progress of an object of any kind, and the fields that it follows from, whatever their
 * content.
 */
import { getField, isJsonObject } from "../json.ts";
import type { KubeObject } from "../object.ts";

/** The progress of an object. */
export type ObjectProgress =
  | "InProgress"
  | "Failed"
  | "Current"
  | "Terminating"
  /** The object does not exist. */
  | "NotFound"
  /** Its status is not one of its kind. */
  | "Unknown";

/** The progress of an object, and the reason. */
export interface ObjectStatus {
  readonly status: ObjectProgress;
  /**
   * One word in CamelCase, where the object is not done: `LessReady`, `ProgressDeadlineExceeded`.
   */
  readonly reason?: string;
  /** A sentence for people. */
  readonly message: string;
}

/** A condition of any kind. */
export interface AnyCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** The conditions of an object of any kind, whatever else is in its status. */
export function conditionsOf(object: KubeObject): readonly AnyCondition[] {
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
    this.conditions = conditionsOf(object);
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
