/** The API server's refusals of webhook configurations. */
import { compileExpression, CompileFailure } from "../../kube/cel/compile.ts";
import { kubernetesEnvironment } from "../../kube/cel/libraries.ts";
import { DYN } from "../../kube/cel/types.ts";
import { dns1123SubdomainErrors, qualifiedNameErrors } from "../../kube/names.ts";
import { validateObjectMeta } from "../../kube/metadata.ts";
import { webhookConfigurationErrors } from "../../kube/webhooks/webhook-rules.ts";
import { type WebhookConfiguration, webhookConfigurations } from "../emit/webhooks.ts";
import type { Findings } from "../findings.ts";
import type { Position, WebhookModel } from "../model.ts";
import {
  type ShapeProblem,
  shapeProblems,
  WEBHOOK_OPTIONS,
  WEBHOOK_SERVICE,
} from "./object-shape.ts";
import { tableOf } from "../../table.ts";

/** Notes mistakes in the webhooks of a project. */
export function checkWebhooks(webhooks: readonly WebhookModel[], findings: Findings): void {
  const named = new Map<string, WebhookModel>();
  for (const webhook of webhooks) {
    const key = `${webhook.mutating} ${webhook.configuration} ${webhook.name}`;
    const twin = named.get(key);
    if (twin) {
      findings.error(
        webhook.at,
        "duplicate-webhook",
        `There is a webhook ${webhook.name} already, at ${twin.at.file}:${twin.at.line}.`,
        "Give one of them another name.",
      );
    }
    named.set(key, webhook);
    checkName(webhook, findings);
    checkEntry(webhook, findings);
    checkConditions(webhook, findings);
    checkShapes(webhook, findings);
  }
  for (const configuration of webhookConfigurations(webhooks)) {
    checkConfiguration(configuration, webhooks, findings);
  }
}

const at = ({ saidAt, at: whole }: WebhookModel, option: string): Position =>
  saidAt.get(option) ?? whole;

/** Notes options that are copied to the entry, and that the API server cannot decode. */
function checkShapes(webhook: WebhookModel, findings: Findings): void {
  for (const { option, message, fix } of shapesOf(webhook)) {
    findings.error(at(webhook, option), "wrong-webhook", message, fix);
  }
}

function shapesOf({ entry }: WebhookModel): (ShapeProblem & { readonly option: string })[] {
  const { service } = entry.clientConfig;
  return [
    ...shapeProblems(service, WEBHOOK_SERVICE, "service").map((problem) => ({
      ...problem,
      option: "service",
    })),
    ...Object.entries(WEBHOOK_OPTIONS).flatMap(([option, shape]) =>
      shapeProblems(entry[option], shape, option).map((problem) => ({ ...problem, option })),
    ),
  ];
}

/**
 * Notes the API server's refusals of a configuration, unless something was noted at that place
 * already.
 */
function checkConfiguration(
  configuration: WebhookConfiguration,
  models: readonly WebhookModel[],
  findings: Findings,
): void {
  const own = configuration.webhooks.map((entry) => models.find((model) => model.entry === entry));
  const [first] = own;
  if (!first) return;
  const { metadata } = configuration;
  const name = (text: string): string[] => dns1123SubdomainErrors(text);
  for (const { message } of validateObjectMeta(metadata, false, name)) {
    const place = at(first, "configuration");
    findings.error(
      place,
      "wrong-webhook",
      `The API server refuses the name of the configuration: ${message}.`,
      'Use a name such as "shop-webhooks".',
    );
  }
  // Rules are checked on a configuration that can be decoded, and on no other.
  if (own.some((model) => model && shapesOf(model).length > 0)) return;
  for (const { field, message } of webhookConfigurationErrors(configuration, () => undefined)) {
    const [, index = "0", rest = ""] = /^webhooks\[(\d+)\]\.(.*)$/.exec(field) ?? [];
    const model = own[Number(index)] ?? first;
    const option = optionOf(rest);
    const place = at(model, option);
    if (findings.hasErrorAt(place)) continue;
    findings.error(
      place,
      "wrong-webhook",
      `The API server refuses ${option} of the webhook ${model.name}: ${message}.`,
      "Change it to a value that the API server accepts.",
    );
  }
}

const RULE_PARTS = tableOf<string>({
  apiGroups: "groups",
  apiVersions: "versions",
});

/** The option of the marker that a field of an entry was made of. */
function optionOf(field: string): string {
  const rule = /^rules\[0\]\.(\w+)/.exec(field)?.[1];
  if (rule !== undefined) return RULE_PARTS.get(rule) ?? rule;
  if (field.startsWith("clientConfig.service.path")) return "path";
  if (field.startsWith("clientConfig.service")) return "service";
  if (field.startsWith("clientConfig")) return "url";
  return /^\w+/.exec(field)?.[0] ?? "";
}

function checkName(webhook: WebhookModel, findings: Findings): void {
  const { name } = webhook;
  if (dns1123SubdomainErrors(name).length === 0 && name.split(".").length >= 3) return;
  findings.error(
    at(webhook, "name"),
    "wrong-webhook",
    `The name "${name}" of a webhook is not a DNS name of three parts or more.`,
    'Use a name below your own domain, such as "widget.shop.example.com".',
  );
}

const OPERATIONS = ["CREATE", "UPDATE", "DELETE", "CONNECT", "*"];
const MAX_TIMEOUT_SECONDS = 30;
const MAX_CONDITIONS = 64;

function checkEntry(webhook: WebhookModel, findings: Findings): void {
  const entry = webhook.entry;
  const refuse = (option: string, message: string, fix: string): void => {
    findings.error(at(webhook, option), "wrong-webhook", message, fix);
  };
  const { url, service } = entry.clientConfig;
  if (url !== undefined && !/^https:\/\/[^/?#@]+(?:\/[^?#]*)?$/.test(url)) {
    refuse("url", `A webhook cannot be called at "${url}".`, "Write https://HOST/PATH.");
  }
  if (service && !/^\/(?:[^/?#]+(?:\/[^/?#]+)*\/?)?$/.test(service.path)) {
    refuse(
      "path",
      `"${service.path}" is not a path.`,
      'Begin it with "/", and leave out "?" and "#".',
    );
  }
  const { port = 443 } = service ?? {};
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    refuse("service", `There is no port ${port}.`, "Use 1 to 65535.");
  }
  const { timeoutSeconds: seconds = 10 } = entry;
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_TIMEOUT_SECONDS) {
    refuse("timeoutSeconds", `A webhook cannot wait ${seconds} seconds.`, "Use 1 to 30.");
  }
  const [{ operations }] = entry.rules;
  const wrong = operations.find((operation) => !OPERATIONS.includes(operation));
  if (wrong !== undefined || operations.length === 0) {
    refuse(
      "operations",
      wrong === undefined ? "A webhook needs operations." : `There is no operation ${wrong}.`,
      `Use ${OPERATIONS.join(", ")}.`,
    );
  } else if (operations.includes("*") && operations.length > 1) {
    refuse("operations", '"*" is all operations already.', 'Leave out the others, or the "*".');
  }
  if (!entry.admissionReviewVersions.some((version) => ["v1", "v1beta1"].includes(version))) {
    refuse(
      "admissionReviewVersions",
      "A webhook must support a version of AdmissionReview.",
      'Name "v1".',
    );
  }
}

const VARIABLES = { object: DYN, oldObject: DYN, request: DYN, authorizer: DYN };

function checkConditions(webhook: WebhookModel, findings: Findings): void {
  const { matchConditions = [] } = webhook.entry;
  const place = at(webhook, "matchConditions");
  const names = new Set<string>();
  if (matchConditions.length > MAX_CONDITIONS) {
    findings.error(
      place,
      "wrong-match-condition",
      `A webhook takes ${MAX_CONDITIONS} match conditions, not ${matchConditions.length}.`,
      'Join some of them with "&&".',
    );
  }
  for (const { name = "", expression = "" } of matchConditions) {
    if (name === "" || names.has(name) || qualifiedNameErrors(name).length > 0) {
      findings.error(
        place,
        "wrong-match-condition",
        `The name "${name}" of a match condition is ${names.has(name) ? "used twice" : "not a valid Kubernetes name"}.`,
        'Use a unique name, such as "not-a-system-user".',
      );
    }
    names.add(name);
    const problem = problemOf(expression);
    if (problem === undefined) continue;
    findings.error(
      place,
      "wrong-match-condition",
      `The match condition ${name} cannot be compiled: ${problem}.`,
      "Fix the expression. It can use object, oldObject, request, and authorizer, and must evaluate to true or false.",
    );
  }
}

/**
 * The reason why an expression cannot be a condition. Calls of the authorizer are left to the API
 * server.
 */
function problemOf(expression: string): string | undefined {
  if (expression.trim() === "") return "it is empty";
  const compiled = compileExpression(expression, kubernetesEnvironment.withVariables(VARIABLES));
  if (!(compiled instanceof CompileFailure)) {
    const { kind } = compiled.type;
    return kind === "bool" || kind === "dyn" ? undefined : `it is not a boolean, but ${kind}`;
  }
  const ofAuthorizer = expression.includes("authorizer") && !compiled.message.includes("Syntax");
  return ofAuthorizer ? undefined : compiled.message.trim();
}
