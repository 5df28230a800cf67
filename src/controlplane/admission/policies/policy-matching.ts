/**
 * Matches requests to policies, their bindings and their parameters.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
import type { SentObject } from "../../../kube/object.ts";
import { present } from "../../../present.ts";
import { groupResourceOf, parseApiVersion } from "../../../kube/resource.ts";
import { matchesLabelSelector } from "../../../kube/selectors/selector.ts";
import { StatusError } from "../../../kube/status.ts";
import type { ServedResource } from "../../kinds.ts";
import { storeKey } from "../../store/store.ts";
import type { AdmissionRequest, ConvertObject } from "../attributes.ts";
import type { Authorize } from "../expressions/authorizer-library.ts";
import type { ExpressionCompiler } from "../expressions/expressions.ts";
import { type WebhookSource, isExempt, versionFor } from "../webhooks.ts";
import type {
  MatchResources,
  NamedRuleWithOperations,
  ParamKind,
  ParamRef,
} from "../../../generated/k8s/admissionregistration-v1.ts";
import type {
  Binding,
  Policy,
  PolicyKind,
} from "../../builtin/kinds/admissionregistration/policy.ts";

/** The dependencies of evaluating policies. */
export interface PolicyPorts {
  readonly source: WebhookSource;
  readonly authorize: Authorize;
  readonly compiler: ExpressionCompiler;
  readonly convert: ConvertObject;
}

/** A policy that matches a request, with one of its bindings and one set of parameters. */
export interface Invocation<P extends Policy> {
  readonly policy: P;
  readonly binding: Binding;
  /** `null` for a policy without parameters. */
  readonly params: SentObject | null;
  /** The version in which the policy wants to see the request. */
  readonly version: ServedResource;
}

/** Why a policy, or a binding of it, cannot be evaluated. */
export interface ConfigurationProblem<P extends Policy> {
  readonly policy: P;
  /** Absent when the policy itself is at fault. */
  readonly binding?: Binding;
  readonly message: string;
}

class ConfigurationError extends Error {}

/** Whether any binding might match the request. */
export const hasBindings = (
  { store }: WebhookSource,
  { bindings }: PolicyKind<Policy>,
  request: AdmissionRequest,
): boolean => store.list(bindings).length > 0 && !isExempt(request);

/** Whether a failure of the policy refuses the request. */
export const mustNotFail = ({ spec }: Policy): boolean => spec.failurePolicy !== "Ignore";

/**
 * The invocations for a request in the order of policies and bindings, and the problems in finding
 * those whose failures count.
 */
export function invocationsFor<P extends Policy>(
  source: WebhookSource,
  kind: PolicyKind<P>,
  request: AdmissionRequest,
): { readonly invocations: Invocation<P>[]; readonly problems: ConfigurationProblem<P>[] } {
  const invocations: Invocation<P>[] = [];
  const problems: ConfigurationProblem<P>[] = [];
  const bindings = source.store.list(kind.bindings);
  for (const policy of source.store.list(kind.policies)) {
    const { matchConstraints, paramKind } = policy.spec;
    const own = bindings.filter(({ spec }) => spec.policyName === policy.metadata.name);
    if (own.length === 0) continue;
    const attempt = <T>(find: () => T, binding?: Binding): T | undefined => {
      try {
        return find();
      } catch (error) {
        if (!(error instanceof ConfigurationError) && !(error instanceof StatusError)) throw error;
        const message = `failed to configure ${binding ? "binding" : "policy"}: ${error.message}`;
        if (mustNotFail(policy)) problems.push({ policy, ...present({ binding }), message });
        return undefined;
      }
    };
    const version = attempt(() => versionMatched(source, matchConstraints ?? {}, request));
    if (!version) continue;
    const params = attempt(() => paramResource(source, paramKind));
    if (params === undefined) continue;
    for (const binding of own) {
      const { matchResources = {}, paramRef } = binding.spec;
      const rules = matchResources.resourceRules?.length ? {} : { resourceRules: EVERYTHING };
      const isMeant = attempt(
        () => versionMatched(source, { ...matchResources, ...rules }, request),
        binding,
      );
      if (!isMeant) continue;
      const found = attempt(() => paramsOf(source, params, paramRef, request), binding);
      for (const one of found ?? []) invocations.push({ policy, binding, params: one, version });
    }
  }
  return { invocations, problems };
}

const EVERYTHING: NamedRuleWithOperations[] = [
  { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*", "*/*"] },
];

/** The version in which a policy wants to see the request; `undefined` when it does not match. */
function versionMatched(
  source: WebhookSource,
  { resourceRules = [], excludeResourceRules: excluded = [], ...match }: MatchResources,
  request: AdmissionRequest,
): ServedResource | undefined {
  const matcher = { matchPolicy: "Equivalent", ...match };
  if (excluded.length > 0 && versionFor(source, { ...matcher, rules: excluded }, request)) {
    return undefined;
  }
  return versionFor(source, { ...matcher, rules: resourceRules }, request);
}

/**
 * The resource of a policy's parameters; `null` for a policy without.
 *
 * @throws ConfigurationError when the resource does not exist
 */
function paramResource(
  { registry }: WebhookSource,
  kind: ParamKind | undefined,
): ServedResource | null {
  if (!kind) return null;
  const found = findParamResource(registry.all(), kind);
  if (found) return found;
  throw new ConfigurationError(
    `failed to find resource referenced by paramKind: '${kind.apiVersion ?? ""}, Kind=${kind.kind ?? ""}'`,
  );
}

/** The resource of a kind of parameters; `undefined` when it does not exist. */
export function findParamResource(
  all: readonly ServedResource[],
  { apiVersion = "", kind }: ParamKind,
): ServedResource | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  return all.find((one) => one.kind === kind && one.group === group && one.version === version);
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
  const found = name
    ? [store.get(collection, storeKey(home, name)) ?? []].flat()
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
