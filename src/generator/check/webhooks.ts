/**
 * What the API server would refuse of webhook configurations.
 *
 * @module
 */
import { compileExpression, CompileFailure } from "../../kube/schema/cel/compile.ts";
import { kubernetesEnvironment } from "../../kube/schema/cel/libraries.ts";
import { DYN } from "../../kube/schema/cel/types.ts";
import { dns1123SubdomainErrors, qualifiedNameErrors } from "../../kube/names.ts";
import type { Findings } from "../findings.ts";
import type { WebhookModel } from "../model.ts";

/** Notes what is wrong with the webhooks of a project. */
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
  }
}

function checkName({ name, at }: WebhookModel, findings: Findings): void {
  if (dns1123SubdomainErrors(name).length === 0 && name.split(".").length >= 3) return;
  findings.error(
    at,
    "wrong-webhook",
    `The name "${name}" of a webhook is no DNS name of three parts or more.`,
    'Use a name below a domain of yours, such as "widget.shop.example.com".',
  );
}

/** The parts of an entry that options can get wrong. */
interface Entry {
  readonly admissionReviewVersions: readonly string[];
  readonly clientConfig: {
    readonly url?: string;
    readonly service?: { readonly path: string; readonly port?: number };
  };
  readonly rules: readonly [{ readonly operations: readonly string[] }];
  readonly timeoutSeconds?: number;
  readonly matchConditions?: readonly { readonly name?: string; readonly expression?: string }[];
}

const OPERATIONS = ["CREATE", "UPDATE", "DELETE", "CONNECT", "*"];
const MAX_TIMEOUT_SECONDS = 30;
const MAX_CONDITIONS = 64;

function checkEntry(webhook: WebhookModel, findings: Findings): void {
  const entry = webhook.entry as unknown as Entry;
  const refuse = (message: string, fix: string): void => {
    findings.error(webhook.at, "wrong-webhook", message, fix);
  };
  const { url, service } = entry.clientConfig;
  if (url !== undefined && !/^https:\/\/[^/?#@]+(?:\/[^?#]*)?$/.test(url)) {
    refuse(`A webhook cannot be asked at "${url}".`, "Write https://HOST/PATH.");
  }
  if (service && !/^\/(?:[^/?#]+(?:\/[^/?#]+)*\/?)?$/.test(service.path)) {
    refuse(`"${service.path}" is no path.`, 'Begin it with "/", and leave out "?" and "#".');
  }
  const { port = 443 } = service ?? {};
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    refuse(`There is no port ${port}.`, "Use 1 to 65535.");
  }
  const { timeoutSeconds: seconds = 10 } = entry;
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_TIMEOUT_SECONDS) {
    refuse(`A webhook cannot wait ${seconds} seconds.`, "Use 1 to 30.");
  }
  const [{ operations }] = entry.rules;
  const wrong = operations.find((operation) => !OPERATIONS.includes(operation));
  if (wrong !== undefined || operations.length === 0) {
    refuse(
      wrong === undefined ? "A webhook needs operations." : `There is no operation ${wrong}.`,
      `Use ${OPERATIONS.join(", ")}.`,
    );
  } else if (operations.includes("*") && operations.length > 1) {
    refuse('"*" is all operations already.', 'Leave out the others, or the "*".');
  }
  if (!entry.admissionReviewVersions.some((version) => ["v1", "v1beta1"].includes(version))) {
    refuse("A webhook has to understand a version of AdmissionReview.", 'Name "v1".');
  }
}

const VARIABLES = { object: DYN, oldObject: DYN, request: DYN, authorizer: DYN };

function checkConditions({ entry, at }: WebhookModel, findings: Findings): void {
  const { matchConditions = [] } = entry as unknown as Entry;
  const names = new Set<string>();
  if (matchConditions.length > MAX_CONDITIONS) {
    findings.error(
      at,
      "wrong-match-condition",
      `A webhook takes ${MAX_CONDITIONS} match conditions, not ${matchConditions.length}.`,
      'Join some of them with "&&".',
    );
  }
  for (const { name = "", expression = "" } of matchConditions) {
    if (name === "" || names.has(name) || qualifiedNameErrors(name).length > 0) {
      findings.error(
        at,
        "wrong-match-condition",
        `The name "${name}" of a match condition is ${names.has(name) ? "used twice" : "no name that Kubernetes takes"}.`,
        'Use a name of its own, such as "not-a-system-user".',
      );
    }
    names.add(name);
    const problem = problemOf(expression);
    if (problem === undefined) continue;
    findings.error(
      at,
      "wrong-match-condition",
      `The match condition ${name} cannot be compiled: ${problem}.`,
      "Correct the expression; it sees object, oldObject, request and authorizer, and says true or false.",
    );
  }
}

/** Why an expression cannot be a condition. Calls of the authorizer are left to the API server. */
function problemOf(expression: string): string | undefined {
  if (expression.trim() === "") return "it is empty";
  const compiled = compileExpression(expression, kubernetesEnvironment.withVariables(VARIABLES));
  if (!(compiled instanceof CompileFailure)) {
    const { kind } = compiled.type;
    return kind === "bool" || kind === "dyn" ? undefined : `it is no boolean, but ${kind}`;
  }
  const ofAuthorizer = expression.includes("authorizer") && !compiled.message.includes("Syntax");
  return ofAuthorizer ? undefined : compiled.message.trim();
}
