/** Rules that webhook configurations, admission policies and their bindings share. */
import type { FieldError } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { selectorText } from "../../../../kube/selectors/selector-text.ts";
import { webhookConfigurationErrors } from "../../../../kube/webhooks/webhook-rules.ts";
import { ExpressionCompiler, conditionProblem } from "../../../admission/expressions.ts";
import type { TablePrinter, WriteContext } from "../../../kinds.ts";
import { at, textAt } from "../../at.ts";
import type { ShownCondition } from "../../shared/conditions.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import {
  ageColumn,
  column,
  countColumn,
  nameColumn,
  printer,
  textColumn,
} from "../../tables/column.ts";

interface MatchResources {
  matchPolicy?: string;
  namespaceSelector?: object;
  objectSelector?: object;
  resourceRules?: { scope?: string }[];
  excludeResourceRules?: { scope?: string }[];
}

interface Webhook extends MatchResources {
  failurePolicy?: string;
  timeoutSeconds?: number;
  reinvocationPolicy?: string;
  rules?: { scope?: string }[];
  clientConfig: { service?: { port?: number } };
}

export interface WebhookConfiguration extends SentObject {
  webhooks?: Webhook[];
}

export interface Configuration extends SentObject {
  spec: {
    failurePolicy?: string;
    matchConstraints?: MatchResources;
    matchResources?: MatchResources;
  };
  status?: {
    typeChecking?: { expressionWarnings?: { fieldRef?: string; warning?: string }[] | null };
    conditions?: ShownCondition[];
  };
}

function setMatchDefaults(match: MatchResources): void {
  match.matchPolicy ??= "Equivalent";
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) {
    rule.scope ??= "*";
  }
}

export function setValidatingWebhookDefaults(object: WebhookConfiguration): void {
  for (const webhook of object.webhooks ?? []) {
    setMatchDefaults(webhook);
    webhook.failurePolicy ??= "Fail";
    webhook.timeoutSeconds ??= 10;
    for (const rule of webhook.rules ?? []) rule.scope ??= "*";
    if (webhook.clientConfig.service) webhook.clientConfig.service.port ??= 443;
  }
}

export function setPolicyDefaults(object: Configuration): void {
  const { spec } = object;
  spec.failurePolicy ??= "Fail";
  if (spec.matchConstraints) setMatchDefaults(spec.matchConstraints);
}

export function setBindingDefaults(object: Configuration): void {
  const { matchResources } = object.spec;
  if (matchResources) setMatchDefaults(matchResources);
}

export const WEBHOOK_CONFIGURATION: KindRules = {
  generation: ["webhooks"],
  generationSeesEmpty: true,
  conditionalUpdate: true,
  validate: (object) =>
    webhookConfigurationErrors(object, conditionProblem(new ExpressionCompiler())),
};

/** Checks the rights of the user, but only for an object that is valid otherwise. */
export function checkedBy<Checked extends SentObject>(
  errors: (object: Checked, old?: Checked) => FieldError[],
  rights: (object: Checked, old: Checked | undefined, context: WriteContext) => FieldError[],
): KindRules {
  const check = (
    object: Checked,
    old: Checked | undefined,
    context: WriteContext,
  ): FieldError[] => {
    const found = errors(object, old);
    return found.length > 0 ? found : rights(object, old, context);
  };
  return {
    generation: ["spec"],
    conditionalUpdate: true,
    validateCreate: (object: Checked, context) => check(object, undefined, context),
    validateUpdate: (object: Checked, old: Checked, context) => check(object, old, context),
  };
}

function paramKind(policy: SentObject): string {
  const kind = at(policy, "spec.paramKind");
  return kind ? `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}` : "<unset>";
}

function paramReference(binding: SentObject): string {
  const name = textAt(binding, "spec.paramRef.name");
  if (name !== "") return `${textAt(binding, "spec.paramRef.namespace", "*")}/${name}`;
  const selector = at(binding, "spec.paramRef.selector");
  return selector ? selectorText(selector) : "<unset>";
}

export const webhooks = printer([nameColumn, countColumn("Webhooks", "webhooks"), ageColumn]);

export const policyBinding = printer([
  nameColumn,
  textColumn("PolicyName", "spec.policyName"),
  column("ParamRef", paramReference),
  ageColumn,
]);

export const admissionPolicy = (count: string, path: string): TablePrinter =>
  printer([nameColumn, countColumn(count, path), column("ParamKind", paramKind), ageColumn]);
