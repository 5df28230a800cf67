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
import { customDefinitions } from "./custom-schema.ts";
import { DELETE_OPTIONS, RESOURCE_LIST, WATCH_EVENT, reference } from "./operations.ts";
import { groupTag, pathsOf } from "./paths.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const VERSION_INFO = "io.k8s.apimachinery.pkg.version.Info";
const MEDIA_TYPES = ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"];
const UNAUTHORIZED = { "401": { description: "Unauthorized" } };

type Definitions = Readonly<Record<string, Definition>>;

/** A document that is built when it is first requested. */
export interface LazyDocument {
  /** The path below `/openapi/v3/`, such as `apis/apps/v1`. */
  readonly name: string;
  readonly build: () => JsonObject;
}

/** All documents of a server that serves these groups. */
export function documentsOf(groups: readonly ServedGroup[]): readonly LazyDocument[] {
  return [
    { name: "api", build: () => rootDocument("/api/", "getCoreAPIVersions", "core") },
    { name: "apis", build: () => rootDocument("/apis/", "getAPIVersions", "apis") },
    { name: "version", build: versionDocument },
    ...groups.flatMap((group) => [
      ...(group.builtIn && group.name !== ""
        ? [{ name: `apis/${group.name}`, build: () => groupDocument(group.name) }]
        : []),
      ...group.versions.map((version) => ({
        name:
          group.name === "" ? `api/${version.version}` : `apis/${group.name}/${version.version}`,
        build: () => (group.builtIn ? builtInDocument(group, version) : customDocument(version)),
      })),
    ]),
  ];
}

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

const rootDocument = (path: string, operationId: string, tag: string): JsonObject =>
  kubernetesDocument({
    [path]: { get: { description: "get available API versions", operationId, tags: [tag] } },
  });

const versionDocument = (): JsonObject =>
  kubernetesDocument({
    "/version/": {
      get: {
        description: "get the version information for this server",
        operationId: "getCodeVersion",
        responses: { "200": answer(VERSION_INFO, ["application/json"]), ...UNAUTHORIZED },
        tags: ["version"],
      },
    },
  });

const answer = (definition: string, mediaTypes = MEDIA_TYPES): JsonObject => ({
  description: "OK",
  content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: reference(definition) }])),
});

function groupDocument(group: string): JsonObject {
  const tag = groupTag(group);
  return kubernetesDocument({
    [`/apis/${group}/`]: {
      get: {
        description: "get information of a group",
        operationId: `get${capitalized(tag)}APIGroup`,
        responses: { "200": answer(`${META}APIGroup`), ...UNAUTHORIZED },
        tags: [tag],
      },
    },
  });
}

function builtInDocument(group: ServedGroup, { version, resources }: ServedVersion): JsonObject {
  const base = group.name === "" ? `/api/${version}/` : `/apis/${group.name}/${version}/`;
  const tag = groupTag(group.name);
  const paths = {
    [base]: {
      get: {
        description: "get available resources",
        operationId: `get${capitalized(tag)}${capitalized(version)}APIResources`,
        responses: { "200": answer(RESOURCE_LIST), ...UNAUTHORIZED },
        tags: [`${tag}_${version}`],
      },
    },
    ...merged(resources.map(pathsOf)),
  };
  return kubernetesDocument(paths, {
    [DELETE_OPTIONS]: ofGroup(DELETE_OPTIONS, group.name, version),
    [WATCH_EVENT]: ofGroup(WATCH_EVENT, group.name, version),
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
