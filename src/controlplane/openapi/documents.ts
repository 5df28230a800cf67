/**
 * OpenAPI v3 documents: one for each group and version, and small ones for the paths above them.
 *
 * Built-in kinds are described by Kubernetes' own documentation.
 */
import { capitalized } from "../../kube/text/capitalized.ts";
import { InternalError } from "../../errors.ts";
import type { JsonObject } from "../../kube/object.ts";
import {
  type Definition,
  findDefinition,
  referencesIn,
  referencesOf,
} from "../builtin/definitions.ts";
import { documentationOf } from "../builtin/documentation.ts";
import type { ServedGroup, ServedVersion } from "../discovery/versions.ts";
import type { ServedResource } from "../kinds.ts";
import { customDefinitions } from "./custom-schema.ts";
import { DELETE_OPTIONS, WATCH_EVENT, reference, responses } from "./operations.ts";
import { groupTag, pathsOf } from "./paths.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
type Definitions = Readonly<Record<string, Definition>>;

/** A document that is built when it is first requested. */
export interface LazyDocument {
  /** The path below `/openapi/v3/`, such as `apis/apps/v1`. */
  readonly name: string;
  /** The resources that it describes. */
  readonly resources: readonly ServedResource[];
  readonly build: () => JsonObject;
}

/** All documents of a server that serves these groups. */
export function documentsOf(groups: readonly ServedGroup[]): readonly LazyDocument[] {
  const above = (name: string, build: () => JsonObject): LazyDocument => ({
    name,
    resources: [],
    build,
  });
  return [
    above("api", () => rootDocument("/api/", "getCoreAPIVersions", "core")),
    above("apis", () => rootDocument("/apis/", "getAPIVersions", "apis")),
    above("version", versionDocument),
    ...groups.flatMap(({ name, builtIn, versions }) => [
      ...(builtIn && name !== "" ? [above(`apis/${name}`, () => groupDocument(name))] : []),
      ...versions.map((served) => ({
        name: pathOf(name, served.version),
        resources: served.resources,
        build: () => (builtIn ? builtInDocument(name, served) : customDocument(served)),
      })),
    ]),
  ];
}

const pathOf = (group: string, version: string): string =>
  group === "" ? `api/${version}` : `apis/${group}/${version}`;

const kubernetesDocument = (paths: JsonObject, own: Definitions = {}): JsonObject => ({
  openapi: "3.0.0",
  info: { title: "Kubernetes", version: "unversioned" },
  paths,
  components: {
    schemas: referredBy(paths, own),
    securitySchemes: {
      BearerToken: {
        description: "A token of a user or service account.",
        in: "header",
        name: "authorization",
        type: "apiKey",
      },
    },
  },
});

/** A path whose GET answers an object of that definition. */
function getOf(
  description: string,
  operationId: string,
  tag: string,
  definition: string,
  mediaTypes?: readonly string[],
): JsonObject {
  const answers = responses(reference(definition), mediaTypes);
  return { get: { description, operationId, responses: answers, tags: [tag] } };
}

const rootDocument = (path: string, operationId: string, tag: string): JsonObject =>
  kubernetesDocument({
    [path]: { get: { description: "get available API versions", operationId, tags: [tag] } },
  });

const versionDocument = (): JsonObject =>
  kubernetesDocument({
    "/version/": getOf(
      "get the version information for this server",
      "getCodeVersion",
      "version",
      "io.k8s.apimachinery.pkg.version.Info",
      ["application/json"],
    ),
  });

function groupDocument(group: string): JsonObject {
  const tag = groupTag(group);
  const id = `get${capitalized(tag)}APIGroup`;
  return kubernetesDocument({
    [`/apis/${group}/`]: getOf("get information of a group", id, tag, `${META}APIGroup`),
  });
}

function builtInDocument(name: string, { version, resources }: ServedVersion): JsonObject {
  const tag = groupTag(name);
  const id = `get${capitalized(tag)}${capitalized(version)}APIResources`;
  const list = `${META}APIResourceList`;
  const paths = {
    [`/${pathOf(name, version)}/`]: getOf("get available resources", id, `${tag}_${version}`, list),
    ...merged(resources.map(pathsOf)),
  };
  return kubernetesDocument(paths, {
    [DELETE_OPTIONS]: ofGroup(DELETE_OPTIONS, name, version),
    [WATCH_EVENT]: ofGroup(WATCH_EVENT, name, version),
  });
}

/**
 * A definition that every group has: its kinds in a document are that of the group and that of the
 * core group.
 */
function ofGroup(name: string, group: string, version: string): Definition {
  const kind = name.slice(META.length);
  const kinds = [
    { group: "", version: "v1", kind },
    ...(group === "" ? [] : [{ group, version, kind }]),
  ];
  return { ...findDefinition(name), "x-kubernetes-group-version-kind": kinds };
}

/** Merges all entries into one object. */
const merged = <T>(parts: readonly Readonly<Record<string, T>>[]): Record<string, T> =>
  Object.fromEntries(parts.flatMap((part) => Object.entries(part)));

function customDocument({ resources }: ServedVersion): JsonObject {
  const paths = merged(resources.map(pathsOf));
  const own: Definitions = merged(resources.map(customDefinitions));
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" },
    paths,
    components: { schemas: referredBy(paths, own) },
  };
}

/** The definitions to which the paths refer, directly or indirectly. */
function referredBy(paths: JsonObject, own: Definitions): JsonObject {
  const found: JsonObject = {};
  const pending = [...referencesIn(paths)];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name in found) continue;
    const definition = own[name] ?? findDefinition(name);
    if (!definition) throw new InternalError(`There is no definition ${name}.`);
    found[name] = described(name, definition);
    pending.push(...(name in own ? referencesIn(definition) : referencesOf(name)));
  }
  return found;
}

/** A definition with descriptions of itself and its fields. */
function described(name: string, definition: Definition): Definition {
  const description = definition.description ?? documentationOf(name);
  const properties = Object.entries(definition.properties ?? {}).map(
    ([field, node]): [string, Definition] => {
      const text = documentationOf(name, field);
      return [
        field,
        text === "" || node.description !== undefined ? node : { description: text, ...node },
      ];
    },
  );
  return {
    ...(description === "" ? {} : { description }),
    ...definition,
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
  };
}
