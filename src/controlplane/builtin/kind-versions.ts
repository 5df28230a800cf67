/** Converts objects of the built-in kinds that are served in more than one version. */
import type { JsonObject } from "../../kube/object.ts";
import { tableOf } from "../../table.ts";
import { convertAutoscaler } from "./autoscaler-versions.ts";

/** The fields of a core Event, with their names in `events.k8s.io`. */
const EVENT_FIELDS: readonly (readonly [core: string, events: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];

function convertEvent(object: JsonObject, apiVersion: string): JsonObject {
  const isCore = apiVersion === "v1";
  const names = new Map(
    EVENT_FIELDS.map(([core, events]) => (isCore ? [events, core] : [core, events])),
  );
  const converted: JsonObject = {};
  for (const [name, value] of Object.entries(object)) converted[names.get(name) ?? name] = value;
  // The reporter is always present in the core group, and left out when empty in the other.
  if (isCore) {
    converted["reportingComponent"] ??= "";
    converted["reportingInstance"] ??= "";
  } else {
    for (const name of ["reportingController", "reportingInstance"]) {
      if (converted[name] === "") Reflect.deleteProperty(converted, name);
    }
  }
  return { ...converted, apiVersion };
}

interface VersionedKind {
  /** The version in which objects are stored and printed. */
  readonly hub: string;
  convert(object: JsonObject, apiVersion: string): JsonObject;
}

const VERSIONED = tableOf<VersionedKind>({
  Event: { hub: "v1", convert: convertEvent },
  HorizontalPodAutoscaler: { hub: "autoscaling/v2", convert: convertAutoscaler },
});

/** The apiVersion in which a kind that has several is stored and printed. */
export const hubOf = (kind: string): string | undefined => VERSIONED.get(kind)?.hub;

/**
 * Converts an object of a built-in kind to another version of it. The result shares parts with
 * `object`.
 */
export function convertVersion(object: JsonObject, apiVersion: string): JsonObject {
  if (object["apiVersion"] === apiVersion) return object;
  const versioned = VERSIONED.get(String(object["kind"]));
  return versioned?.convert(object, apiVersion) ?? { ...object, apiVersion };
}
