/**
 * Calls webhooks about writes: mutating ones one after the other, validating ones in parallel.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
import { sameJson } from "../../kube/json.ts";
import type { SentObject } from "../../kube/object.ts";
import { BOOL } from "../../kube/cel/types.ts";
import { type Status, StatusError } from "../../kube/status.ts";
import { forbiddenTo, internalError } from "../failures.ts";
import {
  type AcceptObject,
  type AdmissionRequest,
  type ConvertObject,
  hasOwnKind,
  kindOf,
} from "./attributes.ts";
import type { Authorize } from "./expressions/authorizer-library.ts";
import type { CompiledExpression, ExpressionCompiler } from "./expressions/expressions.ts";
import { matchConditions } from "./activation.ts";
import type { Asked } from "./reinvocation.ts";
import { RequestView, requestIn } from "./request-views.ts";
import { type Question, type ReviewAnswer, questionFor, readAnswer } from "./review.ts";
import type { WebhookCaller } from "./webhook-caller.ts";
import { WebhookCallError } from "./webhook-failures.ts";
import { applyWebhookPatch, readWebhookPatch } from "./webhook-patch.ts";
import {
  type Webhook,
  type WebhookKind,
  type WebhookSource,
  installedWebhooks,
  isExempt,
  versionFor,
} from "./webhooks.ts";

export interface WebhookPorts {
  readonly source: WebhookSource;
  readonly caller: WebhookCaller;
  /** A new uid for each review. */
  readonly newUid: () => string;
  readonly accept: AcceptObject;
  readonly convert: ConvertObject;
  readonly authorize: Authorize;
  readonly compiler: ExpressionCompiler;
}

const DEFAULT_TIMEOUT_SECONDS = 10;

/** Calls the stored webhooks. */
export class WebhookAdmission {
  readonly #ports: WebhookPorts;
  /** Compiled conditions by their text: they are evaluated with every write. */
  readonly #conditions = new Map<string, CompiledExpression>();

  constructor(ports: WebhookPorts) {
    this.#ports = ports;
  }

  /** Whether any webhook of the kind might match the request. */
  concerns(kind: WebhookKind, request: AdmissionRequest): boolean {
    return installedWebhooks(this.#ports.source, kind).length > 0 && !isExempt(request);
  }

  /**
   * One round of mutating webhooks; returns the changed object.
   *
   * @throws StatusError when a webhook denies, or fails and its `failurePolicy` is not `Ignore`
   */
  async mutate(request: AdmissionRequest, asked: Asked): Promise<SentObject | undefined> {
    asked.begin(request.object);
    let { object } = request;
    for (const { id, webhook } of installedWebhooks(this.#ports.source, "mutating")) {
      const current: AdmissionRequest = object ? { ...request, object } : request;
      const wanted = await this.#wants(webhook, current);
      if (!wanted || !asked.includes(id)) continue;
      const next = await this.#mutateBy(webhook, current, wanted);
      const isChange = next !== undefined && object !== undefined && !sameJson(next, object);
      object = next ?? object;
      if (isChange) asked.changed();
      if (webhook.reinvocationPolicy === "IfNeeded") asked.wasAsked(id);
    }
    const isLoose = object !== undefined && object !== request.object && isForeign(request);
    if (isLoose) object = this.#ports.accept(request, object);
    asked.end(object);
    return object;
  }

  /**
   * @throws StatusError when a validating webhook denies, or fails and its `failurePolicy` is not
   * `Ignore`
   */
  async validate(request: AdmissionRequest): Promise<void> {
    const relevant: { readonly webhook: Webhook; readonly wanted: RequestView }[] = [];
    for (const { webhook } of installedWebhooks(this.#ports.source, "validating")) {
      const wanted = await this.#wants(webhook, request);
      if (wanted) relevant.push({ webhook, wanted });
    }
    let first: unknown;
    // The first refusal to arrive is the one that the client gets.
    await Promise.all(
      relevant.map(async ({ webhook, wanted }) => {
        try {
          await this.#ask(webhook, request, wanted, "validating");
        } catch (thrown) {
          first ??= thrown;
        }
      }),
    );
    if (first !== undefined) throw first as Error;
  }

  /**
   * The request in the version that a webhook matches; `undefined` when it does not match.
   *
   * @throws StatusError
   */
  async #wants(webhook: Webhook, request: AdmissionRequest): Promise<RequestView | undefined> {
    const { source, authorize, convert } = this.#ports;
    const version = versionFor(source, webhook, request);
    if (!version) return undefined;
    const wanted = new RequestView(await requestIn(request, version, convert), version);
    const { matchConditions: conditions = [], failurePolicy } = webhook;
    if (conditions.length === 0) return wanted;
    const compiled = conditions.map(({ expression }) => this.#compiled(expression));
    const matches = matchConditions(compiled, { view: wanted, authorize });
    if (typeof matches === "boolean") return matches ? wanted : undefined;
    if (failurePolicy === "Ignore") return undefined;
    throw forbiddenTo(request.resource, request.name, matches.problem);
  }

  #compiled(condition: string): CompiledExpression {
    let compiled = this.#conditions.get(condition);
    if (!compiled) {
      const surroundings = { params: false, authorizer: true };
      compiled = this.#ports.compiler.compile(condition, [BOOL], surroundings);
      this.#conditions.set(condition, compiled);
    }
    return compiled;
  }

  /** The object as one webhook changed it; `undefined` when it sent no patch. */
  async #mutateBy(
    webhook: Webhook,
    request: AdmissionRequest,
    wanted: RequestView,
  ): Promise<SentObject | undefined> {
    const answer = await this.#ask(webhook, request, wanted, "mutating");
    if (!answer || answer.patch.length === 0) return undefined;
    try {
      const operations = readWebhookPatch(answer.patch);
      if (operations.length === 0) return undefined;
      const { object } = request;
      if (!object) {
        throw internalError(
          `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
        );
      }
      if (answer.patchType !== "JSONPatch") {
        throw new WebhookCallError(`unsupported patch type ${JSON.stringify(answer.patchType)}`);
      }
      return await this.#patched(request, wanted, operations);
    } catch (thrown) {
      ignoreFailure(webhook, thrown);
      return undefined;
    }
  }

  /** The object after a patch of the version that the webhook saw. @throws StatusError */
  async #patched(
    request: AdmissionRequest,
    { version, request: seen }: RequestView,
    operations: readonly unknown[],
  ): Promise<SentObject> {
    const { accept, convert } = this.#ports;
    const patched = applyWebhookPatch(seen.object, operations) as SentObject;
    if (isForeign(request)) return patched;
    if (version === request.resource || !hasOwnKind(request)) return accept(request, patched);
    const accepted = accept({ ...seen, resource: version, kind: kindOf(version) }, patched);
    return convert(accepted, version, request.resource);
  }

  /**
   * The answer of a webhook that allows; `undefined` for a failed call whose failure is ignored.
   *
   * @throws StatusError
   */
  async #ask(
    webhook: Webhook,
    request: AdmissionRequest,
    { version, request: seen }: RequestView,
    kind: WebhookKind,
  ): Promise<ReviewAnswer | undefined> {
    let answer: ReviewAnswer;
    try {
      const question = questionFor(webhook, seen, version, this.#ports.newUid());
      answer = readAnswer(await this.#call(webhook, question), question, kind);
    } catch (thrown) {
      ignoreFailure(webhook, thrown);
      return undefined;
    }
    answer.warnings.forEach(request.warn);
    if (!answer.allowed) throw denial(webhook.name, answer.result);
    return answer;
  }

  async #call(webhook: Webhook, question: Question): Promise<Buffer> {
    const { clientConfig, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = webhook;
    try {
      return await this.#ports.caller.post(clientConfig, question.body, timeoutSeconds, true);
    } catch (thrown) {
      if (!(thrown instanceof WebhookCallError)) throw thrown;
      throw new WebhookCallError(`failed to call webhook: ${thrown.message}`, { cause: thrown });
    }
  }
}

/**
 * Whether the object is of another kind than its custom resource (a Scale): it is decoded only
 * after all patches.
 */
const isForeign = (request: AdmissionRequest): boolean =>
  !request.resource.builtIn && !hasOwnKind(request);

/** @throws StatusError for a failed call, unless failures of the webhook are ignored */
function ignoreFailure({ name, failurePolicy }: Webhook, thrown: unknown): void {
  if (!(thrown instanceof WebhookCallError)) throw thrown;
  if (failurePolicy === "Ignore") return;
  throw internalError(`failed calling webhook ${JSON.stringify(name)}: ${thrown.message}`);
}

/** The refusal of a webhook, as the client gets it. */
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
