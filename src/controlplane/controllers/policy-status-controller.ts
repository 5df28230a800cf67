/**
 * The status of ValidatingAdmissionPolicies: warnings about expressions that do not fit the kinds
 * that they match.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking
 */
import type { SentObject } from "../../kube/object.ts";
import type { ControllerContext } from "./framework/client.ts";
import type { ResourceName } from "../resource-name.ts";
import { ObjectController, type Tools, watch } from "./framework/controller.ts";

const POLICIES: ResourceName<CheckedPolicy> = {
  group: "admissionregistration.k8s.io",
  plural: "validatingadmissionpolicies",
};

type TypeCheck = NonNullable<ControllerContext["checkPolicyTypes"]>;

interface CheckedPolicy extends SentObject {
  readonly status?: { readonly observedGeneration?: number };
}

export class PolicyStatusController extends ObjectController<CheckedPolicy> {
  readonly name = "ValidatingAdmissionPolicyStatus";
  readonly resource = POLICIES;
  readonly watches = [watch(POLICIES)];
  readonly #check: TypeCheck;

  constructor(tools: Tools, check: TypeCheck) {
    super(tools);
    this.#check = check;
  }

  protected async reconcile(policy: CheckedPolicy): Promise<undefined> {
    const { generation = 0 } = policy.metadata;
    if ((policy.status?.observedGeneration ?? 0) >= generation) return;
    const expressionWarnings = this.#check(policy);
    const status = {
      observedGeneration: generation,
      typeChecking: expressionWarnings.length > 0 ? { expressionWarnings } : null,
    };
    await this.client.patch(POLICIES, policy.metadata, { status }, "status");
  }
}
