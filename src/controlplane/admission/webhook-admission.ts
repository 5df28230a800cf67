/**
 * Asks webhooks about writes: mutating ones one after the other, validating ones side by side.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 * @module
 */
import { sameJson } from "../../kube/json.ts";
import type { KubeObject } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { type Status, StatusError } from "../../kube/status.ts";
import type { ServedResource } from "../kinds.ts";
import type { AcceptObject, AdmissionRequest } from "./attributes.ts";
import type { MatchConditions } from "./match-conditions.ts";
import {
  type Question,
  type ReviewAnswer,
  questionFor,
  readAnswer,
  reviewRequest,
} from "./review.ts";
import { WebhookCallError, type WebhookCaller } from "./webhook-caller.ts";
import { applyWebhookPatch, internal, readWebhookPatch } from "./webhook-patch.ts";
import {
  type InstalledWebhook,
  type Webhook,
  type WebhookKind,
  type WebhookSource,
  installedWebhooks,
  isExempt,
  versionFor,
} from "./webhooks.ts";

/** What asking webhooks takes. */
export interface WebhookPorts {
  readonly source: WebhookSource;
  readonly caller: WebhookCaller;
  /** A new uid for each question. */
  readonly newUid: () => string;
  readonly accept: AcceptObject;
  readonly conditions: MatchConditions;
}

/** Which mutating webhooks are to be asked a second time. */
export class Reinvocation {
  readonly #asked = new Set<string>();
  readonly #again = new Set<string>();
  /** Whether this is the second round. */
  secondRound = false;

  /** Whether somebody has to be asked again. */
  get isDue(): boolean {
    return this.#again.size > 0;
  }

  /** The object has changed: whoever wants to know and has seen it is asked again. */
  changed(): void {
    for (const id of this.#asked) this.#again.add(id);
    this.#asked.clear();
  }

  /** A webhook that wants to know of later changes has been asked. */
  wasAsked(id: string): void {
    this.#asked.add(id);
  }

  /** Whether a webhook takes part in this round. */
  includes(id: string): boolean {
    return !this.secondRound || this.#again.has(id);
  }
}

const DEFAULT_TIMEOUT_SECONDS = 10;

/** Asks the stored webhooks. */
export class WebhookAdmission {
  readonly #ports: WebhookPorts;

  constructor(ports: WebhookPorts) {
    this.#ports = ports;
  }

  /** Whether any webhook of the kind is installed that might be asked. */
  concerns(kind: WebhookKind, request: AdmissionRequest): boolean {
    return installedWebhooks(this.#ports.source, kind).length > 0 && !isExempt(request);
  }

  /**
   * The object as mutating webhooks left it: one round.
   *
   * @throws StatusError when one denies, or fails and may not be ignored
   */
  async mutate(
    request: AdmissionRequest,
    reinvocation: Reinvocation,
  ): Promise<KubeObject | undefined> {
    let { object } = request;
    for (const installed of installedWebhooks(this.#ports.source, "mutating")) {
      const { id, webhook } = installed;
      const current: AdmissionRequest = object ? { ...request, object } : request;
      const resource = this.#wants(installed, current);
      if (!resource || !reinvocation.includes(id)) continue;
      const next = await this.#mutateBy(webhook, current, resource);
      if (next && object && !sameJson(next, object)) {
        object = next;
        reinvocation.changed();
      } else if (next) object = next;
      if (webhook.reinvocationPolicy === "IfNeeded") reinvocation.wasAsked(id);
    }
    return object;
  }

  /** @throws StatusError when a validating webhook denies, or fails and may not be ignored */
  async validate(request: AdmissionRequest): Promise<void> {
    const relevant = installedWebhooks(this.#ports.source, "validating").flatMap((installed) => {
      const resource = this.#wants(installed, request);
      return resource ? [{ webhook: installed.webhook, resource }] : [];
    });
    let first: unknown;
    // As the answers come: the first refusal is the one that is told.
    await Promise.all(
      relevant.map(async ({ webhook, resource }) => {
        try {
          await this.#ask(webhook, request, resource, "validating");
        } catch (thrown) {
          first ??= thrown;
        }
      }),
    );
    if (first !== undefined) throw first as Error;
  }

  #wants({ webhook }: InstalledWebhook, request: AdmissionRequest): ServedResource | undefined {
    const { source, conditions } = this.#ports;
    const resource = versionFor(source, webhook, request);
    if (!resource) return undefined;
    const { matchConditions = [] } = webhook;
    if (matchConditions.length === 0) return resource;
    // The review as it will be sent; a uid is given to it only then.
    const shown = reviewRequest(request, resource, "");
    const ignoreErrors = webhook.failurePolicy === "Ignore";
    return conditions.hold(matchConditions, request, shown, ignoreErrors) ? resource : undefined;
  }

  /** The object as one webhook left it; `undefined` when it sent no patch. */
  async #mutateBy(
    webhook: Webhook,
    request: AdmissionRequest,
    resource: ServedResource,
  ): Promise<KubeObject | undefined> {
    const answer = await this.#ask(webhook, request, resource, "mutating");
    if (!answer || answer.patch.length === 0) return undefined;
    try {
      const operations = readWebhookPatch(answer.patch);
      if (operations.length === 0) return undefined;
      const { object } = request;
      if (!object) {
        throw internal(
          `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
        );
      }
      if (answer.patchType !== "JSONPatch") {
        throw new WebhookCallError(`unsupported patch type ${JSON.stringify(answer.patchType)}`);
      }
      const converted = resource !== request.resource && object.kind === resource.kind;
      const shown = converted ? { ...object, apiVersion: apiVersionOf(resource) } : object;
      const patched = applyWebhookPatch(shown, operations) as KubeObject;
      return this.#ports.accept(
        request,
        converted ? { ...patched, apiVersion: object.apiVersion } : patched,
      );
    } catch (thrown) {
      if (!(thrown instanceof WebhookCallError)) throw thrown;
      if (webhook.failurePolicy === "Ignore") return undefined;
      throw callFailed(webhook, thrown);
    }
  }

  /**
   * The answer of a webhook that allows; `undefined` when it could not be had and that is to be ignored.
   *
   * @throws StatusError
   */
  async #ask(
    webhook: Webhook,
    request: AdmissionRequest,
    resource: ServedResource,
    kind: WebhookKind,
  ): Promise<ReviewAnswer | undefined> {
    let answer: ReviewAnswer;
    try {
      const question = questionFor(webhook, request, resource, this.#ports.newUid());
      answer = readAnswer(await this.#call(webhook, question), question, kind);
    } catch (thrown) {
      if (!(thrown instanceof WebhookCallError)) throw thrown;
      if (webhook.failurePolicy === "Ignore") return undefined;
      throw callFailed(webhook, thrown);
    }
    answer.warnings.forEach(request.warn);
    if (!answer.allowed) throw denial(webhook.name, answer.result);
    return answer;
  }

  async #call(webhook: Webhook, question: Question): Promise<Buffer> {
    const { clientConfig, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = webhook;
    try {
      return await this.#ports.caller.post(clientConfig, question.body, timeoutSeconds);
    } catch (thrown) {
      if (!(thrown instanceof WebhookCallError)) throw thrown;
      throw new WebhookCallError(`failed to call webhook: ${thrown.message}`, { cause: thrown });
    }
  }
}

function callFailed({ name }: Webhook, { message }: WebhookCallError): StatusError {
  return internal(`failed calling webhook ${JSON.stringify(name)}: ${message}`);
}

/** What a webhook said no with, as the client gets it. */
function denial(name: string, result: Partial<Status> | undefined): StatusError {
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const { code = 0, status, message = "", reason = "", details } = result ?? {};
  const said = message === "" ? reason : message;
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status:
      status === undefined || (status as string) === "" || status === "Success"
        ? "Failure"
        : status,
    message: said === "" ? `${denied} without explanation` : `${denied}: ${said}`,
    ...(reason === "" ? {} : { reason }),
    ...(details ? { details } : {}),
    code: Math.max(code, 400),
  });
}
