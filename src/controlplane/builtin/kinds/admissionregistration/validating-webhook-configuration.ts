/** Rules of the kind ValidatingWebhookConfiguration. */
import type { KindRules } from "../../strategies/kind-rules.ts";
import { WEBHOOK_CONFIGURATION, setValidatingWebhookDefaults, webhooks } from "./shared.ts";

/** The rules of ValidatingWebhookConfigurations. */
export const validatingWebhookConfigurationRules: KindRules = {
  ...WEBHOOK_CONFIGURATION,
  setDefaults: setValidatingWebhookDefaults,
  table: webhooks,
  metadataChecks: ["whole"],
  freeFinalizers: true,
  columnTexts: {
    Webhooks: "Webhooks indicates the number of webhooks registered in this configuration",
  },
};
