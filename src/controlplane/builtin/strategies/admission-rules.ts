/**
 * Configurations of webhooks, admission policies and their bindings: defaults, and who checks them.
 *
 * @module
 */
import { type FieldError, required } from "../../../kube/field-errors.ts";
import type { SentObject } from "../../../kube/object.ts";
import {
  mutatingBindingErrors,
  validatingBindingErrors,
} from "../../admission/policies/match-errors.ts";
import { paramKindRights, paramRefRights } from "../../admission/policies/param-rights.ts";
import {
  mutatingPolicyErrors,
  validatingPolicyErrors,
} from "../../admission/policies/policy-errors.ts";
import type { WriteContext } from "../../kinds.ts";
import type { KindRules } from "./kind-rules.ts";
import { type ShownCondition, conditionsErrors } from "./validation/conditions.ts";
import { conditionProblem, ExpressionCompiler } from "../../admission/expressions.ts";
import { webhookConfigurationErrors } from "../../../kube/webhook-rules.ts";

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

interface WebhookConfiguration extends SentObject {
  webhooks?: Webhook[];
}

interface Configuration extends SentObject {
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

function setValidatingWebhookDefaults(object: SentObject): void {
  for (const webhook of (object as WebhookConfiguration).webhooks ?? []) {
    setMatchDefaults(webhook);
    webhook.failurePolicy ??= "Fail";
    webhook.timeoutSeconds ??= 10;
    for (const rule of webhook.rules ?? []) rule.scope ??= "*";
    if (webhook.clientConfig.service) webhook.clientConfig.service.port ??= 443;
  }
}

function setMutatingWebhookDefaults(object: SentObject): void {
  setValidatingWebhookDefaults(object);
  for (const webhook of (object as WebhookConfiguration).webhooks ?? []) {
    webhook.reinvocationPolicy ??= "Never";
  }
}

function setPolicyDefaults(object: SentObject): void {
  const { spec } = object as Configuration;
  spec.failurePolicy ??= "Fail";
  if (spec.matchConstraints) setMatchDefaults(spec.matchConstraints);
}

function setBindingDefaults(object: SentObject): void {
  const { matchResources } = (object as Configuration).spec;
  if (matchResources) setMatchDefaults(matchResources);
}

const WEBHOOK_CONFIGURATION: KindRules = {
  generation: ["webhooks"],
  generationSeesEmpty: true,
  conditionalUpdate: true,
  validate: (object) =>
    webhookConfigurationErrors(object, conditionProblem(new ExpressionCompiler())),
};

/** The rules of MutatingWebhookConfigurations. */
export const MUTATING_WEBHOOKS: KindRules = {
  ...WEBHOOK_CONFIGURATION,
  setDefaults: setMutatingWebhookDefaults,
};

/** The rules of ValidatingWebhookConfigurations. */
export const VALIDATING_WEBHOOKS: KindRules = {
  ...WEBHOOK_CONFIGURATION,
  setDefaults: setValidatingWebhookDefaults,
};

/** What differs between kinds of policies: their own errors. */
type Errors = (object: SentObject, old?: SentObject) => FieldError[];
/** Rights are asked about only for what is fine otherwise. */
type Rights = (
  object: SentObject,
  old: SentObject | undefined,
  context: WriteContext,
) => FieldError[];

function checkedBy(errors: Errors, rights: Rights): KindRules {
  const check = (
    object: SentObject,
    old: SentObject | undefined,
    context: WriteContext,
  ): FieldError[] => {
    const found = errors(object, old);
    return found.length > 0 ? found : rights(object, old, context);
  };
  return {
    generation: ["spec"],
    conditionalUpdate: true,
    validateCreate: (object, context) => check(object, undefined, context),
    validateUpdate: check,
  };
}

/** The rules of MutatingAdmissionPolicies. */
export const MUTATING_POLICY: KindRules = {
  ...checkedBy(mutatingPolicyErrors, paramKindRights),
  setDefaults: setPolicyDefaults,
};

/** The rules of MutatingAdmissionPolicyBindings. */
export const MUTATING_BINDING: KindRules = {
  ...checkedBy(mutatingBindingErrors, (object, _old, context) =>
    paramRefRights(object, context, "mutatingadmissionpolicies"),
  ),
  setDefaults: setBindingDefaults,
};

/** The rules of ValidatingAdmissionPolicies. */
export const VALIDATING_POLICY: KindRules = {
  ...checkedBy(validatingPolicyErrors, paramKindRights),
  status: "none",
  setDefaults: setPolicyDefaults,
  validateStatus: policyStatusErrors,
};

/** The rules of ValidatingAdmissionPolicyBindings. */
export const VALIDATING_BINDING: KindRules = {
  ...checkedBy(validatingBindingErrors, (object, _old, context) =>
    paramRefRights(object, context, "validatingadmissionpolicies"),
  ),
  setDefaults: setBindingDefaults,
};

function policyStatusErrors(object: SentObject): FieldError[] {
  const { typeChecking, conditions } = (object as Configuration).status ?? {};
  const warnings = (typeChecking?.expressionWarnings ?? []).flatMap(
    ({ warning = "", fieldRef = "" }, index) => {
      const at = `status.typeChecking.expressionWarnings[${index}]`;
      return [
        ...(warning === "" ? [required(`${at}.warning`)] : []),
        ...(fieldRef.trim() === "" ? [required(`${at}.fieldRef`)] : []),
      ];
    },
  );
  return [...warnings, ...conditionsErrors("status.conditions", conditions)];
}
