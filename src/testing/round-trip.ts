/** Converts an object to another version and back, and finds the mistakes. */
import { messageOf } from "../errors.ts";
import { encodeJson, getField, isJsonObject, sameJson } from "../kube/json.ts";
import type { SentObject } from "../kube/object.ts";
import type { HubConversion } from "../runtime/webhook/conversion/hub-conversion.ts";
import type { VersionSchema } from "./version-schema.ts";

/** A mistake; two of one sort most likely have the same cause. */
export interface Mistake {
  readonly sort: "throws" | "changes" | "invalid" | "loses" | "wanders";
  readonly text: string;
}

/** The versions, and the converters. */
interface RoundTripParts {
  readonly from: VersionSchema;
  readonly to: VersionSchema;
  readonly conversion: HubConversion;
  /** The converter alone, without annotations. */
  readonly bare: HubConversion;
}

export class RoundTrip {
  readonly #parts: RoundTripParts;

  constructor(parts: RoundTripParts) {
    this.#parts = parts;
  }

  /** The first mistake with this object; `undefined` when there is none. */
  mistake(object: SentObject): Mistake | undefined {
    const { from, to, conversion, bare } = this.#parts;
    const way = `the way to ${to.version} and back`;
    try {
      const changed = firstChange(
        bare.convertOne(object, to.apiVersion),
        bare.convertOne(object, to.apiVersion),
      );
      if (changed) {
        return {
          sort: "changes",
          text: `${changed.path} of ${to.version} is ${changed.was} the first time and ${changed.is} the next time`,
        };
      }
      const there = conversion.convertOne(object, to.apiVersion);
      const [invalid] = to.mistakes(there);
      if (invalid !== undefined) {
        return {
          sort: "invalid",
          text: `an object of ${from.version}, once converted, is not valid in ${to.version}: ${invalid}`,
        };
      }
      const back = conversion.convertOne(there, from.apiVersion);
      const lost = firstChange(object, back);
      if (lost) {
        return {
          sort: "loses",
          text: `${lost.path} of ${from.version} is ${lost.was}, but ${lost.is} after ${way}`,
        };
      }
      return this.#wandering(object);
    } catch (error) {
      return { sort: "throws", text: messageOf(error) };
    }
  }

  /** The fields that only the annotation keeps. */
  lost(object: SentObject): readonly string[] {
    return changedPaths(object, this.#bareTrip(object), "");
  }

  /**
   * Without annotations, an object may come back with fewer fields, or in another form, but it has
   * to be the same the second time: a converter that mixes fields up returns other values each
   * time.
   */
  #wandering(object: SentObject): Mistake | undefined {
    const { from, to } = this.#parts;
    const once = this.#bareTrip(object);
    if (from.mistakes(once).length > 0) return undefined;
    const twice = this.#bareTrip(once);
    const moved = firstChange(once, twice);
    if (!moved) return undefined;
    return {
      sort: "wanders",
      text: `without the annotation ${moved.path} of ${from.version} is ${moved.was} after one way to ${to.version} and back, but ${moved.is} after two: toHub and fromHub do not undo each other`,
    };
  }

  #bareTrip(object: SentObject): SentObject {
    const { from, to, bare } = this.#parts;
    return bare.convertOne(bare.convertOne(object, to.apiVersion), from.apiVersion);
  }
}

interface Change {
  readonly path: string;
  readonly was: string;
  readonly is: string;
}

const shown = (value: unknown): string => (value === undefined ? "absent" : encodeJson(value));

/** The first field in which two values differ. */
function firstChange(was: unknown, is: unknown, path = ""): Change | undefined {
  if (sameJson(was, is)) return undefined;
  if (isJsonObject(was) && isJsonObject(is)) {
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
      const below = path === "" ? name : `${path}.${name}`;
      const change = firstChange(getField(was, name), getField(is, name), below);
      if (change) return change;
    }
  }
  if (Array.isArray(was) && Array.isArray(is) && was.length === is.length) {
    for (const index of was.keys()) {
      const change = firstChange(was[index], is[index], `${path}[${index}]`);
      if (change) return change;
    }
  }
  return { path: path === "" ? "the object" : path, was: shown(was), is: shown(is) };
}

/** The fields in which two values differ, whatever the places in lists: `spec.ports[].protocol`. */
function changedPaths(was: unknown, is: unknown, path: string): readonly string[] {
  if (sameJson(was, is)) return [];
  if (isJsonObject(was) && isJsonObject(is)) {
    const names = new Set([...Object.keys(was), ...Object.keys(is)]);
    return [...names].flatMap((name) =>
      changedPaths(getField(was, name), getField(is, name), path === "" ? name : `${path}.${name}`),
    );
  }
  if (Array.isArray(was) && Array.isArray(is) && was.length === is.length) {
    return was.flatMap((item, index) => changedPaths(item, is[index], `${path}[]`));
  }
  return [path];
}
