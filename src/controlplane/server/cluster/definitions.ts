/**
 * CustomResourceDefinitions turned into served resources, as they come, change and go.
 *
 * @module
 */
import { sameJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import { groupResourceOf } from "../../../kube/resource.ts";
import {
  definitionStatusStrategy,
  definitionStrategy,
  definitionTraits,
} from "../../crd/definition-strategy.ts";
import { servedResourcesOf } from "../../crd/served-resources.ts";
import type { ServedResource } from "../../kinds.ts";
import type { Store } from "../../store/store.ts";
import type { Registry } from "./registry.ts";

/** The collection of definitions. */
const DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";

/** The built-in resources, with the strategies of definitions in their place. */
export function withDefinitions(builtIn: readonly ServedResource[]): readonly ServedResource[] {
  return builtIn.map((resource) => {
    if (groupResourceOf(resource) !== DEFINITIONS) return resource;
    const subresources = resource.subresources.map((one) => ({
      ...one,
      strategy: definitionStatusStrategy,
    }));
    // A spread would resolve the schema, which is kept until somebody asks.
    return Object.create(resource, {
      strategy: { value: definitionStrategy, enumerable: true },
      traits: { value: definitionTraits, enumerable: true },
      subresources: { value: subresources, enumerable: true },
    }) as ServedResource;
  });
}

/** Keeps the registry in step with the stored definitions, from now on and for those that are there. */
export function followDefinitions(store: Store, registry: Registry): void {
  for (const definition of store.list(DEFINITIONS)) serve(registry, definition);
  store.subscribe(({ collection, type, object, old }) => {
    if (collection !== DEFINITIONS) return;
    if (type === "DELETED") registry.setCustom(object.metadata.name ?? "", []);
    // Labels and the like change nothing of what is served, and must not end watches.
    else if (!old || !sameJson(servedPart(old), servedPart(object))) serve(registry, object);
  });
}

function serve(registry: Registry, definition: SentObject): void {
  const { group = "", versions = [] } = (definition as DefinitionLike).spec ?? {};
  registry.setCustom(
    definition.metadata.name ?? "",
    servedResourcesOf(definition),
    versions.flatMap(({ name, served }) => (served ? [{ group, version: name }] : [])),
  );
}

interface DefinitionLike extends SentObject {
  readonly spec?: {
    readonly group?: string;
    readonly versions?: readonly { readonly name: string; readonly served?: boolean }[];
  };
  readonly status?: {
    readonly acceptedNames?: unknown;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[] | null;
  };
}

/** What decides about the served resources. */
function servedPart(definition: SentObject): object {
  const { spec, status } = definition as DefinitionLike;
  return {
    spec,
    names: status?.acceptedNames,
    conditions: (status?.conditions ?? []).map(({ type, status: state }) => `${type}=${state}`),
  };
}
