/**
 * Fields that are named by a function, `(widget) => widget.spec.ports[0]?.name`, or by their path.
 *
 * The function is run on an object that follows the real one and notes where it goes. What is there is given as it is, so
 * that `find((port) => port.name === "http")` works; what is not there can be asked for further parts all the same,
 * because a mistake is often that a field is missing.
 */
import { TsopError } from "../../errors.ts";
import { formatValue } from "../../kube/field-errors.ts";
import { getField, isJsonObject } from "../../kube/json.ts";
import type { FieldOf } from "../../kube/webhooks/admission.ts";

export interface NamedField {
  /** As the API server writes it: `spec.ports[0].name`, `metadata.labels[app]`. */
  readonly path: string;
  /** `undefined` where there is nothing. */
  readonly value: unknown;
}

/** A part of an object: its keys from the top. */
interface Place extends NamedField {
  readonly key: string;
}

/**
 * The field of `object` that is meant.
 *
 * @throws TsopError `field-not-named` when a function returns anything but a field of its argument
 */
export function fieldOf<T extends object>(object: T, field: FieldOf<T>): NamedField {
  if (typeof field === "string") return { path: field, value: valueAt(object, field) };
  const recorder = new Recorder();
  const returned = field(recorder.follow({ path: "", key: "", value: object }) as T);
  const place = recorder.placeOf(returned);
  if (place) return place;
  throw new TsopError(
    "field-not-named",
    `A function that names a field returned ${shown(returned)}, which is not a field of the object.`,
    'Return the field itself, as in (widget) => widget.spec.size, or give its path: "spec.size".',
  );
}

function shown(value: unknown): string {
  return typeof value === "object" || typeof value === "function"
    ? "another object"
    : formatValue(value);
}

/** Notes which parts of one object are asked for. */
class Recorder {
  readonly #places = new WeakMap<object, Place>();
  #last: Place | undefined;

  /** Something that gives the parts of `place`, and notes it. */
  follow(place: Place): object {
    const { value } = place;
    const isThere = typeof value === "object" && value !== null;
    // A target of its own: a proxy has to give the parts of a frozen one as they are.
    const follower = new Proxy(
      {},
      {
        get: (_, key) => {
          if (typeof key === "string") return this.#part(place, key);
          // A missing value is undefined in a computation.
          if (key === Symbol.toPrimitive) return () => undefined;
          return isThere ? (Reflect.get(value, key) as unknown) : undefined;
        },
        has: (_, key) => isThere && Reflect.has(value, key),
        ownKeys: () => (isThere ? Object.keys(value) : []),
        getOwnPropertyDescriptor: (_, key) =>
          isThere && typeof key === "string" && Object.hasOwn(value, key)
            ? {
                value: this.#part(place, key),
                configurable: true,
                enumerable: true,
                writable: false,
              }
            : undefined,
        set: () => false,
        defineProperty: () => false,
        deleteProperty: () => false,
      },
    );
    this.#places.set(follower, place);
    return follower;
  }

  /** The place of what a function returned. */
  placeOf(returned: unknown): NamedField | undefined {
    if (typeof returned === "object" && returned !== null) return this.#places.get(returned);
    return this.#last && Object.is(this.#last.value, returned) ? this.#last : undefined;
  }

  #part(parent: Place, key: string): unknown {
    const { value: whole } = parent;
    if (Array.isArray(whole) && !isIndex(key)) {
      // `length`, `find`, `at`: they run on the follower, and so on the parts.
      return Reflect.get(whole, key) as unknown;
    }
    const value = partOf(whole, key);
    const place = { path: pathOf(parent, key), key, value };
    this.#last = place;
    const isLeaf = value !== undefined && value !== null && typeof value !== "object";
    return isLeaf ? value : this.follow(place);
  }
}

/** Fields that hold a map, whatever its keys look like. */
const MAPS = new Set(["labels", "annotations", "matchLabels", "nodeSelector"]);

function pathOf({ path, key: parentKey, value }: Place, key: string): string {
  const isItem = Array.isArray(value) || (!isJsonObject(value) && isIndex(key));
  if (isItem || MAPS.has(parentKey) || !/^[A-Za-z_$][\w$]*$/.test(key)) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

function isIndex(key: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(key);
}

function partOf(whole: unknown, key: string): unknown {
  if (Array.isArray(whole)) return (whole as unknown[])[Number(key)];
  return isJsonObject(whole) ? getField(whole, key) : undefined;
}

/** The value at a path such as `spec.ports[0].name`. */
function valueAt(object: object, path: string): unknown {
  let value: unknown = object;
  for (const [, inBrackets, name] of path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)) {
    value = partOf(value, inBrackets ?? name ?? "");
  }
  return value;
}
