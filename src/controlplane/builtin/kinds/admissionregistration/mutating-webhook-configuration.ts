/** Rules of the kind MutatingWebhookConfiguration. */
import type { KindRules } from "../../strategies/kind-rules.ts";
import {
  WEBHOOK_CONFIGURATION,
  type WebhookConfiguration,
  setValidatingWebhookDefaults,
  webhooks,
} from "./shared.ts";

function setMutatingWebhookDefaults(object: WebhookConfiguration): void {
  setValidatingWebhookDefaults(object);
  for (const webhook of object.webhooks ?? []) {
    webhook.reinvocationPolicy ??= "Never";
  }
}

/** The rules of MutatingWebhookConfigurations. */
export const mutatingWebhookConfigurationRules: KindRules = {
  ...WEBHOOK_CONFIGURATION,
  setDefaults: setMutatingWebhookDefaults,
  table: webhooks,
  metadataChecks: ["whole"],
  freeFinalizers: true,
  columnTexts: {
    Webhooks: "Webhooks indicates the number of webhooks registered in this configuration",
  },
};
