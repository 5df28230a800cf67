/** The paths of a resource and of its subresources, with their operations. */
import { capitalized } from "../../kube/text/capitalized.ts";
import type { JsonObject } from "../../kube/object.ts";
import { InternalError } from "../../errors.ts";
import { findDefinitionName } from "../builtin/definitions.ts";
import type { ServedResource, ServedSubresource } from "../kinds.ts";
import { connectionPaths, isConnection } from "./connections.ts";
import {
  LIST_PARAMETERS,
  MEDIA_TYPES,
  type OperationSubject,
  type Verb,
  WRITE_PARAMETERS,
  byName,
  inPath,
  operationsOf,
  query,
} from "./operations.ts";

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

const EVERYWHERE = [...LIST_PARAMETERS, "pretty"].map(query);
const pretty = query("pretty");
const namespaceParameter = inPath("namespace", "The namespace of the objects.");
const nameParameter = (kind: string): JsonObject => inPath("name", `The name of the ${kind}.`);

/** The paths of a resource, each with its operations and their common parameters. */
export function pathsOf(resource: ServedResource): Record<string, JsonObject> {
  const { group, version, plural, namespaced, builtIn, kind } = resource;
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespaced ? "/namespaces/{namespace}" : "";
  const path = `${base}${scope}/${plural}`;
  const subject = subjectOf(resource);
  const everywhere = { ...subject, scope: "", reach: "ForAllNamespaces" };
  const inScope = namespaced ? [namespaceParameter] : [];
  const can = (verb: string): boolean => resource.verbs.includes(verb);
  const paths: Record<string, JsonObject> = {};
  if (can("create")) {
    const verbs = (["deletecollection", "list", "create"] as const).filter(can);
    const writesOnly = !can("list") && !can("get");
    paths[path] = pathItem(subject, verbs, inScope, writesOnly);
  } else if (can("list")) {
    paths[path] = withOptions(subject, "list", []);
  }
  if (namespaced && can("list")) paths[`${base}/${plural}`] = withOptions(everywhere, "list", []);
  const inObject = [nameParameter(kind), ...inScope];
  if (can("get")) {
    const verbs = (["delete", "get", "patch", "update"] as const).filter(can);
    paths[`${path}/{name}`] = pathItem(subject, verbs, inObject, false);
  }
  if (builtIn && can("watch")) {
    const watched = `${base}/watch${scope}/${plural}`;
    paths[watched] = withOptions(subject, "watchlist", inScope);
    paths[`${watched}/{name}`] = withOptions(subject, "watch", inObject);
    if (namespaced) {
      paths[`${base}/watch/${plural}`] = withOptions(everywhere, "watchlist", []);
    }
  }
  for (const subresource of resource.subresources) {
    const itsPath = `${path}/{name}/${subresource.name}`;
    if (isConnection(subresource)) {
      Object.assign(paths, connectionPaths(itsPath, subject, subresource, inObject));
    } else {
      const verbs = (["get", "patch", "create", "update"] as const).filter((verb) =>
        subresource.verbs.includes(verb),
      );
      const parameters = [nameParameter(subresource.kind), ...inScope];
      const below = subresourceOf(resource, subresource, subject);
      paths[itsPath] = pathItem(below, verbs, parameters, !verbs.includes("get"));
    }
  }
  return paths;
}

/**
 * The operations of a path. The options of a write are on the path of what can be created but never
 * read, such as reviews.
 */
function pathItem(
  subject: OperationSubject,
  verbs: readonly Verb[],
  parameters: readonly JsonObject[],
  writesOnly: boolean,
): JsonObject {
  const options = writesOnly ? WRITE_PARAMETERS.map(query) : [];
  return {
    ...operationsOf(subject, verbs, writesOnly),
    parameters: byName([...options, ...parameters, pretty]),
  };
}

/** The operation of a path that itself has all options of a list. */
const withOptions = (
  subject: OperationSubject,
  verb: Verb,
  parameters: readonly JsonObject[],
): JsonObject => ({
  ...operationsOf(subject, [verb], true),
  parameters: byName([...parameters, ...EVERYWHERE]),
});

function subjectOf(resource: ServedResource): OperationSubject {
  const { group, version, namespaced, builtIn, kind, listKind } = resource;
  const tag = groupTag(group);
  return {
    builtIn,
    tag: `${tag}_${version}`,
    prefix: `${capitalized(tag)}${capitalized(version)}`,
    scope: namespaced ? "Namespaced" : "",
    name: kind,
    reach: "",
    kind,
    definition: builtIn ? definitionOf(group, version, kind) : customDefinitionName(resource, kind),
    listDefinition: builtIn
      ? (findDefinitionName({ group, version, kind: listKind }) ?? "")
      : customDefinitionName(resource, listKind),
    groupVersionKind: { group, version, kind },
    mediaTypes: MEDIA_TYPES.filter((type) => builtIn || !type.endsWith("protobuf")),
  };
}

const subresourceOf = (
  resource: ServedResource,
  { name, group, version, kind }: ServedSubresource,
  parent: OperationSubject,
): OperationSubject => ({
  ...parent,
  name: `${parent.name}${capitalized(name)}`,
  kind,
  definition: kind === resource.kind ? parent.definition : definitionOf(group, version, kind),
  // The scale of a custom resource is listed under the resource's own kind.
  groupVersionKind: resource.builtIn ? { group, version, kind } : parent.groupVersionKind,
});
