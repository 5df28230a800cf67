/**
 * Admission: what may still change or refuse a write after its author was allowed to make it.
 *
 * Mutation comes before validation of the object, validation after it. Both give `undefined` at once when nobody
 * has a say, so that most writes never wait.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";
import type { AdmissionRequest } from "./attributes.ts";
import type { ValidatingPolicies } from "./validating-policies.ts";
import { Reinvocation, type WebhookAdmission } from "./webhook-admission.ts";

/** Who has a say in writes. */
export class Admission {
  readonly #webhooks: WebhookAdmission;
  readonly #policies: ValidatingPolicies;

  constructor(webhooks: WebhookAdmission, policies: ValidatingPolicies) {
    this.#webhooks = webhooks;
    this.#policies = policies;
  }

  /**
   * The object as admission wants it, or `undefined` when nobody has a say.
   *
   * @throws StatusError from the promise when somebody refuses
   */
  mutate(request: AdmissionRequest): Promise<KubeObject | undefined> | undefined {
    if (!this.#webhooks.concerns("mutating", request)) return undefined;
    return this.#mutate(request);
  }

  /** `undefined` when no webhook has a say. @throws StatusError, also from the promise, when somebody refuses */
  validate(request: AdmissionRequest): Promise<void> | undefined {
    this.#policies.validate(request);
    if (!this.#webhooks.concerns("validating", request)) return undefined;
    return this.#webhooks.validate(request);
  }

  async #mutate(request: AdmissionRequest): Promise<KubeObject | undefined> {
    const reinvocation = new Reinvocation();
    const object = await this.#webhooks.mutate(request, reinvocation);
    if (!reinvocation.isDue) return object;
    reinvocation.secondRound = true;
    return this.#webhooks.mutate(object ? { ...request, object } : request, reinvocation);
  }
}
