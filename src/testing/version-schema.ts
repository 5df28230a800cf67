/** One version of a kind: makes valid objects, and finds the mistakes of others. */
import { isJsonObject } from "../kube/json.ts";
import type { JsonObject, SentObject } from "../kube/object.ts";
import { apiVersionOf, type ResourceInfo } from "../kube/resource.ts";
import { setDefaults } from "../kube/schema/defaults.ts";
import { ContentCheck } from "../kube/rules/content-check.ts";
import type { Schema } from "../kube/schema/structural.ts";
import type { Random } from "./random.ts";
import { randomValue } from "./random-value.ts";

const MAX_TRIES = 50;
const TYPE_META = new Set(["apiVersion", "kind", "metadata"]);

export class VersionSchema {
  readonly version: string;
  readonly apiVersion: string;
  readonly #kind: string;
  readonly #schema: Schema;
  readonly #check: ContentCheck;

  constructor(resource: ResourceInfo, schema: Schema) {
    this.version = resource.version;
    this.apiVersion = apiVersionOf(resource);
    this.#kind = resource.kind;
    this.#schema = schema;
    this.#check = new ContentCheck(schema);
  }

  /**
   * A random object as the API server would store it, with its defaults; `undefined` when all
   * attempts failed.
   *
   * @param prepare - changes it before it is checked
   */
  object(random: Random, prepare?: (object: SentObject) => void): SentObject | undefined {
    const properties = Object.fromEntries(
      Object.entries(this.#schema.properties ?? {}).filter(([name]) => !TYPE_META.has(name)),
    );
    const schema: Schema = { ...this.#schema, properties };
    const labels = random.chance(0.3) ? { labels: { app: "x" }, annotations: { note: "y" } } : {};
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const content = randomValue(schema, random) as JsonObject;
      setDefaults(content, this.#schema);
      const object: SentObject = {
        apiVersion: this.apiVersion,
        kind: this.#kind,
        metadata: { name: "one", namespace: "default", uid: "u", ...labels },
        ...content,
      };
      prepare?.(object);
      if (this.mistakes(object).length === 0) return object;
    }
    return undefined;
  }

  /** The API server's objections to the object, and the fields that it would drop. */
  mistakes(object: SentObject): readonly string[] {
    return this.#check.mistakes(object);
  }
}

/** Smaller and simpler objects than this one, which need not be valid: the smallest first. */
export function* simpler(object: SentObject): Generator<SentObject> {
  const { labels, annotations, ...identity } = object.metadata;
  if (labels ?? annotations) yield { ...object, metadata: identity };
  for (const [name, value] of Object.entries(object)) {
    if (TYPE_META.has(name)) continue;
    yield without(object, name);
    for (const smaller of simplerValues(value)) yield { ...object, [name]: smaller };
  }
}

function* simplerValues(value: unknown): Generator {
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.filter((_, at) => at !== index) as unknown[];
    for (const [index, item] of value.entries()) {
      for (const smaller of simplerValues(item)) yield value.with(index, smaller);
    }
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) yield without(value, name);
    for (const [name, field] of Object.entries(value)) {
      for (const smaller of simplerValues(field)) {
        yield Object.fromEntries([...Object.entries(value), [name, smaller]]);
      }
    }
  } else if (typeof value === "string") {
    for (const text of ["", "a"]) if (text.length < value.length) yield text;
  } else if (typeof value === "number" || typeof value === "bigint") {
    for (const number of [0, 1, 2]) if (value > number || value < 0) yield number;
  }
}

function without<T extends object>(object: T, name: string): T {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name)) as T;
}
