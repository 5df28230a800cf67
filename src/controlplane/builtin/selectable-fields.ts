/**
 * What a field selector may ask of each built-in kind, beside metadata.name and metadata.namespace.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/
 * @module
 */
import type { SentObject } from "../../kube/object.ts";
import { textAt } from "./at.ts";

/** Reads one value as the text that selectors compare; an absent field has the zero value of its type. */
type FieldReader = (object: SentObject) => string;

const field =
  (path: string, absent = ""): FieldReader =>
  (object) =>
    textAt(object, path, absent);

/** Fields that are selected by their own path, with the text of an absent value. */
const fields = (...paths: readonly (string | readonly [string, string])[]): SelectableFields =>
  Object.fromEntries(
    paths.map((entry) => {
      const [path, absent] = typeof entry === "string" ? [entry, ""] : entry;
      return [path, field(path, absent)];
    }),
  );

/** From the name of a field to what reads it. */
export type SelectableFields = Readonly<Record<string, FieldReader>>;

const REFERENCE = [
  "kind",
  "namespace",
  "name",
  "uid",
  "apiVersion",
  "resourceVersion",
  "fieldPath",
];

/** Events are stored once and seen through two groups, under different names. */
const events = (reference: string, sources: readonly string[]): SelectableFields => ({
  ...Object.fromEntries(
    REFERENCE.map((name) => [`${reference}.${name}`, field(`${reference}.${name}`)]),
  ),
  reason: field("reason"),
  type: field("type"),
  ...(reference === "regarding"
    ? fields("reportingController")
    : {
        ...fields("reportingComponent"),
        source: (event: SentObject) => firstText(event, ...sources),
      }),
});

const TABLE: Readonly<Record<string, SelectableFields>> = {
  "/Pod": {
    ...fields(
      "spec.nodeName",
      "spec.restartPolicy",
      "spec.schedulerName",
      "spec.serviceAccountName",
      ["spec.hostNetwork", "false"],
      "status.phase",
      "status.podIP",
      "status.nominatedNodeName",
    ),
    "spec.host": field("spec.nodeName"),
    "status.podIPs": () => "",
  },
  "/Node": fields(["spec.unschedulable", "false"]),
  "/Namespace": fields("status.phase"),
  "/Secret": fields("type"),
  "/Service": fields("spec.clusterIP", "spec.type"),
  "/ReplicationController": fields(["status.replicas", "0"]),
  "/Event": events("involvedObject", ["source.component", "reportingComponent"]),
  "events.k8s.io/Event": events("regarding", []),
  "batch/Job": { "status.successful": field("status.succeeded", "0") },
  "certificates.k8s.io/CertificateSigningRequest": fields("spec.signerName"),
  "resource.k8s.io/ResourceSlice": fields("spec.nodeName", "spec.driver"),
};

function firstText(object: SentObject, ...paths: readonly string[]): string {
  for (const path of paths) {
    const text = textAt(object, path);
    if (text !== "") return text;
  }
  return "";
}

/** The selectable fields of a built-in kind; `undefined` when it has only the general ones. */
export function selectableFieldsOf(group: string, kind: string): SelectableFields | undefined {
  return TABLE[`${group}/${kind}`];
}
