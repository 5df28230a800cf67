/**
 * All field markers by name: the generator's list of what may stand on a field, a class or in JSDoc.
 */
import * as embed from "./embed.ts";
import { type MarkerDefinition, definitionOf } from "./marker.ts";
import * as rules from "./rules.ts";
import * as topology from "./topology.ts";
import * as validation from "./validation.ts";

/** The field markers by the name of their decorator. */
export const fieldMarkers: ReadonlyMap<string, MarkerDefinition> = new Map(
  Object.entries({ ...validation, ...rules, ...topology, ...embed }).map(([name, marker]) => [
    name,
    definitionOf(marker),
  ]),
);

/** The markers that only classes carry. */
export const classMarkers: readonly string[] = [
  "Resource",
  "ObjectFields",
  "PrintColumn",
  "Scale",
  "Selectable",
  "Rbac",
  "MutatingWebhook",
  "ValidatingWebhook",
  "ConversionWebhook",
];
