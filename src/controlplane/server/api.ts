/**
 * The API: finds out what a request asks for, whether that is there and allowed, and has it done.
 *
 * @module
 */
import { TsopError, messageOf } from "../../errors.ts";
import { StatusError } from "../../kube/status.ts";
import type { ServedResource } from "../kinds.ts";
import type { Cluster } from "./cluster.ts";
import {
  methodNotAllowed,
  noSuchResource,
  notFound,
  internalError,
  verbNotSupported,
  badRequest,
} from "./failures.ts";
import { getRequest, listRequest, watchRequest } from "./read-requests.ts";
import { failureAnswer, pageNotFound, warningHeader } from "./render.ts";
import type { Answer, ApiRequest, ResourceRequest } from "./request.ts";
import { type ResourcePath, parsePath } from "./route.ts";
import { booleanOption } from "./query.ts";
import {
  createRequest,
  deleteCollectionRequest,
  deleteRequest,
  patchRequest,
  updateRequest,
} from "./write-requests.ts";

/** Answers requests; never throws. */
export class Api {
  readonly #cluster: Cluster;
  readonly #other: (request: ApiRequest) => Answer;

  /** @param other - answers paths that are no resource's */
  constructor(cluster: Cluster, other: (request: ApiRequest) => Answer) {
    this.#cluster = cluster;
    this.#other = other;
  }

  async handle(request: ApiRequest): Promise<Answer> {
    const warnings: string[] = [];
    try {
      return withWarnings(await this.#dispatch(request, warnings), warnings);
    } catch (thrown) {
      return withWarnings(failureAnswer(this.#failureOf(thrown, request)), warnings);
    }
  }

  #failureOf(thrown: unknown, request: ApiRequest): StatusError {
    if (thrown instanceof StatusError) return thrown;
    this.#cluster.log.error(
      { err: thrown, method: request.method, path: request.path },
      "request failed",
    );
    return internalError(thrown instanceof TsopError ? thrown.message : messageOf(thrown));
  }

  async #dispatch(request: ApiRequest, warnings: string[]): Promise<Answer> {
    const path = parsePath(request.path);
    if (!("plural" in path)) return this.#other(request);
    const verb = verbOf(request, path);
    const target = this.#target(path, request, verb);
    if (!target) return pageNotFound();
    const { resource, subresource } = target;
    if (resource.deprecationWarning) warnings.push(resource.deprecationWarning);
    const asked: ResourceRequest = {
      request,
      resource,
      ...(subresource ? { subresource } : {}),
      namespace: path.namespace ?? "",
      name: path.name ?? "",
      watchPrefix: path.watchPrefix,
      warnings,
    };
    return this.#perform(verb, asked);
  }

  async #perform(verb: string, asked: ResourceRequest): Promise<Answer> {
    const cluster = this.#cluster;
    switch (verb) {
      case "get":
        return getRequest(cluster, asked);
      case "list":
        return listRequest(cluster, asked);
      case "watch":
        return watchRequest(cluster, asked);
      case "create":
        return createRequest(cluster, asked);
      case "update":
        return updateRequest(cluster, asked);
      case "patch":
        return patchRequest(cluster, asked);
      case "delete":
        return deleteRequest(cluster, asked);
      case "deletecollection":
        return deleteCollectionRequest(cluster, asked);
      default:
        throw methodNotAllowed();
    }
  }

  /**
   * What the path names; `undefined` where the answer is the plain 404.
   *
   * @throws StatusError 404 or 405, whose forms differ between built-in and custom groups
   */
  #target(
    path: ResourcePath,
    request: ApiRequest,
    verb: string,
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
    if (path.subresource === undefined) {
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

/** Whether the path has a namespace exactly where the resource wants one. */
function inScope(resource: ServedResource, path: ResourcePath): boolean {
  if (!resource.namespaced) return path.namespace === undefined;
  if (path.namespace !== undefined) return true;
  // Lists and watches go over all namespaces.
  return path.name === undefined;
}

function checkVerb(
  resource: ServedResource,
  path: ResourcePath,
  verb: string,
  request: ApiRequest,
): void {
  const everywhere = resource.namespaced && path.namespace === undefined;
  if (everywhere && verb !== "list" && verb !== "watch") {
    throw resource.builtIn ? methodNotAllowed() : noSuchResource();
  }
  if (resource.verbs.includes(verb)) return;
  if (!resource.builtIn && verb === "" && request.method !== "OPTIONS") {
    throw badRequest("name must be provided");
  }
  throw resource.builtIn ? methodNotAllowed() : verbNotSupported(resource, verb);
}

/** The API's verb of a request; empty for a method that the path does not have. */
function verbOf(request: ApiRequest, path: ResourcePath): string {
  const named = path.name !== undefined;
  switch (request.method) {
    case "GET":
      if (path.watchPrefix) return "watch";
      if (named) return "get";
      return booleanOption(request.query, "watch") ? "watch" : "list";
    case "POST":
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

function withWarnings(answer: Answer, warnings: readonly string[]): Answer {
  return { ...answer, headers: { ...answer.headers, ...warningHeader(warnings) } };
}
