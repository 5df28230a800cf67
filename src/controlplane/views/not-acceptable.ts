/**
 * Status 406, none of the accepted media types can be served, in the two forms of Kubernetes'
 * messages.
 */
import { type StatusError, failure } from "../../kube/status.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const TYPES = ["application/json", "application/yaml", PROTOBUF];
const STREAMS = [
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf;stream=watch",
];

/** A 406 in the form of the handlers, with a message of its own. */
export const notAcceptable = (message: string): StatusError =>
  failure(406, "NotAcceptable", message);

/**
 * The 406 of the handlers. Protobuf is never answered, so a client that accepts only protobuf is
 * not offered it.
 */
export function nothingAcceptable(accept: string | undefined, watch: boolean): StatusError {
  if (watch) return onlyAccepted(STREAMS);
  const onlyProtobuf = (accept ?? "").split(",").every((part) => part.trim().startsWith(PROTOBUF));
  const types = onlyProtobuf ? TYPES.filter((type) => type !== PROTOBUF) : TYPES;
  return onlyAccepted(types);
}

const onlyAccepted = (types: readonly string[]): StatusError =>
  notAcceptable(`only the following media types are accepted: ${types.join(", ")}`);

/** The 406 of the router in front of built-in resources; lists and watches offer streams too. */
const noRepresentation = (streams: boolean): StatusError =>
  failure(
    406,
    "NotAcceptable",
    `406: Not Acceptable\n\nAvailable representations: ${[...TYPES, ...(streams ? STREAMS : [])].join(", ")}`,
    {},
  );

/**
 * Checks the header as the router in front of built-in paths does: it must name one of the media
 * types literally, or accept any type. Parameters and quality are ignored.
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
