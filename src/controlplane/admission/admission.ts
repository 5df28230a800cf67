/**
 * Admission: changes or refuses writes that their authors are authorized to make.
 *
 * Mutation comes before validation of the object, validation after it; policies come before
 * webhooks. Both return `undefined` at once when no policy or webhook concerns the write, so that
 * most writes never wait.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
 */
import type { SentObject } from "../../kube/object.ts";
import type { AdmissionRequest } from "./attributes.ts";
import type { Authorize } from "./expressions/authorizer-library.ts";
import type { AdmissionPlugins } from "../admission-plugins.ts";
import type { PodSecurity } from "./pod-security/pod-security.ts";
import type { MutatingPolicies } from "./policies/mutating-policies.ts";
import type { ValidatingPolicies } from "./policies/validating-policies.ts";
import { Asked, Rounds } from "./reinvocation.ts";
import { validateSigning } from "./signing-admission.ts";
import type { WebhookAdmission } from "./webhook-admission.ts";

export interface AdmissionParts {
  readonly webhooks: WebhookAdmission;
  readonly validating: ValidatingPolicies;
  readonly mutating: MutatingPolicies;
  readonly podSecurity: PodSecurity;
  readonly authorize: Authorize;
  readonly plugins: AdmissionPlugins;
}

/** The admission chain: policies and webhooks. */
export class Admission {
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /**
   * The object as admission changed it, or `undefined` when no policy or webhook concerns it.
   *
   * @param admit - the changes of the server's own plugins, in place, before policies and webhooks
   * @throws StatusError from the promise when the write is refused
   */
  mutate(
    request: AdmissionRequest,
    admit?: (object: SentObject) => void,
  ): Promise<SentObject | undefined> | undefined {
    const isConcerned = this.#mutatingPolicies(request) || this.#webhooks("mutating", request);
    return isConcerned ? this.#mutate(request, admit) : undefined;
  }

  /**
   * Returns `undefined` when no policy or webhook concerns the write.
   *
   * @throws StatusError, also from the promise, when the write is refused
   */
  validate(request: AdmissionRequest): Promise<void> | undefined {
    const { validating, podSecurity, authorize, plugins } = this.#parts;
    if (plugins.isOn("PodSecurity")) podSecurity.validate(request);
    validateSigning(request, authorize, plugins);
    const byPolicies = plugins.isOn("ValidatingAdmissionPolicy") && validating.concerns(request);
    const byWebhooks = this.#webhooks("validating", request);
    return byPolicies || byWebhooks ? this.#validate(request, byPolicies, byWebhooks) : undefined;
  }

  #mutatingPolicies(request: AdmissionRequest): boolean {
    const { mutating, plugins } = this.#parts;
    return plugins.isOn("MutatingAdmissionPolicy") && mutating.concerns(request);
  }

  #webhooks(kind: "mutating" | "validating", request: AdmissionRequest): boolean {
    const { webhooks, plugins } = this.#parts;
    const plugin = kind === "mutating" ? "MutatingAdmissionWebhook" : "ValidatingAdmissionWebhook";
    return plugins.isOn(plugin) && webhooks.concerns(kind, request);
  }

  async #mutate(
    request: AdmissionRequest,
    admit?: (object: SentObject) => void,
  ): Promise<SentObject | undefined> {
    const rounds = new Rounds();
    const asked = { policies: new Asked(rounds), webhooks: new Asked(rounds) };
    if (request.object) admit?.(request.object);
    const object = await this.#round(request, asked);
    if (!rounds.changed) return object;
    rounds.isSecond = true;
    if (object) admit?.(object);
    return this.#round(withObject(request, object), asked);
  }

  async #round(
    request: AdmissionRequest,
    asked: { readonly policies: Asked; readonly webhooks: Asked },
  ): Promise<SentObject | undefined> {
    const { webhooks, mutating } = this.#parts;
    let { object } = request;
    if (this.#mutatingPolicies(request)) object = await mutating.mutate(request, asked.policies);
    if (!this.#webhooks("mutating", request)) return object;
    return webhooks.mutate(withObject(request, object), asked.webhooks);
  }

  async #validate(
    request: AdmissionRequest,
    byPolicies: boolean,
    byWebhooks: boolean,
  ): Promise<void> {
    const { webhooks, validating } = this.#parts;
    if (byPolicies) await validating.validate(request);
    if (byWebhooks) await webhooks.validate(request);
  }
}

const withObject = (request: AdmissionRequest, object: SentObject | undefined): AdmissionRequest =>
  object ? { ...request, object } : request;
