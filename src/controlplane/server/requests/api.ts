/**
 * The API: finds the target of a request, checks that it exists and is allowed, and runs the
 * operation.
 */
import { TsopError, messageOf } from "../../../errors.ts";
import { pathSegmentErrors } from "../../../kube/names.ts";
import { StatusError } from "../../../kube/status.ts";
import type { Attributes, ResourceAttributes } from "../../auth/attributes.ts";
import type { ServedResource, User } from "../../kinds.ts";
import type { Cluster } from "../cluster/cluster.ts";
import {
  methodNotAllowed,
  noSuchResource,
  notFound,
  internalError,
  verbNotSupported,
  badRequest,
} from "../../failures.ts";
import { permit } from "./permission.ts";
import { getRequest, listRequest, watchRequest } from "./read-requests.ts";
import { failureAnswer, pageNotFound, warningHeader } from "./render.ts";
import { patchRequest } from "./patch-requests.ts";
import { Presenter } from "./presenter.ts";
import { type Answer, type ApiRequest, type ResourceRequest, headerOf } from "./request.ts";
import { type RequestHandler, specialHandler } from "./special-requests.ts";
import { type ResourcePath, parsePath } from "./route.ts";
import { booleanOption } from "./query.ts";
import { checkTimeout } from "./deadline.ts";
import {
  createRequest,
  deleteCollectionRequest,
  deleteRequest,
  updateRequest,
} from "./write-requests.ts";
import { present } from "../../../present.ts";

/** A request before its user is known. */
type UnknownRequest = Omit<ApiRequest, "user">;

/** The handlers of ordinary requests, by verb. */
const HANDLERS: Readonly<Record<string, RequestHandler>> = {
  get: getRequest,
  list: listRequest,
  create: createRequest,
  update: updateRequest,
  patch: patchRequest,
  delete: deleteRequest,
  deletecollection: deleteCollectionRequest,
};

/** Answers requests; never throws. */
export class Api {
  readonly #cluster: Cluster;
  readonly #other: (request: ApiRequest) => Answer;

  /** @param other - answers paths that are not a resource's */
  constructor(cluster: Cluster, other: (request: ApiRequest) => Answer) {
    this.#cluster = cluster;
    this.#other = other;
  }

  /** @param identify - finds the user of the request, or throws a `StatusError` */
  async handle(
    request: UnknownRequest,
    identify: (attributes: Attributes) => User,
  ): Promise<Answer> {
    const warnings: string[] = [];
    try {
      return withWarnings(await this.#dispatch(request, identify, warnings), warnings);
    } catch (thrown) {
      return withWarnings(
        failureAnswer(this.#failureOf(thrown, request), headerOf(request, "accept") || undefined),
        warnings,
      );
    }
  }

  #failureOf(thrown: unknown, request: UnknownRequest): StatusError {
    if (thrown instanceof StatusError) return thrown;
    this.#cluster.log.error(
      { err: thrown, method: request.method, path: request.path },
      "request failed",
    );
    return internalError(thrown instanceof TsopError ? thrown.message : messageOf(thrown));
  }

  async #dispatch(
    unknown: UnknownRequest,
    identify: (attributes: Attributes) => User,
    warnings: string[],
  ): Promise<Answer> {
    const path = parsePath(unknown.path);
    const verb = "plural" in path ? this.#verbOf(unknown, path) : unknown.method.toLowerCase();
    const attributes =
      "plural" in path ? resourceAttributes(unknown, path, verb) : { verb, path: unknown.path };
    const request: ApiRequest = { ...unknown, user: identify(attributes) };
    if (!isWatch(request, path)) checkTimeout(request.query);
    permit(this.#cluster, request.user, attributes);
    if (!("plural" in path)) return this.#other(request);
    const target = this.#target(path, request, verb, warnings);
    if (!target) return pageNotFound();
    const { resource, subresource } = target;
    checkNames(path);
    if (resource.builtIn) warnDeprecated(resource, warnings);
    const asked: ResourceRequest = {
      request,
      resource,
      ...(subresource ? { subresource } : {}),
      namespace: path.namespace ?? "",
      name: path.name ?? "",
      ...present({ rest: path.rest }),
      watchPrefix: path.watchPrefix,
      warnings,
    };
    return this.#perform(verb, asked);
  }

  /**
   * The verb of a request; a POST to an object of a custom kind is one to its collection, and a
   * HEAD is a GET.
   */
  #verbOf(request: UnknownRequest, path: ResourcePath): string {
    const isCustom = this.#cluster.registry.groupOwner(path.group) === "custom";
    if (isCustom && request.method === "HEAD") return verbOf({ ...request, method: "GET" }, path);
    const verb = verbOf(request, path);
    const isNamedPost = verb === "" && request.method === "POST" && !path.watchPrefix;
    return isNamedPost && isCustom && path.subresource === undefined ? "create" : verb;
  }

  async #perform(verb: string, asked: ResourceRequest): Promise<Answer> {
    const presenter = new Presenter(this.#cluster, asked, verb);
    const handler = specialHandler(asked, verb) ?? HANDLERS[verb];
    if (handler) return presenter.present(await handler(this.#cluster, asked));
    if (verb === "watch") return watchRequest(this.#cluster, asked, presenter);
    throw methodNotAllowed();
  }

  /**
   * The target of a path; `undefined` where the answer is the plain 404.
   *
   * @throws StatusError 404 or 405, whose forms differ between built-in and custom groups
   */
  #target(
    path: ResourcePath,
    request: ApiRequest,
    verb: string,
    warnings: string[],
  ): Pick<ResourceRequest, "resource" | "subresource"> | undefined {
    const { registry } = this.#cluster;
    const owner = registry.groupOwner(path.group);
    if (!owner) return undefined;
    const resource = registry.find(path.group, path.version, path.plural);
    const custom = owner === "custom";
    if (!resource) {
      if (custom) return undefined;
      throw noSuchResource();
    }
    if (!inScope(resource, path)) {
      if (custom) return undefined;
      const collectionWrite =
        path.name === undefined && resource.namespaced && path.namespace === undefined;
      throw collectionWrite && verb !== "" ? methodNotAllowed() : noSuchResource();
    }
    // Sent whatever is wrong with the rest of the request.
    if (custom) warnDeprecated(resource, warnings);
    if (path.subresource === undefined) {
      const isNowhere = resource.namespaced && path.namespace === undefined && !isRead(verb);
      if (custom && isNowhere) return undefined;
      checkVerb(resource, path, verb, request);
      return { resource };
    }
    const subresource = resource.subresources.find(({ name }) => name === path.subresource);
    if (!subresource) throw custom ? notFound(resource, path.name ?? "") : noSuchResource();
    if (!subresource.verbs.includes(verb)) {
      throw custom ? verbNotSupported(resource, verb) : methodNotAllowed();
    }
    return { resource, subresource };
  }
}

const isRead = (verb: string): boolean => verb === "list" || verb === "watch";

/** @throws StatusError 400 for names that cannot be a path segment */
function checkNames({ name, namespace }: ResourcePath): void {
  checkSegment("Namespace", namespace);
  checkSegment("Name", name);
}

function checkSegment(what: "Namespace" | "Name", value: string | undefined): void {
  if (value === undefined) return;
  const [problem] = pathSegmentErrors(value);
  if (problem === undefined) return;
  throw badRequest(`${what} parameter invalid: ${JSON.stringify(value)}: ${problem}`);
}

/** Whether the request is a watch: watches have no deadline from the client. */
function isWatch({ query }: ApiRequest, path: ReturnType<typeof parsePath>): boolean {
  return "plural" in path && (path.watchPrefix || booleanOption(query, "watch"));
}

/** Whether the path has a namespace exactly where the resource needs one. */
function inScope(resource: ServedResource, path: ResourcePath): boolean {
  if (!resource.namespaced) return path.namespace === undefined;
  if (path.namespace !== undefined) return true;
  // Lists and watches may span all namespaces.
  return path.name === undefined;
}

function checkVerb(
  resource: ServedResource,
  path: ResourcePath,
  verb: string,
  request: ApiRequest,
): void {
  const everywhere = resource.namespaced && path.namespace === undefined;
  if (everywhere && !isRead(verb)) throw methodNotAllowed();
  if (resource.verbs.includes(verb)) return;
  if (!resource.builtIn && verb === "" && request.method !== "OPTIONS") {
    throw badRequest("name must be provided");
  }
  throw resource.builtIn ? methodNotAllowed() : verbNotSupported(resource, verb);
}

/** The attributes for authorization; a list of one name is a request for that name only. */
function resourceAttributes(
  request: UnknownRequest,
  path: ResourcePath,
  verb: string,
): ResourceAttributes {
  const { group, version, plural: resource, subresource = "" } = path;
  const isNamespace = group === "" && resource === "namespaces";
  return {
    verb: verb === "" ? request.method.toLowerCase() : verb,
    group,
    version,
    resource,
    subresource,
    namespace: path.namespace ?? (isNamespace ? (path.name ?? "") : ""),
    name: path.name ?? selectedName(request, verb),
    fieldSelector: request.query.get("fieldSelector") ?? "",
  };
}

function selectedName(request: UnknownRequest, verb: string): string {
  if (verb !== "list" && verb !== "watch") return "";
  const match = /(?:^|,)metadata\.name==?([^,=!]+)(?:,|$)/.exec(
    request.query.get("fieldSelector") ?? "",
  );
  return match?.[1] ?? "";
}

/** The API's verb of a request; empty for a method that the path does not have. */
function verbOf(request: UnknownRequest, path: ResourcePath): string {
  const named = path.name !== undefined;
  switch (request.method) {
    case "GET":
      if (path.watchPrefix) return "watch";
      if (named) return "get";
      return booleanOption(request.query, "watch") ? "watch" : "list";
    case "POST":
      if (path.watchPrefix) return "";
      return named && path.subresource === undefined ? "" : "create";
    case "PUT":
      return named ? "update" : "";
    case "PATCH":
      return named ? "patch" : "";
    case "DELETE":
      return named ? "delete" : "deletecollection";
    default:
      return "";
  }
}

function warnDeprecated({ deprecationWarning }: ServedResource, warnings: string[]): void {
  if (deprecationWarning !== undefined) warnings.push(deprecationWarning);
}

function withWarnings(answer: Answer, warnings: readonly string[]): Answer {
  if (warnings.length === 0) return answer;
  return { ...answer, headers: { ...answer.headers, ...warningHeader(warnings) } };
}
