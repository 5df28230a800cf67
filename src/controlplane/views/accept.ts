/** The `Accept` header, read as the API server reads it, and the refusals of one. */
import { type StatusError, failure } from "../../kube/status.ts";

/** One media type of the header, with its parameters except `q`. */
interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A type that an endpoint offers, as `[type, subtype]`. */
type MediaType = readonly [string, string];

/** `application/json`. */
export const JSON_TYPE: MediaType = ["application", "json"];
/** `application/yaml`. */
export const YAML_TYPE: MediaType = ["application", "yaml"];

const PLAIN_JSON: readonly AcceptClause[] = [
  { type: "application", subtype: "json", quality: 1, parameters: {} },
];

/** The clauses of the header, most preferred first. Malformed ones are left out. */
export function parseAccept(header: string): readonly AcceptClause[] {
  if (header === "application/json") return PLAIN_JSON;
  return header
    .split(",")
    .flatMap((part) => parseClause(part))
    .sort(
      (one, other) =>
        other.quality - one.quality ||
        Number(one.type === "*") - Number(other.type === "*") ||
        Number(one.subtype === "*") - Number(other.subtype === "*"),
    );
}

function parseClause(part: string): AcceptClause[] {
  const [range = "", ...rest] = part.split(";");
  const [type = "", subtype, ...more] = range.split("/").map((piece) => piece.trim());
  if (more.length > 0 || (subtype === undefined && type !== "*")) return [];
  const parameters: Record<string, string> = {};
  let quality = 1;
  for (const pair of rest) {
    const [name = "", value, ...others] = pair.split("=").map((piece) => piece.trim());
    if (value === undefined || value === "" || others.length > 0) continue;
    if (name === "q") quality = Number.parseFloat(value) || 0;
    else parameters[name] = value;
  }
  return [{ type, subtype: subtype ?? "*", quality, parameters }];
}

/**
 * The first offered type that the header accepts and `serve` agrees to; wildcards match offers in
 * their order. An absent or empty header accepts anything.
 */
export function chooseMediaType<T>(
  header: string | undefined,
  offered: readonly MediaType[],
  serve: (type: MediaType, parameters: Readonly<Record<string, string>>) => T | undefined,
): T | undefined {
  for (const clause of parseAccept(header || "*/*")) {
    for (const offer of offered) {
      const isWanted =
        (clause.type === "*" && clause.subtype === "*") ||
        (clause.type === offer[0] && (clause.subtype === "*" || clause.subtype === offer[1]));
      const served = isWanted ? serve(offer, clause.parameters) : undefined;
      if (served !== undefined) return served;
    }
  }
  return undefined;
}

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const TYPES = ["application/json", "application/yaml", PROTOBUF];
const STREAMS = ["application/json;stream=watch", `${PROTOBUF};stream=watch`];

/** A 406 in the form of the handlers, with a message of its own. */
export const notAcceptable = (message: string): StatusError =>
  failure(406, "NotAcceptable", message);

/**
 * The 406 of the handlers. Protobuf is never answered, so a client that accepts only protobuf is
 * not offered it.
 */
export function nothingAcceptable(accept = "", watch = false): StatusError {
  const isProtobuf = (part: string): boolean => part.trim().startsWith(PROTOBUF);
  const types = accept.split(",").every(isProtobuf) ? TYPES.slice(0, -1) : TYPES;
  const offered = (watch ? STREAMS : types).join(", ");
  return notAcceptable(`only the following media types are accepted: ${offered}`);
}

/**
 * Checks the header as the router in front of built-in paths does: it must name one of the media
 * types literally, or accept any type. Parameters and quality are ignored.
 *
 * @param streams - whether the path is that of a collection, whose 406 lists streams too
 * @throws StatusError 406 otherwise
 */
export function requireRepresentation(accept = "", streams = false): void {
  const wanted = accept.split(",").map((part) => (part.split(";")[0] ?? "").trim());
  if (accept === "" || wanted.some((type) => type === "*/*" || TYPES.includes(type))) return;
  const offered = [...TYPES, ...(streams ? STREAMS : [])].join(", ");
  const message = `406: Not Acceptable\n\nAvailable representations: ${offered}`;
  throw failure(406, "NotAcceptable", message, {});
}
