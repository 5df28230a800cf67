/**
 * MutatingAdmissionPolicies: expressions that change writes, where bindings say so.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
import { CelError } from "../../../kube/cel/values.ts";
import { sameJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import { StatusError } from "../../../kube/status.ts";
import type { ServedResource } from "../../kinds.ts";
import {
  Activation,
  Budget,
  type Inputs,
  OutOfBudget,
  POLICY_BUDGET,
  matchConditions,
} from "../activation.ts";
import { type AcceptObject, type AdmissionRequest, hasOwnKind, kindOf } from "../attributes.ts";
import type { ExpressionCompiler } from "../expressions/expressions.ts";
import { refusal } from "../refusal.ts";
import type { Asked } from "../reinvocation.ts";
import { MutationError } from "../expressions/patch-library.ts";
import { RequestView, namespaceOf, requestIn } from "../request-views.ts";
import {
  type CompiledMutation,
  applyLiteral,
  applyPatches,
  compileMutation,
  typeOfKind,
} from "./mutation.ts";
import {
  type ConfigurationProblem,
  type Invocation,
  type PolicyPorts,
  hasBindings,
  invocationsFor,
  mustNotFail,
} from "./policy-matching.ts";
import {
  type CommonParts,
  MUTATING,
  type MutatingPolicy,
  compileCommonParts,
  perObject,
} from "../../builtin/kinds/admissionregistration/policy.ts";

/** The dependencies of evaluating mutations. */
interface MutationPorts extends PolicyPorts {
  readonly accept: AcceptObject;
}

interface CompiledPolicy extends CommonParts {
  readonly mutations: readonly CompiledMutation[];
}

type Problem = ConfigurationProblem<MutatingPolicy> & { readonly reason?: string };

/** A request in one version, with the object as changed by the policies so far. */
interface Draft {
  readonly version: ServedResource;
  request: AdmissionRequest;
  isChanged: boolean;
}

/** Evaluates the stored MutatingAdmissionPolicies. */
export class MutatingPolicies {
  readonly #ports: MutationPorts;
  readonly #compiled: (policy: MutatingPolicy) => CompiledPolicy;

  constructor(ports: MutationPorts) {
    this.#ports = ports;
    this.#compiled = perObject((policy) => compilePolicy(ports.compiler, policy));
  }

  /** Whether any binding might match the request. */
  concerns(request: AdmissionRequest): boolean {
    return request.operation !== "DELETE" && hasBindings(this.#ports.source, MUTATING, request);
  }

  /**
   * One round of mutations; returns the changed object.
   *
   * @throws StatusError when a policy fails whose `failurePolicy` is not `Ignore`
   */
  async mutate(request: AdmissionRequest, asked: Asked): Promise<SentObject | undefined> {
    asked.begin(request.object);
    const { source, convert } = this.#ports;
    const { invocations, problems } = invocationsFor(source, MUTATING, request);
    const failed: Problem[] = [...problems];
    const drafts = new Map<ServedResource, Draft>();
    let last: Draft | undefined;
    for (const invocation of invocations) {
      const { version } = invocation;
      let draft = drafts.get(version);
      if (!draft) {
        draft = { version, request: await requestIn(request, version, convert), isChanged: false };
        drafts.set(version, draft);
      }
      if (this.#invoke(invocation, draft, asked, failed)) last = draft;
    }
    refuse(request, failed);
    let { object } = request;
    if (last?.isChanged) {
      asked.changed();
      ({ object } = last.request);
      const isAsAsked = last.version === request.resource || !hasOwnKind(request);
      if (object && !isAsAsked) object = await convert(object, last.version, request.resource);
    }
    asked.end(object);
    return object;
  }

  /** Tries the mutations of one policy. @returns whether they were tried */
  #invoke(
    { policy, binding, params, version }: Invocation<MutatingPolicy>,
    draft: Draft,
    asked: Asked,
    failed: Problem[],
  ): boolean {
    const { authorize, source } = this.#ports;
    const { variables, conditions, mutations } = this.#compiled(policy);
    const view = new RequestView(draft.request, version);
    const matches = matchConditions(conditions, { view, authorize, params, variables });
    if (matches === false) return false;
    const fail = (message: string): void => {
      if (mustNotFail(policy)) failed.push({ policy, binding, message, reason: "Invalid" });
    };
    if (matches !== true) {
      fail(matches.problem);
      return false;
    }
    const id = [policy, binding, params]
      .map((one) => `${one?.metadata.namespace ?? ""}/${one?.metadata.name ?? ""}`)
      .join(" ");
    if (!asked.includes(id)) return false;
    const before = draft.request.object;
    const namespaceObject = namespaceOf(source, draft.request);
    for (const mutation of before ? mutations : []) {
      try {
        this.#mutate(mutation, draft, { authorize, params, variables, namespaceObject });
      } catch (error) {
        if (!(error instanceof MutationError) && !(error instanceof OutOfBudget)) throw error;
        fail(error.message);
      }
    }
    if (!sameJson(before, draft.request.object)) asked.changed();
    if (policy.spec.reinvocationPolicy === "IfNeeded") asked.wasAsked(id);
    return true;
  }

  /**
   * @throws MutationError, OutOfBudget, or StatusError for failures that fail the request whatever
   * the policy says
   */
  #mutate(
    { kind, expression }: CompiledMutation,
    draft: Draft,
    inputs: Omit<Inputs, "view">,
  ): void {
    const { request, version } = draft;
    const { object } = request;
    if (!object) return;
    const shown = hasOwnKind(request)
      ? { ...request, resource: version, kind: kindOf(version) }
      : request;
    const type = typeOfKind(shown.kind, version);
    const activation = new Activation({ ...inputs, view: new RequestView(request, version) });
    const result = activation.evaluate(expression, new Budget(POLICY_BUDGET));
    if (result instanceof CelError) throw new MutationError(result.message);
    const isPatch = kind === "patch";
    const changed = isPatch
      ? applyPatches(object, result)
      : applyLiteral(object, result, type, shown.kind);
    const next =
      changed === object ? object : this.#ports.accept(shown, changed, { isStrict: isPatch });
    draft.request = { ...request, object: next };
    draft.isChanged = true;
  }
}

function compilePolicy(compiler: ExpressionCompiler, { spec }: MutatingPolicy): CompiledPolicy {
  const common = compileCommonParts(compiler, spec);
  return {
    ...common,
    mutations: (spec.mutations ?? []).flatMap(
      (mutation) => compileMutation(compiler, mutation, common.surroundings) ?? [],
    ),
  };
}

/** @throws StatusError when there is a problem */
function refuse(request: AdmissionRequest, problems: readonly Problem[]): void {
  const [first] = problems;
  if (!first) return;
  const texts = problems.map(({ policy, binding, message }) => {
    const name = policy.metadata.name ?? "";
    return binding
      ? `policy '${name}' with binding '${binding.metadata.name ?? ""}' denied request: ${message}`
      : `policy ${JSON.stringify(name)} denied request: ${message}`;
  });
  const [message = ""] = texts;
  const causes = texts.map((text) => ({ message: text }));
  const { status } = refusal(request, message, causes);
  throw new StatusError({ ...status, message, reason: first.reason ?? "Forbidden" });
}
