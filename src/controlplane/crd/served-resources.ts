/** The resources that a CustomResourceDefinition serves. */
import { createHash } from "node:crypto";
import { encodeJson } from "../../kube/json.ts";
import { schemasOf } from "../../kube/schema/keyword-rules.ts";
import type { SentObject } from "../../kube/object.ts";
import { apiVersionOf, parseApiVersion } from "../../kube/resource.ts";
import { prune } from "../../kube/schema/prune.ts";
import { RuleChecker } from "../../kube/rules/rule-check.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import type { WebhookTarget } from "../../kube/webhooks/webhook-address.ts";
import { compareVersions } from "../discovery/versions.ts";
import type { ServedResource, ServedSubresource } from "../kinds.ts";
import { columnPrinter } from "./columns.ts";
import {
  type CustomKind,
  CustomResourceStrategy,
  CustomStatusStrategy,
} from "./custom-resource-strategy.ts";
import {
  type Definition,
  type DefinitionVersion,
  isConditionTrue,
} from "../../kube/definition/definition.ts";
import { type JsonPath, parseJsonPath } from "../../kube/json-path.ts";
import { scaleAccess } from "./scale.ts";

const VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const TERMINATING_VERBS = ["delete", "deletecollection", "get", "list", "watch"];
const SUBRESOURCE_VERBS = ["get", "patch", "update"];

/**
 * The resources of a definition, one for each served version, preferred first; none until it is
 * established.
 *
 * @param definition - as it is stored
 */
export function servedResourcesOf(definition: Definition): ServedResource[] {
  if (!isConditionTrue(definition, "Established")) return [];
  const versions = definition.spec.versions ?? [];
  const strategies = new Map(
    versions.map((version) => [
      version.name,
      new CustomResourceStrategy(customKind(definition, version)),
    ]),
  );
  return versions
    .filter(({ served }) => served)
    .sort((a, b) => compareVersions(a.name, b.name))
    .map((version) => servedResource(definition, version, strategies));
}

function customKind(definition: Definition, version: DefinitionVersion): CustomKind {
  const { spec, status } = definition;
  const { plural = "", kind = "" } = status?.acceptedNames ?? {};
  const schema = version.schema?.openAPIV3Schema ?? {};
  return {
    resource: {
      group: spec.group ?? "",
      version: version.name,
      kind,
      plural,
      namespaced: spec.scope === "Namespaced",
    },
    schema,
    hasStatus: version.subresources?.status !== undefined,
    scale: version.subresources?.scale,
    terminating: isConditionTrue(definition, "Terminating"),
    rules: hasRules(schema) ? new RuleChecker(schema, true) : undefined,
  };
}

type Strategies = ReadonlyMap<string, CustomResourceStrategy>;

function servedResource(
  definition: Definition,
  version: DefinitionVersion,
  strategies: Strategies,
): ServedResource {
  const { spec, status } = definition;
  const names = status?.acceptedNames ?? {};
  const { singular = "", listKind = "" } = names;
  const custom = customKind(definition, version);
  const strategy = strategies.get(version.name) ?? new CustomResourceStrategy(custom);
  const { resource, schema, terminating } = custom;
  const { group, kind } = resource;
  const storage = ((spec.versions ?? []).find((one) => one.storage) ?? version).name;
  // A stored object may be of any version that was once the storage version.
  const storedAs = ({ apiVersion }: SentObject): CustomResourceStrategy | undefined =>
    strategies.get(parseApiVersion(apiVersion).version) ?? strategies.get(storage);
  return {
    ...resource,
    singular,
    listKind,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: VERBS,
    ...(terminating ? { shownVerbs: TERMINATING_VERBS } : {}),
    builtIn: false,
    storageVersion: storage,
    storageVersionHash: storageHash(`${group}/${storage}/${kind}`),
    schema,
    definedBy: { spec, acceptedNames: names },
    versionSchemas: new Map(
      (spec.versions ?? []).map((one) => [
        apiVersionOf({ group, version: one.name }),
        one.schema?.openAPIV3Schema ?? {},
      ]),
    ),
    strategy,
    storage: {
      setDefaults(object, options) {
        storedAs(object)?.setDefaults(object, options);
      },
      dropUnknown(object) {
        storedAs(object)?.dropUnknown(object);
      },
    },
    subresources: subresourcesOf(custom),
    table: columnPrinter(version.additionalPrinterColumns ?? []),
    selectableFields: selectableFieldsOf(version),
    dropUnknown: (sent) => dropUnknown(sent, group, strategies),
    ...conversionOf(definition),
    ...deprecationOf(definition, version),
  };
}

/**
 * As `ServedResource.dropUnknown`; of an object whose version does not exist, no field is known.
 */
function dropUnknown(sent: SentObject, group: string, strategies: Strategies): string[] {
  const type = parseApiVersion(sent.apiVersion);
  if (type.group !== group) return [];
  const strategy = strategies.get(type.version);
  return strategy ? strategy.dropUnknown(sent) : prune(sent, {}, { root: true });
}

function conversionOf({ spec }: Definition): Pick<ServedResource, "conversion"> {
  const { strategy, webhook } = spec.conversion ?? {};
  if (strategy !== "Webhook" || !webhook) return {};
  const target = (webhook.clientConfig ?? {}) as WebhookTarget;
  return { conversion: { target, reviewVersions: webhook.conversionReviewVersions ?? [] } };
}

const hasRules = (schema: Schema): boolean =>
  [...schemasOf(schema)].some((node) => (node["x-kubernetes-validations"] ?? []).length > 0);

/** The storage version hash in discovery, as `k8s.io/apiserver` computes it. */
const storageHash = (kind: string): string =>
  createHash("sha256").update(kind).digest().subarray(0, 8).toString("base64");

function subresourcesOf(kind: CustomKind): ServedSubresource[] {
  const { resource, hasStatus, scale } = kind;
  const served: ServedSubresource[] = [];
  if (hasStatus) {
    const { group, version } = resource;
    const strategy = new CustomStatusStrategy(kind);
    const type = { group, version, kind: resource.kind };
    served.push({ name: "status", verbs: SUBRESOURCE_VERBS, ...type, strategy });
  }
  if (scale) {
    const type = { group: "autoscaling", version: "v1", kind: "Scale" };
    served.push({ name: "scale", verbs: SUBRESOURCE_VERBS, ...type, scale: scaleAccess(scale) });
  }
  return served;
}

function deprecationOf(
  { spec }: Definition,
  version: DefinitionVersion,
): { readonly deprecationWarning?: string } {
  if (!version.deprecated) return {};
  if (version.deprecationWarning !== undefined) {
    return { deprecationWarning: version.deprecationWarning };
  }
  const group = spec.group ?? "";
  const kind = spec.names?.kind ?? "";
  const [better] = (spec.versions ?? [])
    .filter((one) => one.served && !one.deprecated && compareVersions(one.name, version.name) < 0)
    .map(({ name }) => name)
    .sort(compareVersions);
  const text = `${group}/${version.name} ${kind} is deprecated`;
  return {
    deprecationWarning: better === undefined ? text : `${text}; use ${group}/${better} ${kind}`,
  };
}

function selectableFieldsOf(
  version: DefinitionVersion,
): Readonly<Record<string, (object: SentObject) => string>> {
  const entries = (version.selectableFields ?? []).map(({ jsonPath = "" }) => {
    const path = parseJsonPath(jsonPath);
    return [jsonPath.replace(/^\./, ""), (object: SentObject) => selected(path, object)] as const;
  });
  return Object.fromEntries(entries);
}

function selected(path: JsonPath, object: SentObject): string {
  const [value] = path.find(object);
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : encodeJson(value);
}
