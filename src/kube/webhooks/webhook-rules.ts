/**
 * Validation of configurations of admission webhooks.
 *
 * @see https://pkg.go.dev/k8s.io/kubernetes/pkg/apis/admissionregistration/validation
 */
import {
  type FieldError,
  duplicate,
  invalidValue,
  notSupported,
  required,
  tooMany,
  nameErrorsAt,
} from "../field-errors.ts";
import { dns1035LabelErrors, dns1123SubdomainErrors, qualifiedNameErrors } from "../names.ts";
import type { SentObject } from "../object.ts";
import { selectorErrors } from "../selectors/selector-rules.ts";
import type { LabelSelector } from "../selectors/selector.ts";
import { type WebhookClientConfig, webhookAddressErrors } from "./webhook-address.ts";

/** A rule, which matches requests. */
export interface WebhookRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  /** Only of policies: the names of the objects; all when empty. */
  readonly resourceNames?: readonly string[];
}

/** A condition in CEL that limits a webhook to certain requests. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** A webhook of a configuration of either kind, not validated yet. */
export interface ConfiguredWebhook {
  readonly name?: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly WebhookRule[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly reinvocationPolicy?: string;
}

/** Why an expression cannot be a match condition; `undefined` when it can. */
export type ConditionProblem = (expression: string) => string | undefined;

const OPERATIONS = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES = ["*", "Cluster", "Namespaced"];
const REVIEW_VERSIONS = ["v1", "v1beta1"];
const NO_SIDE_EFFECTS = ["None", "NoneOnDryRun"];
const MAX_CONDITIONS = 64;
const MAX_TIMEOUT_SECONDS = 30;

/** All errors of the webhooks of a configuration, of either kind. */
export function webhookConfigurationErrors(
  object: SentObject,
  problemOf: ConditionProblem,
): FieldError[] {
  const { webhooks } = object as SentObject & { webhooks?: readonly ConfiguredWebhook[] | null };
  const names = new Set<string>();
  return (webhooks ?? []).flatMap((webhook, index) => {
    const path = `webhooks[${index}]`;
    const errors = [
      ...webhookErrors(path, webhook, problemOf),
      ...reviewVersionErrors(`${path}.admissionReviewVersions`, webhook.admissionReviewVersions),
    ];
    const { name = "" } = webhook;
    if (name !== "" && names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    return errors;
  });
}

function webhookErrors(
  path: string,
  webhook: ConfiguredWebhook,
  problemOf: ConditionProblem,
): FieldError[] {
  const { sideEffects, timeoutSeconds, clientConfig } = webhook;
  const errors = [
    ...fullNameErrors(`${path}.name`, webhook.name ?? ""),
    ...(webhook.rules ?? []).flatMap((rule, index) => ruleErrors(`${path}.rules[${index}]`, rule)),
    ...optionalWord(`${path}.failurePolicy`, webhook.failurePolicy, ["Fail", "Ignore"]),
    ...optionalWord(`${path}.matchPolicy`, webhook.matchPolicy, ["Equivalent", "Exact"]),
  ];
  if (sideEffects === undefined) {
    const known = NO_SIDE_EFFECTS.join(", ");
    errors.push(required(`${path}.sideEffects`, `must specify one of ${known}`));
  } else errors.push(...optionalWord(`${path}.sideEffects`, sideEffects, NO_SIDE_EFFECTS));
  if (
    timeoutSeconds !== undefined &&
    (timeoutSeconds < 1 || timeoutSeconds > MAX_TIMEOUT_SECONDS)
  ) {
    const rule = "the timeout value must be between 1 and 30 seconds";
    errors.push(invalidValue(`${path}.timeoutSeconds`, timeoutSeconds, rule));
  }
  return [
    ...errors,
    ...selectorErrors(`${path}.namespaceSelector`, webhook.namespaceSelector),
    ...selectorErrors(`${path}.objectSelector`, webhook.objectSelector),
    ...optionalWord(`${path}.reinvocationPolicy`, webhook.reinvocationPolicy, [
      "IfNeeded",
      "Never",
    ]),
    ...webhookAddressErrors(clientConfig, `${path}.clientConfig`),
    ...conditionErrors(`${path}.matchConditions`, webhook.matchConditions, problemOf),
  ];
}

/** Errors of a word that may be absent. */
function optionalWord(
  field: string,
  value: string | undefined,
  known: readonly string[],
): FieldError[] {
  return value === undefined || known.includes(value) ? [] : [notSupported(field, value, known)];
}

function fullNameErrors(field: string, name: string): FieldError[] {
  if (name === "") return [required(field)];
  const problems = dns1123SubdomainErrors(name);
  if (problems.length > 0) return [invalidValue(field, name, problems.join(","))];
  if (name.split(".").length >= 3) return [];
  const rule = "should be a domain with at least three segments separated by dots";
  return [invalidValue(field, name, rule)];
}

/** Errors of a rule of a webhook or a policy. */
export function ruleErrors(path: string, rule: WebhookRule): FieldError[] {
  const { scope } = rule;
  const [operations, apiGroups] = [rule.operations ?? [], rule.apiGroups ?? []];
  const [apiVersions, resources] = [rule.apiVersions ?? [], rule.resources ?? []];
  return [
    ...wildcardErrors(`${path}.operations`, operations, "operations"),
    ...operations.flatMap((one, index) =>
      optionalWord(`${path}.operations[${index}]`, one, OPERATIONS),
    ),
    ...wildcardErrors(`${path}.apiGroups`, apiGroups, "API groups"),
    ...wildcardErrors(`${path}.apiVersions`, apiVersions, "API versions"),
    ...apiVersions.flatMap((version, index) =>
      version === "" ? [required(`${path}.apiVersions[${index}]`)] : [],
    ),
    ...resourceErrors(`${path}.resources`, resources),
    ...optionalWord(`${path}.scope`, scope, SCOPES),
  ];
}

function wildcardErrors(field: string, values: readonly string[], what: string): FieldError[] {
  if (values.length === 0) return [required(field)];
  if (values.length === 1 || !values.includes("*")) return [];
  return [invalidValue(field, values, `if '*' is present, must not specify other ${what}`)];
}

function resourceErrors(field: string, resources: readonly string[]): FieldError[] {
  if (resources.length === 0) return [required(field)];
  const errors: FieldError[] = [];
  const [allParts, allResources] = [new Set<string>(), new Set<string>()];
  resources.forEach((name, index) => {
    const at = `${field}[${index}]`;
    if (name === "") errors.push(required(at));
    const slash = name.indexOf("/");
    if (slash < 0) return;
    const [resource, part] = [name.slice(0, slash), name.slice(slash + 1)];
    const refuse = (other: string): number =>
      errors.push(invalidValue(at, name, `if '${other}' is present, must not specify ${name}`));
    if (allParts.has(resource)) refuse(`${resource}/*`);
    if (allResources.has(part)) refuse(`*/${part}`);
    if (part === "*") allParts.add(resource);
    if (resource === "*") allResources.add(part);
  });
  if (resources.length > 1 && resources.includes("*/*")) {
    const rule = "if '*/*' is present, must not specify other resources";
    errors.push(invalidValue(field, resources, rule));
  }
  const lastWhole = resources.findLast((name) => name !== "" && !name.includes("/"));
  if (resources.includes("*") && lastWhole !== "*") {
    const rule = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalidValue(field, resources, rule));
  }
  return errors;
}

function reviewVersionErrors(
  field: string,
  given: readonly string[] | null | undefined,
): FieldError[] {
  const versions = given ?? [];
  const known = REVIEW_VERSIONS.join(", ");
  if (versions.length === 0) return [required(field, `must specify one of ${known}`)];
  const errors = versions.flatMap((version, index) => {
    const at = `${field}[${index}]`;
    if (versions.indexOf(version) < index) return [invalidValue(at, version, "duplicate version")];
    return nameErrorsAt(at, version, dns1035LabelErrors);
  });
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return errors;
  return [...errors, invalidValue(field, versions, `must include at least one of ${known}`)];
}

/** Errors of the match conditions of a webhook or of a policy. */
export function conditionErrors(
  field: string,
  given: readonly Partial<MatchCondition>[] | null | undefined,
  problemOf: ConditionProblem,
): FieldError[] {
  const conditions = given ?? [];
  const errors: FieldError[] = [];
  if (conditions.length > MAX_CONDITIONS) {
    errors.push(tooMany(field, conditions.length, MAX_CONDITIONS));
  }
  const names = new Set<string>();
  conditions.forEach(({ name = "", expression = "" }, index) => {
    const at = `${field}[${index}]`;
    const trimmed = expression.trim();
    if (trimmed === "") errors.push(required(`${at}.expression`));
    else {
      const problem = problemOf(trimmed);
      if (problem !== undefined) errors.push(invalidValue(`${at}.expression`, trimmed, problem));
    }
    if (name === "") errors.push(required(`${at}.name`));
    else errors.push(...nameErrorsAt(`${at}.name`, name, qualifiedNameErrors));
    if (name !== "" && names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
  });
  return errors;
}
