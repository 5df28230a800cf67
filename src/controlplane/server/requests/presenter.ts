/** Presents the outcome of an operation in the form that the client accepts. */
import { encodeJson, asObject } from "../../../kube/json.ts";
import type { KubeList, SentObject } from "../../../kube/object.ts";
import { apiVersionOf } from "../../../kube/resource.ts";
import type { Status } from "../../../kube/status.ts";
import type { ServedResource, TablePrinter } from "../../kinds.ts";
import { encode } from "../../views/encode.ts";
import { type Representation, negotiate } from "../../views/negotiate.ts";
import { printerOf } from "../../builtin/printer-of.ts";
import { scalePrinter } from "../../crd/columns.ts";
import { type IncludeObject, parseIncludeObject, show } from "../../views/show.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { ListPage } from "../read/list.ts";
import { NO_CACHE } from "./render.ts";
import { type Answer, type Outcome, type ResourceRequest, headerOf } from "./request.ts";
import type { WatchEvent } from "../read/watch.ts";

/** The name of the API server's internal Go type of an object, or of the objects of a list. */
function internalType({ builtIn, group }: ServedResource, kind: string): string {
  if (kind === "Scale") return builtIn ? "autoscaling.Scale" : "v1.Scale";
  if (!builtIn) return "unstructured.Unstructured";
  const package_ = group === "" || group === "events.k8s.io" ? "core" : group.replace(/\..*/, "");
  return `${package_}.${kind.replace(/List$/, "")}`;
}

const printerOfScale = ({ builtIn }: ServedResource): TablePrinter =>
  builtIn ? printerOf("autoscaling", "Scale") : scalePrinter;

/** The negotiated form of one request's answers. */
export class Presenter {
  readonly #cluster: Cluster;
  readonly #resource: ServedResource;
  readonly #printer: TablePrinter | undefined;
  readonly #representation: Representation;
  readonly #includeObject: IncludeObject;
  #columnsSent = false;

  /** @throws StatusError 406 when no form that the client accepts can be served */
  constructor(cluster: Cluster, asked: ResourceRequest, verb: string) {
    this.#cluster = cluster;
    this.#resource = asked.resource;
    const { request, resource, subresource } = asked;
    this.#printer = subresource?.kind === "Scale" ? printerOfScale(resource) : resource.table;
    this.#representation = negotiate(headerOf(request, "accept") || undefined, {
      builtIn: resource.builtIn,
      tables: resource.verbs.includes("get"),
      collection: verb === "list" || verb === "watch",
      watch: verb === "watch",
    });
    this.#includeObject =
      this.#representation.view?.kind === "Table"
        ? parseIncludeObject(request.query.get("includeObject"))
        : "Metadata";
  }

  /** The outcome of the request in the client's form. */
  present(outcome: Outcome): Answer {
    if ("page" in outcome) return this.#list(outcome.page);
    if (!("object" in outcome)) return outcome;
    const { code, object } = outcome;
    return this.#answer(code, isStatus(object) ? object : this.#show(object));
  }

  /** A page of a list. Items of built-in kinds omit kind and apiVersion: the list has them. */
  #list(page: ListPage): Answer {
    const resource = this.#resource;
    const isBare = !this.#representation.view && resource.builtIn;
    const list: KubeList<SentObject> = {
      kind: resource.listKind,
      apiVersion: apiVersionOf(resource),
      metadata: page.metadata,
      items: isBare ? page.items.map(withoutType) : [...page.items],
    };
    return this.#answer(200, this.#show(list));
  }

  /** @throws StatusError 406 when events cannot be written in a form that the client accepts */
  requireStream(): void {
    if (this.#representation.noStream) throw this.#representation.noStream;
  }

  /** The line of a watch event. */
  event(event: WatchEvent): string {
    if (this.#representation.view) return this.#viewLine(event);
    return event.type === "BOOKMARK" ? bookmarkLine(event) : plainLine(this.#cluster, event);
  }

  #viewLine({ type, object }: WatchEvent): string {
    const shown = isStatus(object) ? object : this.#show(object, !this.#columnsSent);
    this.#columnsSent = true;
    return lineOf(type, shown);
  }

  #show(object: SentObject | KubeList<SentObject>, withColumns = true): object {
    return show(object, {
      view: this.#representation.view,
      printer: this.#printer,
      includeObject: this.#includeObject,
      nowMs: this.#cluster.clock.now(),
      goType: internalType(this.#resource, object.kind),
      withColumns,
    });
  }

  #answer(status: number, body: object): Answer {
    const { mediaType } = this.#representation;
    const headers = { ...NO_CACHE, "content-type": mediaType };
    return { status, headers, body: encode(body, mediaType) };
  }
}

/** Answers a request to a resource. */
export type RequestHandler = (
  cluster: Cluster,
  asked: ResourceRequest,
  presenter: Presenter,
) => Outcome | Promise<Outcome>;

/** The last line that was written for a watch of a cluster. */
const latestLines = new WeakMap<Cluster, WatchEvent & { readonly line: string }>();

/** The line of an object as it is; all watches that see a change share the text. */
function plainLine(cluster: Cluster, { type, object }: WatchEvent): string {
  const latest = latestLines.get(cluster);
  if (latest?.object === object && latest.type === type) return latest.line;
  const line = lineOf(type, object);
  latestLines.set(cluster, { type, object, line });
  return line;
}

// The same bookmark is sent again and again in a quiet cluster, to all watches.
const bookmarkLines = new WeakMap<WatchEvent["object"], string>();

function bookmarkLine({ type, object }: WatchEvent): string {
  let line = bookmarkLines.get(object);
  if (line === undefined) bookmarkLines.set(object, (line = lineOf(type, object)));
  return line;
}

const lineOf = (type: WatchEvent["type"], object: object): string =>
  `${encodeJson({ type, object })}\n`;

const isStatus = (object: SentObject | Status): object is Status => object.kind === "Status";

function withoutType(object: SentObject): SentObject {
  const rest: Partial<SentObject> = { ...object };
  delete rest.kind;
  delete rest.apiVersion;
  return asObject(rest);
}
