/**
 * MutatingAdmissionPolicies: expressions that change writes, where bindings say so.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
import { sameJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import { CelError } from "../../../kube/cel/values.ts";
import { failure } from "../../../kube/status.ts";
import type { ServedResource } from "../../kinds.ts";
import type { CollectionName } from "../../resource-name.ts";
import { Activation, Budget, type Inputs, OutOfBudget, POLICY_BUDGET } from "../activation.ts";
import type { AcceptObject, AdmissionRequest, ConvertObject } from "../attributes.ts";
import type { Authorize } from "../authorizer-library.ts";
import type { ExpressionCompiler } from "../expressions.ts";
import { matchConditions } from "../match-conditions.ts";
import { refusalDetails } from "../refusal.ts";
import type { Asked } from "../reinvocation.ts";
import { type RequestViews, requestIn, viewOf } from "../request-views.ts";
import { type WebhookSource, isExempt } from "../webhooks.ts";
import { type CommonParts, PerObject, compileCommonParts } from "./compiled-policy.ts";
import {
  type CompiledMutation,
  MutationError,
  applyLiteral,
  applyPatches,
  compileMutation,
  typeOfKind,
} from "./mutation.ts";
import { type ConfigurationProblem, type Invocation, invocationsFor } from "./policy-matching.ts";
import { type Binding, type MutatingPolicy, POLICY_GROUP } from "./policy.ts";

const POLICIES: CollectionName<MutatingPolicy> = `mutatingadmissionpolicies.${POLICY_GROUP}`;
const BINDINGS: CollectionName<Binding> = `mutatingadmissionpolicybindings.${POLICY_GROUP}`;

/** The dependencies of evaluating mutations. */
export interface MutationPorts {
  readonly source: WebhookSource;
  readonly authorize: Authorize;
  readonly compiler: ExpressionCompiler;
  readonly accept: AcceptObject;
  readonly convert: ConvertObject;
}

interface CompiledPolicy extends CommonParts {
  readonly mutations: readonly CompiledMutation[];
}

type Problem = ConfigurationProblem<MutatingPolicy> & { readonly reason?: string };

/** A request in one version, with the object as changed by the policies so far. */
interface Draft {
  request: AdmissionRequest;
  isChanged: boolean;
}

/** Evaluates the stored MutatingAdmissionPolicies. */
export class MutatingPolicies {
  readonly #ports: MutationPorts;
  readonly #compiled: PerObject<MutatingPolicy, CompiledPolicy>;

  constructor(ports: MutationPorts) {
    this.#ports = ports;
    this.#compiled = new PerObject((policy) => compilePolicy(ports.compiler, policy));
  }

  /** Whether any binding might match the request. */
  concerns(request: AdmissionRequest): boolean {
    return request.operation !== "DELETE" && this.#bindings().length > 0 && !isExempt(request);
  }

  /**
   * One round of mutations; returns the changed object.
   *
   * @throws StatusError when a policy fails whose `failurePolicy` is not `Ignore`
   */
  async mutate(
    request: AdmissionRequest,
    views: RequestViews,
    asked: Asked,
  ): Promise<SentObject | undefined> {
    asked.begin(request.object);
    const { invocations, problems } = invocationsFor(
      this.#ports.source,
      this.#ports.source.store.list(POLICIES),
      this.#bindings(),
      request,
    );
    const drafts = new Map<ServedResource, Draft>();
    const failed: Problem[] = [...problems];
    let last: readonly [ServedResource, Draft] | undefined;
    for (const invocation of invocations) {
      const { version } = invocation;
      let draft = drafts.get(version);
      if (!draft) {
        draft = {
          request: await requestIn(request, version, this.#ports.convert),
          isChanged: false,
        };
        drafts.set(version, draft);
      }
      const wasMade = this.#invoke(invocation, draft, views, asked, failed);
      if (wasMade) last = [version, draft];
    }
    refuse(request, failed);
    const object = await this.#result(request, last, asked);
    asked.end(object);
    return object;
  }

  async #result(
    request: AdmissionRequest,
    last: readonly [ServedResource, Draft] | undefined,
    asked: Asked,
  ): Promise<SentObject | undefined> {
    if (!last?.[1].isChanged) return request.object;
    const [version, { request: changed }] = last;
    asked.changed();
    const { object } = changed;
    const isAsAsked = version === request.resource || request.kind.kind !== request.resource.kind;
    return object && !isAsAsked ? this.#ports.convert(object, version, request.resource) : object;
  }

  #bindings(): readonly Binding[] {
    return this.#ports.source.store.list(BINDINGS);
  }

  /** Tries the mutations of one policy. @returns whether they were tried */
  #invoke(
    invocation: Invocation<MutatingPolicy>,
    draft: Draft,
    views: RequestViews,
    asked: Asked,
    failed: Problem[],
  ): boolean {
    const { policy, binding, params, version } = invocation;
    const compiled = this.#compiled.of(policy);
    const inputs: Omit<Inputs, "view"> = {
      authorize: this.#ports.authorize,
      params,
      variables: compiled.variables,
    };
    const matches = matchConditions(compiled.conditions, {
      ...inputs,
      view: viewOf(draft.request, version),
    });
    if (matches === false) return false;
    const fail = (message: string): void => {
      failed.push({ policy, binding, message, reason: "Invalid" });
    };
    if (matches !== true) {
      if (policy.spec.failurePolicy !== "Ignore") fail(matches.problem);
      return false;
    }
    const id = [policy, binding, params]
      .map((one) => `${one?.metadata.namespace ?? ""}/${one?.metadata.name ?? ""}`)
      .join(" ");
    if (!asked.includes(id)) return false;
    const before = draft.request.object;
    for (const mutation of before ? compiled.mutations : []) {
      try {
        this.#mutate(mutation, draft, version, {
          ...inputs,
          namespaceObject: views.namespaceOf(draft.request),
        });
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
    version: ServedResource,
    inputs: Omit<Inputs, "view">,
  ): void {
    const { request } = draft;
    const { object } = request;
    if (!object) return;
    const isParent = request.kind.kind === request.resource.kind;
    const shown = isParent ? { ...request, resource: version, kind: kindOf(version) } : request;
    const type = typeOfKind(shown.kind, version);
    const activation = new Activation({ ...inputs, view: viewOf(request, version) });
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

const kindOf = ({ group, version, kind }: ServedResource): AdmissionRequest["kind"] => ({
  group,
  version,
  kind,
});

function compilePolicy(compiler: ExpressionCompiler, { spec }: MutatingPolicy): CompiledPolicy {
  const common = compileCommonParts(compiler, spec);
  return {
    ...common,
    mutations: (spec.mutations ?? []).flatMap(
      (mutation) => compileMutation(compiler, mutation, common.surroundings) ?? [],
    ),
  };
}

/** @throws StatusError when a policy failed whose `failurePolicy` is not `Ignore` */
function refuse(request: AdmissionRequest, problems: readonly Problem[]): void {
  const counted = problems.filter(({ policy }) => policy.spec.failurePolicy !== "Ignore");
  const [first] = counted;
  if (!first) return;
  const texts = counted.map(({ policy, binding, message }) => {
    const name = policy.metadata.name ?? "";
    return binding
      ? `policy '${name}' with binding '${binding.metadata.name ?? ""}' denied request: ${message}`
      : `policy ${JSON.stringify(name)} denied request: ${message}`;
  });
  throw failure(403, first.reason ?? "Forbidden", texts[0] ?? "", {
    ...refusalDetails(request),
    causes: texts.map((message) => ({ message })),
  });
}
