/**
 * CustomResourceDefinition of apiextensions.k8s.io/v1, as far as the control plane reads it.
 *
 * Everything comes from a client, so any field may be absent before validation.
 *
 * @see
 * https://kubernetes.io/docs/reference/kubernetes-api/extend-resources/custom-resource-definition-v1/
 */
import type { SentObject } from "../object.ts";
import type { WebhookClientConfig } from "../webhooks/webhook-address.ts";
import type { Schema } from "../schema/structural.ts";

export interface DefinitionNames {
  plural?: string;
  singular?: string;
  kind?: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

/** A column of `kubectl get`. */
export interface DefinitionColumn {
  name?: string;
  type?: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath?: string;
}

/** The paths of a scale's values. */
export interface DefinitionScale {
  specReplicasPath?: string;
  statusReplicasPath?: string;
  labelSelectorPath?: string;
}

interface DefinitionSubresources {
  status?: object;
  scale?: DefinitionScale;
}

export interface DefinitionVersion {
  name: string;
  served?: boolean;
  storage?: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: DefinitionSubresources;
  additionalPrinterColumns?: DefinitionColumn[];
  selectableFields?: { jsonPath?: string }[];
}

/** The conversion of objects between versions. */
export interface DefinitionConversion {
  strategy?: string;
  webhook?: { clientConfig?: WebhookClientConfig; conversionReviewVersions?: string[] };
}

export interface DefinitionCondition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  observedGeneration?: number;
}

export interface Definition extends SentObject {
  spec: {
    group?: string;
    scope?: string;
    names?: DefinitionNames;
    versions?: DefinitionVersion[] | null;
    conversion?: DefinitionConversion;
    preserveUnknownFields?: boolean;
  };
  status?: {
    conditions?: DefinitionCondition[] | null;
    acceptedNames?: DefinitionNames;
    storedVersions?: string[] | null;
  };
}

/** The finalizer that keeps a definition until its objects are gone. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/** The condition of that type. */
export function findCondition(
  definition: Definition,
  type: string,
): DefinitionCondition | undefined {
  return definition.status?.conditions?.find((condition) => condition.type === type);
}

/** Whether the condition of that type is True. */
export function isConditionTrue(definition: Definition, type: string): boolean {
  return findCondition(definition, type)?.status === "True";
}

/** Sets a condition, in place; its time changes when its status does. @param now - RFC 3339 */
export function setCondition(
  definition: Definition,
  condition: DefinitionCondition,
  now: string,
): void {
  const status = (definition.status ??= {});
  const conditions = (status.conditions ??= []);
  const existing = conditions.find(({ type }) => type === condition.type);
  if (!existing) conditions.push({ ...condition, lastTransitionTime: now });
  else {
    if (existing.status !== condition.status) existing.lastTransitionTime = now;
    Object.assign(existing, condition);
  }
}
