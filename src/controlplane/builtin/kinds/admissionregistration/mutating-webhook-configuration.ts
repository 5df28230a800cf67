import type { KindRules } from "../../kind-rules.ts";
import {
  type WebhookConfiguration,
  setWebhookDefaults,
  validatingWebhookConfigurationRules,
} from "./validating-webhook-configuration.ts";

export const mutatingWebhookConfigurationRules: KindRules = {
  ...validatingWebhookConfigurationRules,
  setDefaults(object: WebhookConfiguration) {
    setWebhookDefaults(object);
    for (const webhook of object.webhooks ?? []) webhook.reinvocationPolicy ??= "Never";
  },
};
