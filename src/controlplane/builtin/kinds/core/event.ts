import type { Check } from "../../../../kube/check.ts";
import { asJson, sameJson } from "../../../../kube/json.ts";
import { type SelectableFields, fields } from "../../selectable-fields.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import type { JsonObject, SentObject } from "../../../../kube/object.ts";
import { at, numberAt, textAt } from "../../at.ts";
import { checked, checkedChange } from "../../shared/checks.ts";
import { internalForm } from "../../go/internal.ts";
import type { KindRules } from "../../kind-rules.ts";
import { withMetadataLast } from "../../shared/metadata-last.ts";
import { ageOf } from "../../../../kube/values/age.ts";

const MAX_LENGTHS = { reportingInstance: 128, action: 128, reason: 128, message: 1024 };

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

/** Validates an event, new or changed. */
function checkEvent(event: Check<SentObject>): void {
  const fields = coreFields(event.value);
  const { namespace = "" } = event.value.metadata;
  const about = event.child("involvedObject.namespace", textAt(fields, "involvedObject.namespace"));
  const isTimed = textAt(fields, "eventTime") !== "";
  const fits =
    about.value === ""
      ? namespace === "default" || (isTimed && namespace === "kube-system")
      : isTimed || about.value === namespace;
  if (!fits) about.invalid("does not match event.namespace");
  if (!isTimed) return;
  const field = isNew(event.value) ? "reportingController" : "reportingComponent";
  const controller = event.child(field, textAt(fields, "reportingController"));
  controller.given();
  controller.named(qualifiedNameErrors);
  for (const [name, max] of Object.entries(MAX_LENGTHS)) {
    const text = event.child(name, textAt(fields, name));
    if (name !== "message") text.given();
    if (text.value.length > max) text.invalid(`can have at most ${max} characters`, "");
  }
}

/** Validates a new event of events.k8s.io. */
function checkNewEvent(event: Check<SentObject>): void {
  if (!isNew(event.value)) return;
  const fields = coreFields(event.value);
  const type = textAt(fields, "type");
  checkSeries(event);
  event.child("eventTime", fields["eventTime"]).given();
  if (type !== "Normal" && type !== "Warning") {
    event.child("type", "").invalid(`has invalid value: ${type}`);
  }
  const source = textAt(fields, "source.component") || textAt(fields, "source.host");
  for (const name of ["firstTimestamp", "lastTimestamp", "count", "source"]) {
    const given = name === "source" ? source : fields[name];
    if (given) event.child(name, "").invalid("needs to be unset");
  }
}

function checkSeries(event: Check<SentObject>): void {
  const series = at(event.value, "series");
  if (!series) return;
  if (numberAt(series, "count") < 2)
    event.child("series.count", "").invalid("should be at least 2");
  event.child("series.lastObservedTime", textAt(series, "lastObservedTime")).given();
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
  return value ?? (name === "eventTime" ? null : "");
}

/** Validates an update, which in events.k8s.io may only change the series of the event. */
function checkChange(event: Check<SentObject>, previous: SentObject): void {
  if (!isNew(event.value)) return;
  const now = coreFields(event.value);
  const old = coreFields(previous);
  if (!sameJson(now["series"], old["series"])) checkSeries(event);
  for (const name of FIXED) {
    event.child(name, shown(name, now[name])).unchanged(shown(name, old[name]));
  }
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
  validate: checked(checkEvent),
  validateCreate: checked(checkNewEvent),
  validateUpdate: checkedChange(checkChange),
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
  deletion: { dependents: "unsupported" },
};

export const eventRules: KindRules = {
  ...sharedRules,
  name: "any",
  metadataChecks: [],
  wrap: withMetadataLast,
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
