/**
 * 406: none of the wanted media types can be served, in the two forms that carry a text.
 *
 * @module
 */
import { type StatusError, failure } from "../../kube/status.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const TYPES = ["application/json", "application/yaml", PROTOBUF];
const STREAMS = [
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf;stream=watch",
];

/** The form of handlers, with a text of one's own. */
export const notAcceptable = (message: string): StatusError =>
  failure(406, "NotAcceptable", message);

/** The form of handlers. Protobuf is never answered: a client that takes nothing else is told so. */
export function nothingAcceptable(accept: string | undefined, watch: boolean): StatusError {
  if (watch) return onlyAccepted(STREAMS);
  const onlyProtobuf = (accept ?? "").split(",").every((part) => part.trim().startsWith(PROTOBUF));
  const types = onlyProtobuf ? TYPES.filter((type) => type !== PROTOBUF) : TYPES;
  return onlyAccepted(types);
}

const onlyAccepted = (types: readonly string[]): StatusError =>
  notAcceptable(`only the following media types are accepted: ${types.join(", ")}`);

/** The form of the router in front of built-in resources; lists and watches offer streams too. */
const noRepresentation = (streams: boolean): StatusError =>
  failure(
    406,
    "NotAcceptable",
    `406: Not Acceptable\n\nAvailable representations: ${[...TYPES, ...(streams ? STREAMS : [])].join(", ")}`,
    {},
  );

/**
 * Checks what the router in front of built-in paths checks: one of the media types must be named as it is, or
 * "anything". Parameters do not count, nor does quality.
 *
 * @throws StatusError 406 otherwise
 */
export function requireRepresentation(accept: string | undefined, streams = false): void {
  if (accept === undefined || accept === "") return;
  const wanted = accept.split(",").map((part) => (part.split(";")[0] ?? "").trim());
  if (!wanted.some((type) => type === "*/*" || TYPES.includes(type))) {
    throw noRepresentation(streams);
  }
}
