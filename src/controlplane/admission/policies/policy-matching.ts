/**
 * Matches requests to policies, their bindings and their parameters.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
import { messageOf } from "../../../errors.ts";
import type { SentObject } from "../../../kube/object.ts";
import { groupResourceOf, parseApiVersion } from "../../../kube/resource.ts";
import { matchesLabelSelector } from "../../../kube/selectors/selector.ts";
import { StatusError } from "../../../kube/status.ts";
import type { ServedResource } from "../../kinds.ts";
import { storeKey } from "../../store/store.ts";
import type { AdmissionRequest } from "../attributes.ts";
import type { WebhookRule } from "../../../kube/webhooks/webhook-rules.ts";
import { type WebhookSource, versionFor } from "../webhooks.ts";
import type {
  MatchResources,
  ParamKind,
  ParamRef,
} from "../../../generated/k8s/admissionregistration-v1.ts";
import type { Binding, Policy } from "./policy.ts";

/** A policy that matches a request, with one of its bindings and one set of parameters. */
export interface Invocation<P extends Policy> {
  readonly policy: P;
  readonly binding: Binding;
  /** `null` for a policy without parameters. */
  readonly params: SentObject | null;
  /** The version in which the policy wants to see the request. */
  readonly version: ServedResource;
}

/** The reason why a policy, or a binding of it, cannot be evaluated. */
export interface ConfigurationProblem<P extends Policy> {
  readonly policy: P;
  /** Absent when the policy itself is at fault. */
  readonly binding?: Binding;
  readonly message: string;
}

class ConfigurationError extends Error {}

/**
 * The invocations for a request in the order of policies and bindings, and the problems in finding
 * them.
 */
export function invocationsFor<P extends Policy>(
  source: WebhookSource,
  policies: readonly P[],
  bindings: readonly Binding[],
  request: AdmissionRequest,
): { readonly invocations: Invocation<P>[]; readonly problems: ConfigurationProblem<P>[] } {
  const invocations: Invocation<P>[] = [];
  const problems: ConfigurationProblem<P>[] = [];
  for (const policy of policies) {
    const own = bindings.filter(({ spec }) => spec.policyName === policy.metadata.name);
    if (own.length === 0) continue;
    const attempt = <T>(find: () => T, binding?: Binding): T | undefined => {
      try {
        return find();
      } catch (error) {
        if (!(error instanceof ConfigurationError) && !(error instanceof StatusError)) throw error;
        const message = `failed to configure ${binding ? "binding" : "policy"}: ${messageOf(error)}`;
        problems.push({ policy, ...(binding ? { binding } : {}), message });
        return undefined;
      }
    };
    const version = attempt(() =>
      versionMatched(source, policy.spec.matchConstraints, request, true),
    );
    if (!version) continue;
    const params = attempt(() => paramResource(source, policy.spec.paramKind));
    if (params === undefined) continue;
    for (const binding of own) {
      const isMeant = attempt(
        () => versionMatched(source, binding.spec.matchResources, request, false),
        binding,
      );
      if (!isMeant) continue;
      const found = attempt(
        () => paramsOf(source, params, binding.spec.paramRef, request),
        binding,
      );
      for (const one of found ?? []) invocations.push({ policy, binding, params: one, version });
    }
  }
  return { invocations, problems };
}

const EVERYTHING: readonly WebhookRule[] = [
  { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*", "*/*"] },
];

/** The version in which the policy wants to see the request; `undefined` when it does not match. */
function versionMatched(
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
 * The resource of a policy's parameters; `null` for a policy without.
 *
 * @throws ConfigurationError when the resource does not exist
 */
function paramResource(source: WebhookSource, kind: ParamKind | undefined): ServedResource | null {
  if (!kind) return null;
  const found = findParamResource(source, kind);
  if (found) return found;
  throw new ConfigurationError(
    `failed to find resource referenced by paramKind: '${kind.apiVersion ?? ""}, Kind=${kind.kind ?? ""}'`,
  );
}

/** The resource of a kind of parameters; `undefined` when it does not exist. */
function findParamResource(
  { registry }: Pick<WebhookSource, "registry">,
  { apiVersion = "", kind }: ParamKind,
): ServedResource | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  return registry
    .all()
    .find((one) => one.kind === kind && one.group === group && one.version === version);
}

/** The parameters, one evaluation for each; `[null]` for none. @throws ConfigurationError */
function paramsOf(
  { store }: WebhookSource,
  resource: ServedResource | null,
  reference: ParamRef | undefined,
  request: AdmissionRequest,
): readonly (SentObject | null)[] {
  if (!resource || !reference) return [null];
  const { name, namespace, selector } = reference;
  if (!resource.namespaced && namespace) {
    throw new ConfigurationError(
      "paramRef.namespace must not be provided for a cluster-scoped `paramKind`",
    );
  }
  const home = resource.namespaced ? namespace || request.namespace : "";
  if (resource.namespaced && home === "") {
    throw new ConfigurationError(
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    );
  }
  const collection = groupResourceOf(resource);
  const named = name ? store.get(collection, storeKey(home, name)) : undefined;
  const found = name
    ? named
      ? [named]
      : []
    : store
        .list(collection)
        .filter(
          ({ metadata }) =>
            (metadata.namespace ?? "") === home && matchesLabelSelector(selector, metadata.labels),
        );
  if (found.length > 0 || reference.parameterNotFoundAction !== "Deny") return found;
  throw new ConfigurationError(
    "no params found for policy binding with `Deny` parameterNotFoundAction",
  );
}
