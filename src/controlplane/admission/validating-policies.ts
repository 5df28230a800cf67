/**
 * ValidatingAdmissionPolicies: expressions that judge writes, where bindings say so.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 * @module
 */
import { CompileFailure } from "../../kube/schema/cel/compile.ts";
import type { Result } from "../../kube/schema/cel/scope.ts";
import { CelError } from "../../kube/schema/cel/values.ts";
import type { KubeObject } from "../../kube/object.ts";
import { apiVersionOf, groupResourceOf } from "../../kube/resource.ts";
import { type StatusError, failure } from "../../kube/status.ts";
import type { ServedResource } from "../kinds.ts";
import type { AdmissionRequest } from "./attributes.ts";
import type { Authorize } from "./authorizer-library.ts";
import { type AdmissionExpressions, type Variable, bindingsOf } from "./expressions.ts";
import {
  ConfigurationError,
  type MatchResources,
  type ParamKind,
  type ParamRef,
  paramsOf,
  versionMatched,
} from "./policy-matching.ts";
import { reviewRequest } from "./review.ts";
import { type MatchCondition, type WebhookSource, isExempt } from "./webhooks.ts";

interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

interface Policy extends KubeObject {
  readonly spec: {
    readonly paramKind?: ParamKind;
    readonly matchConstraints?: MatchResources;
    readonly validations?: readonly Validation[];
    readonly failurePolicy?: string;
    readonly matchConditions?: readonly MatchCondition[];
    readonly variables?: readonly Variable[];
  };
}

interface Binding extends KubeObject {
  readonly spec: {
    readonly policyName: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
    readonly validationActions?: readonly string[];
  };
}

/** Something that a policy holds against a write. */
interface Objection {
  readonly message: string;
  readonly reason: string;
}

const GROUP = "admissionregistration.k8s.io";
const CODES: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 };

/** Evaluates the stored policies. */
export class ValidatingPolicies {
  readonly #source: WebhookSource;
  readonly #authorize: Authorize;
  readonly #expressions: AdmissionExpressions;

  constructor(source: WebhookSource, authorize: Authorize, expressions: AdmissionExpressions) {
    this.#source = source;
    this.#authorize = authorize;
    this.#expressions = expressions;
  }

  /** @throws StatusError when a policy denies */
  validate(request: AdmissionRequest): void {
    const bindings = this.#source.store.list(`validatingadmissionpolicybindings.${GROUP}`);
    if (bindings.length === 0 || isExempt(request)) return;
    let denial: StatusError | undefined;
    for (const object of this.#source.store.list(`validatingadmissionpolicies.${GROUP}`)) {
      const policy = object as Policy;
      const version = versionMatched(this.#source, policy.spec.matchConstraints, request, true);
      if (!version) continue;
      for (const one of bindings as readonly Binding[]) {
        if (one.spec.policyName !== policy.metadata.name) continue;
        if (!versionMatched(this.#source, one.spec.matchResources, request, false)) continue;
        denial ??= this.#judge(policy, one, request, version);
      }
    }
    if (denial) throw denial;
  }

  /** Warns, and returns what denies. */
  #judge(
    policy: Policy,
    binding: Binding,
    request: AdmissionRequest,
    version: ServedResource,
  ): StatusError | undefined {
    const policyName = policy.metadata.name ?? "";
    const both = `ValidatingAdmissionPolicy '${policyName}' with binding '${binding.metadata.name ?? ""}'`;
    const actions = binding.spec.validationActions ?? [];
    let objections: readonly Objection[];
    try {
      objections = paramsOf(
        this.#source,
        policy.spec.paramKind,
        binding.spec.paramRef,
        request,
      ).flatMap((params) => this.#evaluate(policy, params, request, version));
    } catch (thrown) {
      if (!(thrown instanceof ConfigurationError)) throw thrown;
      if (policy.spec.failurePolicy === "Ignore") return undefined;
      const isPolicy = thrown.message.startsWith("failed to configure policy");
      const who = isPolicy ? `ValidatingAdmissionPolicy '${policyName}'` : both;
      return refusal(request, `${who} denied request: ${thrown.message}`, "Invalid");
    }
    if (actions.includes("Warn")) {
      for (const { message } of objections) {
        request.warn(`Validation failed for ${both}: ${message}`);
      }
    }
    const [first] = objections;
    if (!first || !actions.includes("Deny")) return undefined;
    return refusal(request, `${both} denied request: ${first.message}`, first.reason);
  }

  #evaluate(
    policy: Policy,
    params: KubeObject | null,
    request: AdmissionRequest,
    version: ServedResource,
  ): Objection[] {
    const { matchConditions = [], validations = [], variables = [], failurePolicy } = policy.spec;
    const seen = inVersion(request, version);
    const find = bindingsOf(seen, reviewRequest(request, version, ""), this.#authorize, {
      params,
      namespaceObject: namespaceOf(this.#source, request),
      variables,
      evaluate: (expression, bindings) => this.#run(expression, bindings),
    });
    const fails = failurePolicy !== "Ignore";
    const errors: string[] = [];
    for (const { expression } of matchConditions) {
      const result = this.#run(expression, find);
      if (result === false) return [];
      if (result !== true) errors.push(describe(expression, result));
    }
    if (errors.length > 0) {
      const message = errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]`;
      return fails ? [{ message, reason: "Invalid" }] : [];
    }
    return validations.flatMap((validation) => {
      const result = this.#run(validation.expression, find);
      if (result === true) return [];
      const { reason = "Invalid", expression } = validation;
      if (result === false) return [{ message: this.#messageOf(validation, find), reason }];
      return fails ? [{ message: describe(expression, result), reason: "Invalid" }] : [];
    });
  }

  #run(expression: string, find: (name: string) => Result | undefined): Result {
    const compiled = this.#expressions.compile(expression);
    if (compiled instanceof CompileFailure) {
      return new CelError(`compilation error: ${compiled.message}`);
    }
    return compiled.evaluate(find).result;
  }

  #messageOf(
    { messageExpression = "", message = "", expression }: Validation,
    find: (name: string) => Result | undefined,
  ): string {
    if (messageExpression !== "") {
      const result = this.#run(messageExpression, find);
      const text = typeof result === "string" ? result.trim() : "";
      if (text !== "" && !text.includes("\n")) return text;
    }
    return message.trim() === "" ? `failed expression: ${expression.trim()}` : message.trim();
  }
}

/** The namespace of the object; a namespace itself is in none. */
function namespaceOf({ store }: WebhookSource, { resource, namespace }: AdmissionRequest): unknown {
  const isNamespace = groupResourceOf(resource) === "namespaces";
  return (isNamespace ? undefined : store.get("namespaces", namespace)) ?? null;
}

function describe(expression: string, result: Result): string {
  const why = result instanceof CelError ? result.message : "it is no boolean";
  return `expression '${expression}' resulted in error: ${why}`;
}

/** The request with its objects in another version of the resource. */
function inVersion(request: AdmissionRequest, version: ServedResource): AdmissionRequest {
  if (version === request.resource) return request;
  const apiVersion = apiVersionOf(version);
  const { object, oldObject } = request;
  return {
    ...request,
    ...(object ? { object: { ...object, apiVersion } } : {}),
    ...(oldObject ? { oldObject: { ...oldObject, apiVersion } } : {}),
  };
}

function refusal(
  { resource, name }: AdmissionRequest,
  message: string,
  reason: string,
): StatusError {
  const shownName = name === "" ? "Unknown" : name;
  return failure(
    CODES[reason] ?? 422,
    reason,
    `${groupResourceOf(resource)} ${JSON.stringify(shownName)} is forbidden: ${message}`,
    {
      name: shownName,
      ...(resource.group === "" ? {} : { group: resource.group }),
      kind: resource.plural,
      causes: [{ message }],
    },
  );
}
