/**
 * In which form an object, a list or a watch is answered: JSON or YAML, whole, as a Table, or its metadata only.
 *
 * Protobuf is accepted in requests and never answered: a client that offers it beside JSON gets JSON.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources
 * @module
 */
import type { StatusError } from "../../kube/status.ts";
import { JSON_TYPE, YAML_TYPE, chooseMediaType } from "./accept.ts";
import { nothingAcceptable, requireRepresentation } from "./not-acceptable.ts";

/** What becomes of objects on their way out. */
export interface View {
  readonly kind: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  /** The version of `meta.k8s.io`. */
  readonly version: "v1" | "v1beta1";
}

/** How an answer is written. */
export interface Representation {
  readonly mediaType: "application/json" | "application/yaml";
  /** Absent: objects are shown as they are. */
  readonly view?: View;
  /** Why a watch cannot be written so: told after what is wrong with its options. */
  readonly noStream?: StatusError;
}

/** What the negotiation has to know of the endpoint. */
export interface NegotiatedEndpoint {
  readonly builtIn: boolean;
  /** Whether it can be shown as a Table: reviews and bindings cannot. */
  readonly tables: boolean;
  /** A collection: its 406 names streams. */
  readonly collection: boolean;
  readonly watch: boolean;
}

const VIEWS: ReadonlySet<string> = new Set([
  "Table",
  "PartialObjectMetadata",
  "PartialObjectMetadataList",
]);

/**
 * The representation that the `Accept` header asks for.
 *
 * @throws StatusError 406 when it asks for nothing that the endpoint has
 */
export function negotiate(
  accept: string | undefined,
  endpoint: NegotiatedEndpoint,
): Representation {
  if (endpoint.builtIn) requireRepresentation(accept, endpoint.collection);
  const chosen = findRepresentation(accept, endpoint);
  if (chosen) return chosen;
  // What is no form of an answer at all is refused before anybody sees that a watch is wanted.
  const form = findRepresentation(accept, { ...endpoint, watch: false });
  if (endpoint.watch && form) return { ...form, noStream: nothingAcceptable(accept, true) };
  throw nothingAcceptable(accept, false);
}

function findRepresentation(
  accept: string | undefined,
  endpoint: NegotiatedEndpoint,
): Representation | undefined {
  return chooseMediaType<Representation>(
    accept,
    // A watch has no YAML stream.
    endpoint.watch ? [JSON_TYPE] : [JSON_TYPE, YAML_TYPE],
    ([, subtype], parameters) => {
      if (
        parameters["stream"] !== undefined &&
        !(endpoint.watch && parameters["stream"] === "watch")
      ) {
        return undefined;
      }
      const mediaType = subtype === "yaml" ? "application/yaml" : "application/json";
      const { as, g, v } = parameters;
      if (as === undefined && g === undefined && v === undefined) return { mediaType };
      const view = viewOf(as, g, v, endpoint.tables);
      return view && { mediaType, view };
    },
  );
}

function viewOf(
  kind: string | undefined,
  group: string | undefined,
  version: string | undefined,
  tables: boolean,
): View | undefined {
  if (kind === undefined || !VIEWS.has(kind) || group !== "meta.k8s.io") return undefined;
  if (version !== "v1" && version !== "v1beta1") return undefined;
  if (kind === "Table" && !tables) return undefined;
  return { kind: kind as View["kind"], version };
}
