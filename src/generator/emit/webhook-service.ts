/**
 * The Service before the operator's webhooks, and what kustomize has to know so that CRDs follow its name.
 */
import { WEBHOOK_SERVICE } from "../../kube/webhooks/certificate-rights.ts";
import type { JsonObject } from "../../kube/object.ts";
import { OPERATOR_NAMESPACE } from "../../kube/webhooks/webhook-marks.ts";

/** The Service before the operator, as manifests name it before kustomize does. */
export const SERVICE_ADDRESS = { name: WEBHOOK_SERVICE, namespace: OPERATOR_NAMESPACE } as const;

/** Whether a client configuration (of a webhook, or of a conversion) asks the operator's Service. */
export function asksService(clientConfig: unknown): boolean {
  const { service } = (clientConfig ?? {}) as { service?: JsonObject };
  const { name, namespace } = SERVICE_ADDRESS;
  return service?.["name"] === name && service["namespace"] === namespace;
}

/** The port at which the runtime answers unless a flag says otherwise. */
const WEBHOOK_PORT = 9443;

/** The Service; its selector is that of the scaffolded Deployment. */
export function webhookService(projectName: string): JsonObject {
  const name = { "app.kubernetes.io/name": projectName };
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      ...SERVICE_ADDRESS,
      labels: { ...name, "app.kubernetes.io/managed-by": "kustomize" },
    },
    spec: {
      ports: [{ port: 443, protocol: "TCP", targetPort: WEBHOOK_PORT }],
      selector: { "control-plane": "controller-manager", ...name },
    },
  };
}

/**
 * The configuration that tells kustomize that CRDs name Services; of configurations of webhooks it
 * knows.
 */
export const CRD_NAME_REFERENCES: JsonObject = {
  nameReference: [
    {
      kind: "Service",
      version: "v1",
      fieldSpecs: [
        {
          kind: "CustomResourceDefinition",
          version: "v1",
          group: "apiextensions.k8s.io",
          path: "spec/conversion/webhook/clientConfig/service/name",
        },
      ],
    },
  ],
};
