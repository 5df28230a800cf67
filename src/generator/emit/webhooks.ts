/** Turns webhooks into their configurations: the mutating ones first, sorted by name. */
import type { ManifestObject } from "../../kube/object.ts";
import type { WebhookEntry, WebhookModel } from "../model.ts";

/** A configuration object of several webhooks. */
export interface WebhookConfiguration extends ManifestObject {
  readonly webhooks: readonly WebhookEntry[];
}

/** The configuration objects of all webhooks. */
export function webhookConfigurations(webhooks: readonly WebhookModel[]): WebhookConfiguration[] {
  return [true, false].flatMap((mutating) => {
    const own = webhooks.filter((webhook) => webhook.mutating === mutating);
    const names = [...new Set(own.map(({ configuration }) => configuration))].sort();
    return names.map((name) => ({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: mutating ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration",
      metadata: { name },
      webhooks: own
        .filter(({ configuration }) => configuration === name)
        .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
        .map(({ entry }) => entry),
    }));
  });
}
