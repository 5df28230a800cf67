/** The paths of a resource and of its subresources, with their operations. */
import { capitalized } from "../../kube/text/capitalized.ts";
import type { JsonObject } from "../../kube/object.ts";
import { InternalError } from "../../errors.ts";
import { findDefinitionName } from "../builtin/definitions.ts";
import type { ServedResource, ServedSubresource } from "../kinds.ts";
import { connectionPaths, isConnection } from "./connections.ts";
import {
  LIST_PARAMETERS,
  type OperationSubject,
  STATUS,
  WRITE_PARAMETERS,
  createOperation,
  deleteCollectionOperation,
  deleteOperation,
  inPath,
  listOperation,
  patchOperation,
  query,
  readOperation,
  replaceOperation,
  watchOperation,
} from "./operations.ts";

/** Kinds whose deletion answers the object. */
const ANSWERS_OBJECT: ReadonlySet<string> = new Set([
  "/PersistentVolume",
  "/PersistentVolumeClaim",
  "/Pod",
  "/PodTemplate",
  "/ResourceQuota",
  "/Service",
  "/ServiceAccount",
  "resource.k8s.io/DeviceClass",
  "resource.k8s.io/ResourceClaim",
  "resource.k8s.io/ResourceClaimTemplate",
  "resource.k8s.io/ResourceSlice",
  "storage.k8s.io/CSIDriver",
  "storage.k8s.io/CSINode",
  "storage.k8s.io/StorageClass",
  "storage.k8s.io/VolumeAttachment",
  "storage.k8s.io/VolumeAttributesClass",
]);

/**
 * `rbac.authorization.k8s.io` as `rbacAuthorization`, `my-shop.io` as `myShopIo`; the core group as
 * `core`.
 */
export function groupTag(group: string): string {
  if (group === "") return "core";
  const [first = "", ...rest] = group.replace(/\.k8s\.io$/, "").split(/[^A-Za-z0-9]+/);
  return first + rest.map(capitalized).join("");
}

/** The name of a custom kind's definition: the parts of the group are reversed. */
export const customDefinitionName = ({ group, version }: ServedResource, kind: string): string =>
  [...group.split(".").reverse(), version, kind].join(".");

function definitionOf(group: string, version: string, kind: string): string {
  const name = findDefinitionName({ group, version, kind });
  if (name === undefined) {
    throw new InternalError(`There is no definition of ${group}/${version} ${kind}.`);
  }
  return name;
}

/**
 * The parts of the identifiers of one path's operations: `read` + `AppsV1` + `Namespaced` +
 * `Deployment` + `Scale`.
 */
interface Naming {
  readonly prefix: string;
  readonly scope: string;
  readonly rest: string;
}

const named = (verb: string, { prefix, scope, rest }: Naming, infix = "", suffix = ""): string =>
  `${verb}${prefix}${infix}${scope}${rest}${suffix}`;

/** The paths of a resource, each with its operations and their common parameters. */
export function pathsOf(resource: ServedResource): Record<string, JsonObject> {
  const { group, version, plural, namespaced, builtIn, kind, listKind } = resource;
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const scoped = namespaced ? `${base}/namespaces/{namespace}/${plural}` : `${base}/${plural}`;
  const naming: Naming = {
    prefix: `${capitalized(groupTag(group))}${capitalized(version)}`,
    scope: namespaced ? "Namespaced" : "",
    rest: kind,
  };
  const subject: OperationSubject = {
    builtIn,
    tag: `${groupTag(group)}_${version}`,
    kind,
    definition: builtIn ? definitionOf(group, version, kind) : customDefinitionName(resource, kind),
    listDefinition: builtIn
      ? (findDefinitionName({ group, version, kind: listKind }) ?? "")
      : customDefinitionName(resource, listKind),
    groupVersionKind: { group, version, kind },
    mediaTypes: builtIn
      ? ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"]
      : ["application/json", "application/yaml"],
  };
  const paths: Record<string, JsonObject> = {};
  addCollection(paths, scoped, resource, subject, naming);
  addObject(paths, scoped, resource, subject, naming);
  if (builtIn) addWatches(paths, base, resource, subject, naming);
  for (const subresource of resource.subresources) {
    const path = `${scoped}/{name}/${subresource.name}`;
    if (isConnection(subresource)) {
      const connection = {
        path,
        tag: subject.tag,
        prefix: naming.prefix,
        suffix: `${naming.scope}${kind}${capitalized(subresource.name)}`,
        resourceKind: kind,
        parameters: [nameParameter(kind), ...scopeParameters(resource)],
        inOrder: byName,
      };
      Object.assign(paths, connectionPaths(connection, subresource));
      continue;
    }
    paths[path] = subresourcePath(resource, subresource, subject, naming);
  }
  return paths;
}

const EVERYWHERE = [...LIST_PARAMETERS, "pretty"].sort();
const namespaceParameter = inPath("namespace", "The namespace of the objects.");
const pretty = query("pretty");

const scopeParameters = ({ namespaced }: ServedResource): JsonObject[] =>
  namespaced ? [namespaceParameter] : [];

/** The parameters of a path in the order of documents, sorted by name. */
function byName(parameters: readonly JsonObject[]): JsonObject[] {
  return [...parameters].sort((one, other) =>
    String(one["name"]) < String(other["name"]) ? -1 : 1,
  );
}

const nameParameter = (kind: string): JsonObject => inPath("name", `The name of the ${kind}.`);

function addCollection(
  paths: Record<string, JsonObject>,
  scoped: string,
  resource: ServedResource,
  subject: OperationSubject,
  naming: Naming,
): void {
  const { namespaced, verbs, kind } = resource;
  const can = (verb: string): boolean => verbs.includes(verb);
  const lists = can("list");
  // Kinds that can be created but never read (reviews) have the options of a write on the path.
  const writesOnly = !lists && !can("get");
  const collection: JsonObject = {
    ...(can("deletecollection")
      ? { delete: deleteCollectionOperation(subject, named("delete", naming, "Collection")) }
      : {}),
    ...(lists && can("create")
      ? { get: listOperation(subject, named("list", naming), LIST_PARAMETERS) }
      : {}),
    ...(can("create")
      ? {
          post: createOperation(
            subject,
            named("create", naming),
            writesOnly ? [] : WRITE_PARAMETERS,
          ),
        }
      : {}),
    parameters: byName([
      ...(writesOnly ? WRITE_PARAMETERS.map(query) : []),
      ...scopeParameters(resource),
      pretty,
    ]),
  };
  if (can("create")) {
    paths[scoped] = collection;
  } else if (lists) {
    paths[scoped] = listEverywhere(subject, named("list", naming));
  }
  if (namespaced && lists) {
    const base = scoped.replace("/namespaces/{namespace}", "");
    paths[base] = listEverywhere(subject, `list${naming.prefix}${kind}ForAllNamespaces`);
  }
}

function listEverywhere(subject: OperationSubject, id: string): JsonObject {
  return {
    get: listOperation(subject, id, []),
    parameters: EVERYWHERE.map(query),
  };
}

function addObject(
  paths: Record<string, JsonObject>,
  scoped: string,
  resource: ServedResource,
  subject: OperationSubject,
  naming: Naming,
): void {
  const { verbs, kind, group } = resource;
  if (!verbs.includes("get")) return;
  const answer = ANSWERS_OBJECT.has(`${group}/${kind}`) ? subject.definition : STATUS;
  const can = (verb: string): boolean => verbs.includes(verb);
  paths[`${scoped}/{name}`] = {
    ...(can("delete") ? { delete: deleteOperation(subject, named("delete", naming), answer) } : {}),
    get: readOperation(subject, named("read", naming)),
    ...(can("patch") ? { patch: patchOperation(subject, named("patch", naming)) } : {}),
    ...(can("update") ? { put: replaceOperation(subject, named("replace", naming)) } : {}),
    parameters: byName([nameParameter(kind), ...scopeParameters(resource), pretty]),
  };
}

function addWatches(
  paths: Record<string, JsonObject>,
  base: string,
  resource: ServedResource,
  subject: OperationSubject,
  naming: Naming,
): void {
  const { plural, namespaced, kind, verbs } = resource;
  if (!verbs.includes("watch")) return;
  const options = EVERYWHERE.map(query);
  const scoped = `${base}/watch/${namespaced ? "namespaces/{namespace}/" : ""}${plural}`;
  const scope = scopeParameters(resource);
  paths[scoped] = {
    get: watchOperation(subject, named("watch", naming, "", "List"), "watchlist"),
    parameters: byName([...scope, ...options]),
  };
  paths[`${scoped}/{name}`] = {
    get: watchOperation(subject, named("watch", naming), "watch"),
    parameters: byName([nameParameter(kind), ...scope, ...options]),
  };
  if (namespaced) {
    paths[`${base}/watch/${plural}`] = {
      get: watchOperation(subject, `watch${naming.prefix}${kind}ListForAllNamespaces`, "watchlist"),
      parameters: options,
    };
  }
}

function subresourcePath(
  resource: ServedResource,
  { name, verbs, group, version, kind }: ServedSubresource,
  parent: OperationSubject,
  naming: Naming,
): JsonObject {
  const names: Naming = { ...naming, rest: `${naming.rest}${capitalized(name)}` };
  const definition =
    kind === resource.kind ? parent.definition : definitionOf(group, version, kind);
  const subject: OperationSubject = {
    ...parent,
    kind,
    definition,
    // The scale of a custom resource is listed under the resource's own kind.
    groupVersionKind: resource.builtIn ? { group, version, kind } : parent.groupVersionKind,
  };
  const can = (verb: string): boolean => verbs.includes(verb);
  const writesOnly = !can("get");
  return {
    ...(can("get") ? { get: readOperation(subject, named("read", names)) } : {}),
    ...(can("patch") ? { patch: patchOperation(subject, named("patch", names)) } : {}),
    ...(can("create") ? { post: createOperation(subject, named("create", names), []) } : {}),
    ...(can("update")
      ? {
          put: replaceOperation(
            subject,
            named("replace", names),
            writesOnly ? [] : WRITE_PARAMETERS,
          ),
        }
      : {}),
    parameters: byName([
      ...(writesOnly ? WRITE_PARAMETERS.map(query) : []),
      nameParameter(kind),
      ...scopeParameters(resource),
      pretty,
    ]),
  };
}
