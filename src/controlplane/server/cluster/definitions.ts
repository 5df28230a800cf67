/** Serves the resources of CustomResourceDefinitions as these are created, changed and deleted. */
import { sameJson } from "../../../kube/json.ts";
import type { Definition } from "../../../kube/definition/definition.ts";
import {
  definitionStatusStrategy,
  definitionStrategy,
  definitionTraits,
} from "../../crd/definition-strategy.ts";
import { servedResourcesOf } from "../../crd/served-resources.ts";
import type { ServedResource } from "../../kinds.ts";
import { isChangeIn } from "../../store/change.ts";
import type { Store } from "../../store/store.ts";
import { collectionOf, isSameResource } from "../../resource-name.ts";
import { DEFINITIONS } from "../../builtin/tokens.ts";
import type { Registry } from "./registry.ts";

const STORED_DEFINITIONS = collectionOf(DEFINITIONS);

/** The built-in resources, with the strategies of definitions set. */
export function withDefinitions(builtIn: readonly ServedResource[]): readonly ServedResource[] {
  return builtIn.map((resource) => {
    if (!isSameResource(resource, DEFINITIONS)) return resource;
    const subresources = resource.subresources.map((one) => ({
      ...one,
      strategy: definitionStatusStrategy,
    }));
    // A spread would resolve the schema, which is loaded on first use only.
    return Object.create(resource, {
      strategy: { value: definitionStrategy, enumerable: true },
      traits: { value: definitionTraits, enumerable: true },
      subresources: { value: subresources, enumerable: true },
    }) as ServedResource;
  });
}

/** Keeps the registry in line with the stored definitions, existing and future ones. */
export function followDefinitions(store: Store, registry: Registry): void {
  for (const definition of store.list(STORED_DEFINITIONS)) serve(registry, definition);
  store.subscribe((change) => {
    if (!isChangeIn(change, STORED_DEFINITIONS)) return;
    const { type, object, old } = change;
    if (type === "DELETED") registry.setCustom(object.metadata.name ?? "", []);
    // Labels and the like do not change the served resources, and must not end watches.
    else if (!old || !sameJson(servedPart(old), servedPart(object))) serve(registry, object);
  });
}

function serve(registry: Registry, definition: Definition): void {
  const { group = "", versions } = definition.spec;
  registry.setCustom(
    definition.metadata.name ?? "",
    servedResourcesOf(definition),
    (versions ?? []).flatMap(({ name, served }) => (served ? [{ group, version: name }] : [])),
  );
}

/** The part of a definition that decides about the served resources. */
function servedPart({ spec, status }: Definition): object {
  return {
    spec,
    names: status?.acceptedNames,
    conditions: (status?.conditions ?? []).map(({ type, status: state }) => `${type}=${state}`),
  };
}
