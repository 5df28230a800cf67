/** The API: finds the target of a request, checks that it exists and is allowed, and runs it. */
import { TsopError, messageOf } from "../../../errors.ts";
import { pathSegmentErrors } from "../../../kube/names.ts";
import { StatusError } from "../../../kube/status.ts";
import type { Attributes, ResourceAttributes } from "../../request-attributes.ts";
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
import { failureAnswer, pageNotFound, withWarnings } from "./render.ts";
import { handlerOf } from "./handlers.ts";
import { Presenter } from "./presenter.ts";
import { type Answer, type ApiRequest, type ResourceRequest, headerOf } from "./request.ts";
import { type ResourcePath, parsePath } from "./route.ts";
import { booleanOption, checkTimeout } from "./query.ts";

/** A request before its user is known. */
type UnknownRequest = Omit<ApiRequest, "user">;

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
    let answer: Answer;
    try {
      answer = await this.#dispatch(request, identify, warnings);
    } catch (thrown) {
      const accept = headerOf(request, "accept") || undefined;
      answer = failureAnswer(this.#failureOf(thrown, request), accept);
    }
    return warnings.length === 0 ? answer : withWarnings(answer, warnings);
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
    const verb = path ? this.#verbOf(unknown, path) : unknown.method.toLowerCase();
    const attributes = path
      ? resourceAttributes(unknown, path, verb)
      : { verb, path: unknown.path };
    const request: ApiRequest = { ...unknown, user: identify(attributes) };
    // Watches have no deadline from the client.
    const isWatch = path && (path.watchPrefix || booleanOption(request.query, "watch"));
    if (!isWatch) checkTimeout(request.query);
    permit(this.#cluster, request.user, attributes);
    if (this.#cluster.aggregator.has(request.path)) return this.#cluster.aggregator.answer(request);
    if (!path) return this.#other(request);
    const target = this.#target(path, request, verb, warnings);
    if (!target) return pageNotFound();
    const { namespace, name, rest, watchPrefix } = path;
    checkSegment("Namespace", namespace);
    checkSegment("Name", name);
    const { builtIn, deprecationWarning } = target.resource;
    if (builtIn && deprecationWarning !== undefined) warnings.push(deprecationWarning);
    const asked: ResourceRequest = {
      request,
      resource: target.resource,
      subresource: target.subresource,
      namespace: namespace ?? "",
      name: name ?? "",
      rest,
      watchPrefix,
      warnings,
    };
    const presenter = new Presenter(this.#cluster, asked, verb);
    const handler = handlerOf(asked, verb);
    if (!handler) throw methodNotAllowed();
    return presenter.present(await handler(this.#cluster, asked, presenter));
  }

  /** The verb of a request. Custom kinds take HEAD for GET, and POST to an object as a create. */
  #verbOf(request: UnknownRequest, path: ResourcePath): string {
    const isCustom = this.#cluster.registry.groupOwner(path.group) === "custom";
    if (isCustom && request.method === "HEAD") return verbOf({ ...request, method: "GET" }, path);
    const verb = verbOf(request, path);
    const isNamedPost = verb === "" && request.method === "POST" && !path.watchPrefix;
    return isNamedPost && isCustom && path.subresource === undefined ? "create" : verb;
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
    const { deprecationWarning } = resource;
    if (custom && deprecationWarning !== undefined) warnings.push(deprecationWarning);
    if (path.subresource === undefined) {
      const isNowhere = resource.namespaced && path.namespace === undefined && !isRead(verb);
      if (custom && isNowhere) return undefined;
      checkVerb(resource, path, verb, request);
      return { resource, subresource: undefined };
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

/** @throws StatusError 400 for a name that cannot be a path segment */
function checkSegment(what: "Namespace" | "Name", value: string | undefined): void {
  if (value === undefined) return;
  const [problem] = pathSegmentErrors(value);
  if (problem === undefined) return;
  throw badRequest(`${what} parameter invalid: ${JSON.stringify(value)}: ${problem}`);
}

/** Whether the path has a namespace where the resource needs one; lists may span all of them. */
function inScope({ namespaced }: ServedResource, { namespace, name }: ResourcePath): boolean {
  return namespaced ? namespace !== undefined || name === undefined : namespace === undefined;
}

function checkVerb(
  resource: ServedResource,
  path: ResourcePath,
  verb: string,
  request: ApiRequest,
): void {
  const { builtIn, namespaced, verbs } = resource;
  if (namespaced && path.namespace === undefined && !isRead(verb)) throw methodNotAllowed();
  if (verbs.includes(verb)) return;
  if (builtIn) throw methodNotAllowed();
  if (verb !== "" || request.method === "OPTIONS") throw verbNotSupported(resource, verb);
  throw badRequest("name must be provided");
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
  const selector = request.query.get("fieldSelector") ?? "";
  return /(?:^|,)metadata\.name==?([^,=!]+)(?:,|$)/.exec(selector)?.[1] ?? "";
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
