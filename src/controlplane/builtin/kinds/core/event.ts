/** Rules of the kind Event. */
import { asJson } from "../../../../kube/json.ts";
import { type SelectableFields, fields, labelNotSupported } from "../../selectable-fields.ts";
import {
  type FieldError,
  invalidValue,
  required,
  nameErrorsAt,
} from "../../../../kube/field-errors.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import type { JsonObject, SentObject } from "../../../../kube/object.ts";
import { at, numberAt, textAt } from "../../at.ts";
import { immutable } from "../../shared/checks.ts";
import { internalForm } from "../../strategies/go-internal.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageOf } from "../../../../kube/values/age.ts";

const MAX_LENGTHS = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

interface Event extends SentObject {
  eventTime?: string | null;
  series?: { count?: number; lastObservedTime?: string | null };
  reportingInstance?: string;
  action?: string;
  reason?: string;
  type?: string;
}

const isNew = ({ apiVersion }: SentObject): boolean => apiVersion === "events.k8s.io/v1";

/** The fields of an event under their names in core/v1. */
function coreFields(object: SentObject): JsonObject {
  const event = asJson(object);
  if (!isNew(object)) return { ...event, reportingController: event["reportingComponent"] };
  return {
    ...event,
    involvedObject: event["regarding"] ?? {},
    message: event["note"],
    source: event["deprecatedSource"],
    firstTimestamp: event["deprecatedFirstTimestamp"],
    lastTimestamp: event["deprecatedLastTimestamp"],
    count: event["deprecatedCount"],
  };
}

const textIn = (fields: JsonObject, name: string): string => {
  const value = fields[name];
  return typeof value === "string" ? value : "";
};

/** Validates an event, new or changed. */
function eventErrors(object: Event): FieldError[] {
  const fields = coreFields(object);
  const { eventTime } = object;
  const { namespace = "" } = object.metadata;
  const about = textAt(fields, "involvedObject.namespace");
  const elsewhere = invalidValue(
    "involvedObject.namespace",
    about,
    "does not match event.namespace",
  );
  if (!eventTime) {
    const fits = about === "" ? namespace === "default" : about === namespace;
    return fits ? [] : [elsewhere];
  }
  const errors: FieldError[] = [];
  if (about === "" && namespace !== "default" && namespace !== "kube-system") {
    errors.push(elsewhere);
  }
  const controller = textIn(fields, "reportingController");
  const field = isNew(object) ? "reportingController" : "reportingComponent";
  if (controller === "") errors.push(required(field));
  errors.push(...nameErrorsAt(field, controller, qualifiedNameErrors));
  for (const [name, max] of Object.entries(MAX_LENGTHS)) {
    const text = textIn(fields, name);
    if (text === "" && name !== "message") errors.push(required(name));
    if (text.length > max) {
      errors.push(invalidValue(name, "", `can have at most ${max} characters`));
    }
  }
  return errors;
}

/** Validates a new event of events.k8s.io. */
function newEventErrors(object: Event): FieldError[] {
  if (!isNew(object)) return [];
  const fields = coreFields(object);
  const { eventTime, type = "" } = object;
  const errors = seriesErrors(object);
  if (!eventTime) errors.push(required("eventTime"));
  if (type !== "Normal" && type !== "Warning") {
    errors.push(invalidValue("type", "", `has invalid value: ${type}`));
  }
  for (const [name, given] of [
    ["firstTimestamp", fields["firstTimestamp"]],
    ["lastTimestamp", fields["lastTimestamp"]],
    ["count", fields["count"]],
    ["source", textAt(fields, "source.component") || textAt(fields, "source.host")],
  ] as const) {
    if (given) errors.push(invalidValue(name, "", "needs to be unset"));
  }
  return errors;
}

function seriesErrors({ series }: Event): FieldError[] {
  if (!series) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalidValue("series.count", "", "should be at least 2")] : []),
    ...(series.lastObservedTime ? [] : [required("series.lastObservedTime")]),
  ];
}

const FIXED = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "reason",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingController",
  "reportingInstance",
] as const;

/** A field in the API server's internal form. */
function shown(name: string, value: unknown): unknown {
  if (name === "involvedObject") return internalForm("core.ObjectReference", value);
  if (name === "related") return internalForm("*core.ObjectReference", value);
  if (name === "source") {
    return { Component: textAt(value, "component"), Host: textAt(value, "host") };
  }
  return name === "eventTime" || name === "series" ? (value ?? null) : (value ?? "");
}

/** Validates an update, which in events.k8s.io may only change the series of the event. */
function eventUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  if (!isNew(object)) return [];
  const now = coreFields(object);
  const old = coreFields(previous);
  return [
    ...(JSON.stringify(now["series"]) === JSON.stringify(old["series"])
      ? []
      : seriesErrors(object)),
    ...FIXED.flatMap((name) => immutable(name, shown(name, now[name]), shown(name, old[name]))),
  ];
}

function firstSeen(event: SentObject): string {
  return textAt(event, "firstTimestamp", textAt(event, "eventTime"));
}

function lastSeen(event: SentObject): string {
  if (at(event, "series")) return textAt(event, "series.lastObservedTime");
  return textAt(event, "lastTimestamp", firstSeen(event));
}

function eventCount(event: SentObject): number {
  return at(event, "series") ? numberAt(event, "series.count") : numberAt(event, "count") || 1;
}

function eventObject(event: SentObject): string {
  const kind = textAt(event, "involvedObject.kind").toLowerCase();
  const name = textAt(event, "involvedObject.name");
  return name === "" ? kind : `${kind}/${name}`;
}

function eventSource(event: SentObject): string {
  const component = textAt(event, "source.component", textAt(event, "reportingComponent"));
  const instance = textAt(event, "source.host", textAt(event, "reportingInstance"));
  return instance === "" ? component : `${component}, ${instance}`;
}

const REFERENCE = [
  "kind",
  "namespace",
  "name",
  "uid",
  "apiVersion",
  "resourceVersion",
  "fieldPath",
];

/**
 * The fields of the object to which an Event refers; the reference has another name in each group.
 */
const referenceFields = (reference: string): SelectableFields =>
  fields("reason", "type", ...REFERENCE.map((name) => `${reference}.${name}`));

/** The rules that Events of both groups share. */
const sharedRules: KindRules = {
  createOnUpdate: true,
  validate: eventErrors,
  validateCreate: newEventErrors,
  validateUpdate: eventUpdateErrors,
  table: {
    "Last Seen": (object, nowMs) => ageOf(lastSeen(object), nowMs),
    Type: "type",
    Reason: "reason",
    Object: eventObject,
    Subobject: "involvedObject.fieldPath",
    Source: eventSource,
    Message: (object) => textAt(object, "message").trim(),
    "First Seen": (object, nowMs) => ageOf(firstSeen(object), nowMs),
    Count: eventCount,
  },
  tableVersion: "v1",
  deletion: { dependents: "unsupported" },
  refuseFieldLabel: labelNotSupported,
};

/** The rules of Events in the core group. */
export const eventRules: KindRules = {
  ...sharedRules,
  name: "any",
  metadataChecks: [],
  metadataLast: true,
  freeFinalizers: true,
  selectableFields: {
    ...referenceFields("involvedObject"),
    ...fields("reportingComponent"),
    source: (event) => textAt(event, "source.component") || textAt(event, "reportingComponent"),
  },
};

/** The rules of Events in the group events.k8s.io. */
export const newEventRules: KindRules = {
  ...sharedRules,
  name: "subdomain",
  selectableFields: { ...referenceFields("regarding"), ...fields("reportingController") },
};
