/** Rules of the kind ValidatingWebhookConfiguration, most of which MutatingWebhookConfigurations have too. */
import type { MutatingWebhookConfiguration } from "../../../../generated/k8s/admissionregistration-v1.ts";
import { webhookConfigurationErrors } from "../../../../kube/webhooks/webhook-rules.ts";
import {
  ExpressionCompiler,
  conditionProblem,
} from "../../../admission/expressions/expressions.ts";
import type { Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { seesEmptied } from "../../generation.ts";
import { SHARED, setMatchDefaults } from "./policy-rules.ts";

export type WebhookConfiguration = Sent<MutatingWebhookConfiguration>;

export function setWebhookDefaults(object: WebhookConfiguration): void {
  for (const webhook of object.webhooks ?? []) {
    setMatchDefaults(webhook);
    webhook.failurePolicy ??= "Fail";
    webhook.timeoutSeconds ??= 10;
    for (const rule of webhook.rules ?? []) rule.scope ??= "*";
    if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= 443;
  }
}

export const validatingWebhookConfigurationRules: KindRules = {
  ...SHARED,
  generation: ["webhooks"],
  wrap: seesEmptied("webhooks"),
  setDefaults: setWebhookDefaults,
  validate: (object) =>
    webhookConfigurationErrors(object, conditionProblem(new ExpressionCompiler())),
  table: { Webhooks: "webhooks" },
};
