/**
 * The status of ValidatingAdmissionPolicies: warnings about expressions that do not fit the kinds
 * that they match.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking
 */
import type { SentObject } from "../../kube/object.ts";
import type { ControllerClient, ControllerContext, StoreEvent } from "./client.ts";
import type { ResourceName } from "../resource-name.ts";
import { concerns, keyFrom, textOf } from "./keys.ts";
import type { Controller } from "./work-loop.ts";

const POLICIES: ResourceName<CheckedPolicy> = {
  group: "admissionregistration.k8s.io",
  plural: "validatingadmissionpolicies",
};

interface CheckedPolicy extends SentObject {
  readonly status?: { readonly observedGeneration?: number };
}

/** Checks each generation of each policy once. */
export class PolicyStatusController implements Controller {
  readonly name = "ValidatingAdmissionPolicyStatus";
  readonly watches = [POLICIES];
  readonly #client: ControllerClient;
  readonly #check: NonNullable<ControllerContext["checkPolicyTypes"]>;

  constructor(client: ControllerClient, check: NonNullable<ControllerContext["checkPolicyTypes"]>) {
    this.#client = client;
    this.#check = check;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, POLICIES)) yield textOf(event.object);
  }

  async sync(key: string): Promise<undefined> {
    const policy = this.#client.find(POLICIES, keyFrom(key));
    const { name = "", generation = 0 } = policy?.metadata ?? {};
    if (!policy || (policy.status?.observedGeneration ?? 0) >= generation) return;
    const expressionWarnings = this.#check(policy);
    const status = {
      observedGeneration: generation,
      typeChecking: expressionWarnings.length > 0 ? { expressionWarnings } : null,
    };
    await this.#client.patch(POLICIES, { name }, { status }, "status");
  }
}
