/**
 * Which requests a policy, or a binding of one, is about, and with which parameters.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";
import { groupResourceOf, parseApiVersion } from "../../kube/resource.ts";
import { type LabelSelector, matchesLabelSelector } from "../../kube/selector.ts";
import type { ServedResource } from "../kinds.ts";
import { storeKey } from "../store/store.ts";
import type { AdmissionRequest } from "./attributes.ts";
import { type WebhookRule, type WebhookSource, versionFor } from "./webhooks.ts";

/** `matchConstraints` of a policy, `matchResources` of a binding. */
export interface MatchResources {
  readonly resourceRules?: readonly WebhookRule[];
  readonly excludeResourceRules?: readonly WebhookRule[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchPolicy?: string;
}

/** Where parameters are. */
export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: string;
}

/** The kind of parameters. */
export interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What keeps a policy or a binding from being evaluated. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

const EVERYTHING: readonly WebhookRule[] = [
  { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*", "*/*"] },
];

/** The version in which the request is to be seen; `undefined` when it is not meant. */
export function versionMatched(
  source: WebhookSource,
  match: MatchResources | undefined,
  request: AdmissionRequest,
  needsRules: boolean,
): ServedResource | undefined {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy, ...selectors } = match ?? {};
  const about = (rules: readonly WebhookRule[]): ServedResource | undefined =>
    versionFor(
      source,
      {
        name: "",
        clientConfig: {},
        rules,
        matchPolicy: matchPolicy ?? "Equivalent",
        ...(selectors.namespaceSelector ? { namespaceSelector: selectors.namespaceSelector } : {}),
        ...(selectors.objectSelector ? { objectSelector: selectors.objectSelector } : {}),
      },
      request,
    );
  if (excludeResourceRules.length > 0 && about(excludeResourceRules)) return undefined;
  return about(resourceRules.length === 0 && !needsRules ? EVERYTHING : resourceRules);
}

/**
 * The parameters with which a binding is to be evaluated, once for each; `[null]` when it has none.
 *
 * @throws ConfigurationError when there are none although there have to be
 */
export function paramsOf(
  source: WebhookSource,
  kind: ParamKind | undefined,
  reference: ParamRef | undefined,
  request: AdmissionRequest,
): readonly (KubeObject | null)[] {
  if (!kind) return [null];
  const { group, version } = parseApiVersion(kind.apiVersion);
  const resource = source.registry
    .all()
    .find((one) => one.kind === kind.kind && one.group === group && one.version === version);
  if (!resource) {
    throw new ConfigurationError(
      `failed to configure policy: failed to find resource referenced by paramKind: '${kind.apiVersion}, Kind=${kind.kind}'`,
    );
  }
  if (!reference) return [null];
  const found = lookUp(source, resource, reference, request);
  if (found.length > 0 || reference.parameterNotFoundAction === "Allow") return found;
  throw new ConfigurationError(
    "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
  );
}

function lookUp(
  { store }: WebhookSource,
  resource: ServedResource,
  { name, namespace, selector }: ParamRef,
  request: AdmissionRequest,
): readonly KubeObject[] {
  const refuse = (why: string): ConfigurationError =>
    new ConfigurationError(`failed to configure binding: ${why}`);
  if (!resource.namespaced && namespace) {
    throw refuse("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  const home = resource.namespaced ? (namespace ?? request.namespace) : "";
  if (resource.namespaced && home === "") {
    throw refuse(
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    );
  }
  const collection = groupResourceOf(resource);
  if (name) {
    const found = store.get(collection, storeKey(home, name));
    return found ? [found] : [];
  }
  return store
    .list(collection)
    .filter(
      ({ metadata }) =>
        (metadata.namespace ?? "") === home && matchesLabelSelector(selector, metadata.labels),
    );
}
