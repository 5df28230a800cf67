/** Webhooks that the API server cannot trust. */
import { isJsonObject } from "../../../kube/json.ts";
import type { Rule } from "../rule.ts";
import { listAt, objectAt, textAt, valueAt } from "../values.ts";

const INJECTED = [
  "cert-manager.io/inject-ca-from",
  "cert-manager.io/inject-ca-from-secret",
  "cert-manager.io/inject-apiserver-ca",
  "service.beta.openshift.io/inject-cabundle",
];

export const webhookWithoutCertificate: Rule = {
  name: "webhook-without-certificate",
  about:
    "A webhook configuration, or the conversion of a CustomResourceDefinition, has no caBundle, and nothing injects one, so every matching request fails.",
  example: "kind: ValidatingWebhookConfiguration\nwebhooks: [{ clientConfig: { service: {} } }]",
  *find({ manifests, isKustomized, project }) {
    // The operator, or a replacement of config/default, fills it in.
    if (project?.certificates !== undefined) return;
    for (const manifest of manifests) {
      const annotations = objectAt(manifest.value, ["metadata", "annotations"]);
      if (INJECTED.some((name) => name in annotations) || isKustomized(manifest.file)) continue;
      const isConfiguration = /^(?:Validating|Mutating)WebhookConfiguration$/.test(manifest.kind);
      const clients = isConfiguration
        ? listAt(manifest.value, ["webhooks"]).map((_one, index) => [
            "webhooks",
            index,
            "clientConfig",
          ])
        : manifest.kind === "CustomResourceDefinition"
          ? [["spec", "conversion", "webhook", "clientConfig"]]
          : [];
      for (const path of clients) {
        const client = valueAt(manifest.value, path);
        if (!isJsonObject(client) || !("service" in client) || textAt(client, ["caBundle"]) !== "")
          continue;
        yield {
          place: manifest.at(path),
          message: `${manifest.kind} ${manifest.name} calls a webhook without a caBundle.`,
          fix: "Let cert-manager inject it (annotation cert-manager.io/inject-ca-from: NAMESPACE/CERTIFICATE), or add the CA certificate in base64.",
        };
      }
    }
  },
};
