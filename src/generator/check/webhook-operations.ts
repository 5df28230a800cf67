/** The operations that a webhook is asked about, against the methods of the class that answers. */
import { asksService } from "../emit/webhook-service.ts";
import type { Findings } from "../findings.ts";
import type { Position, WebhookModel } from "../model.ts";
import { VALIDATOR_METHODS } from "../read/webhooks.ts";

/** Notes operations that no method answers, and methods that are never asked. */
export function checkOperations(webhooks: readonly WebhookModel[], findings: Findings): void {
  for (const webhook of webhooks) {
    const { methods } = webhook.handler;
    // Others may answer at another address, and `handle` answers every operation.
    if (!methods || methods.has("handle") || !asksService(webhook.entry["clientConfig"])) continue;
    const { handler, mutating } = webhook;
    const own = webhooks.filter(
      (other) => other.handler === handler && other.mutating === mutating,
    );
    const isFirst = own[0] === webhook;
    const answers = mutating
      ? methods.has("default")
      : VALIDATOR_METHODS.some(({ method }) => methods.has(method));
    if (!answers) {
      if (isFirst) tellUnanswered(webhook, findings);
    } else if (mutating) checkDefaulter(webhook, findings);
    else {
      checkValidator(webhook, methods, findings);
      if (isFirst) checkUnasked(own, methods, findings);
    }
  }
}

type Methods = ReadonlySet<string>;

const placeOf = ({ saidAt, at }: WebhookModel): Position => saidAt.get("operations") ?? at;

function operationsOf({ entry }: WebhookModel): readonly string[] {
  const { rules } = entry as { rules: readonly [{ operations: readonly string[] }] };
  return rules[0].operations;
}

function refuse(webhook: WebhookModel, message: string, fix: string, findings: Findings): void {
  findings.error(placeOf(webhook), "wrong-operations", message, fix);
}

function tellUnanswered({ mutating, handler, at }: WebhookModel, findings: Findings): void {
  findings.error(
    at,
    "wrong-operations",
    mutating
      ? `${handler.name} has @MutatingWebhook, and has neither default nor handle to answer it.`
      : `${handler.name} has @ValidatingWebhook, but none of the methods validateCreate, validateUpdate, validateDelete, and handle.`,
    mutating
      ? "Write default(object), or handle(review) that answers requests itself."
      : "Implement the methods for the operations to validate.",
  );
}

function checkDefaulter(webhook: WebhookModel, findings: Findings): void {
  const { name } = webhook.handler;
  const unasked = operationsOf(webhook).find((one) => ["DELETE", "CONNECT", "*"].includes(one));
  if (unasked === undefined) return;
  refuse(
    webhook,
    `A defaulter is called only for CREATE and UPDATE, when there is an object to change, but ${name} is registered for ${unasked}.`,
    unasked === "*"
      ? 'Write operations: ["CREATE", "UPDATE"], or answer with handle.'
      : `Remove "${unasked}", or answer with handle.`,
    findings,
  );
}

function checkValidator(webhook: WebhookModel, methods: Methods, findings: Findings): void {
  const { name } = webhook.handler;
  const answered = VALIDATOR_METHODS.filter(({ method }) => methods.has(method));
  const known = VALIDATOR_METHODS.map(({ operation }) => operation as string);
  const without = operationsOf(webhook).find(
    // An unknown operation is reported elsewhere.
    (one) =>
      [...known, "CONNECT", "*"].includes(one) &&
      !answered.some(({ operation }) => operation === one),
  );
  if (without === undefined) return;
  const method = VALIDATOR_METHODS.find(({ operation }) => operation === without)?.method;
  const fix = method === undefined ? "answer with handle" : `write ${method}`;
  const isAll = without === "*" && answered.length === known.length;
  refuse(
    webhook,
    `${name} is registered for ${without}, and ${isAll ? "has no method for CONNECT" : `has ${answered.map((one) => one.method).join(" and ")} alone`}: ${without === "*" ? "the rest" : "it"} would be allowed without validation.`,
    `Leave operations out, which follow from the methods, or ${fix}.`,
    findings,
  );
}

/** A method that none of the markers of its class asks. */
function checkUnasked(
  webhooks: readonly WebhookModel[],
  methods: Methods,
  findings: Findings,
): void {
  const [first] = webhooks;
  const asked = new Set(webhooks.flatMap(operationsOf));
  if (!first || asked.has("*")) return;
  const silent = VALIDATOR_METHODS.find(
    ({ method, operation }) => methods.has(method) && !asked.has(operation),
  );
  if (!silent) return;
  refuse(
    first,
    `${first.handler.name} has ${silent.method}, which is never called because it is registered for ${[...asked].join(", ")}.`,
    `Leave operations out, which follow from the methods, or remove ${silent.method}.`,
    findings,
  );
}
