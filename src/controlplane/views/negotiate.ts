/**
 * The representation of an object, a list or a watch: JSON or YAML; in full, as a Table, or as
 * metadata only.
 *
 * Protobuf is accepted in requests and never answered: a client that offers it beside JSON gets
 * JSON.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources
 */
import type { StatusError } from "../../kube/status.ts";
import {
  JSON_TYPE,
  YAML_TYPE,
  chooseMediaType,
  nothingAcceptable,
  requireRepresentation,
} from "./accept.ts";

/** The form to which objects are converted for an answer. */
export interface View {
  readonly kind: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  /** The version of `meta.k8s.io`. */
  readonly version: "v1" | "v1beta1";
}

export interface Representation {
  readonly mediaType: "application/json" | "application/yaml";
  /** The form of the objects; absent when they are shown as they are. */
  readonly view?: View;
  /** The refusal of a watch in this representation, thrown after errors in its options. */
  readonly noStream?: StatusError;
}

/** The facts about the endpoint that decide the negotiation. */
interface NegotiatedEndpoint {
  readonly builtIn: boolean;
  /** Whether objects can be shown as a Table: reviews and bindings cannot. */
  readonly tables: boolean;
  /** Whether the endpoint is a collection: its 406 lists stream media types too. */
  readonly collection: boolean;
  readonly watch: boolean;
}

/**
 * The representation that the `Accept` header asks for.
 *
 * @throws StatusError 406 when it accepts nothing that the endpoint offers
 */
export function negotiate(
  accept: string | undefined,
  endpoint: NegotiatedEndpoint,
): Representation {
  if (endpoint.builtIn) requireRepresentation(accept, endpoint.collection);
  const chosen = findRepresentation(accept, endpoint);
  if (chosen) return chosen;
  // A header that fits no kind of answer is refused before a watch is considered.
  const form = findRepresentation(accept, { ...endpoint, watch: false });
  if (endpoint.watch && form) return { ...form, noStream: nothingAcceptable(accept, true) };
  throw nothingAcceptable(accept);
}

function findRepresentation(
  accept: string | undefined,
  { watch, tables }: NegotiatedEndpoint,
): Representation | undefined {
  // A watch has no YAML stream.
  const offered = watch ? [JSON_TYPE] : [JSON_TYPE, YAML_TYPE];
  return chooseMediaType<Representation>(accept, offered, ([, subtype], parameters) => {
    const { stream, as: kind, g: group, v: version } = parameters;
    if (stream !== undefined && !(watch && stream === "watch")) return undefined;
    const mediaType = subtype === "yaml" ? "application/yaml" : "application/json";
    if (kind === undefined && group === undefined && version === undefined) return { mediaType };
    if (group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
    const isPartial = kind === "PartialObjectMetadata" || kind === "PartialObjectMetadataList";
    return isPartial || (kind === "Table" && tables)
      ? { mediaType, view: { kind, version } }
      : undefined;
  });
}
