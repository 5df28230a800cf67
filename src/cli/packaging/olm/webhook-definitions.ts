/**
 * Webhooks as OLM knows them: it makes the Service, the certificate and the webhook configurations itself.
 *
 * @see https://olm.operatorframework.io/docs/advanced-tasks/adding-admission-and-conversion-webhooks/
 */
import { TsopError } from "../../../errors.ts";
import type { JsonObject, ManifestObject } from "../../../kube/object.ts";
import { CONVERSION_PATH } from "../../../kube/webhooks/webhook-marks.ts";
import type { MutatingWebhook } from "../../../generated/k8s/admissionregistration-v1.ts";
import type { Service, ServicePort } from "../../../generated/k8s/core-v1.ts";
import { isCrd, type Crd } from "../../project/crd.ts";
import type { OperatorDeployment } from "../../project/operator-deployment.ts";
import { tableOf } from "../../../table.ts";

/** The webhooks for a ClusterServiceVersion, and the objects that OLM makes in their place. */
export interface WebhookDefinitions {
  readonly definitions: readonly JsonObject[];
  readonly held: ReadonlySet<ManifestObject>;
  /** The Deployments that answer. */
  readonly answering: ReadonlySet<OperatorDeployment>;
}

interface WebhookConfiguration extends ManifestObject {
  readonly webhooks?: readonly MutatingWebhook[];
}

const TYPES = tableOf<string>({
  MutatingWebhookConfiguration: "MutatingAdmissionWebhook",
  ValidatingWebhookConfiguration: "ValidatingAdmissionWebhook",
});

/** The fields of a webhook that OLM takes over; it sets the selector of namespaces itself. */
const TAKEN = [
  "admissionReviewVersions",
  "failurePolicy",
  "matchPolicy",
  "objectSelector",
  "reinvocationPolicy",
  "rules",
  "sideEffects",
  "timeoutSeconds",
] as const;

/** @throws TsopError `bundle-webhook` for a webhook that OLM cannot make */
export function webhookDefinitions(
  objects: readonly ManifestObject[],
  deployments: readonly OperatorDeployment[],
): WebhookDefinitions {
  const definitions: JsonObject[] = [];
  const held = new Set<ManifestObject>();
  const answering = new Set<OperatorDeployment>();
  const server = (what: string, config: ClientConfig | undefined): JsonObject => {
    const { service, deployment, port, name } = serverOf(what, config, objects, deployments);
    held.add(service);
    answering.add(deployment);
    const { targetPort = port.port } = port;
    return {
      deploymentName: name,
      containerPort: port.port,
      targetPort,
      ...(config?.service?.path !== undefined && { webhookPath: config.service.path }),
    };
  };
  for (const configuration of objects.filter(isConfiguration)) {
    held.add(configuration);
    for (const webhook of configuration.webhooks ?? []) {
      const what = `The webhook ${webhook.name} of ${configuration.metadata.name}`;
      if (webhook.matchConditions?.length) {
        throw cannotMake(
          what,
          "has matchConditions, which a ClusterServiceVersion cannot express",
          "Check the conditions in the webhook itself, or install the operator with the chart.",
        );
      }
      definitions.push({
        type: TYPES.get(configuration.kind),
        generateName: webhook.name,
        ...server(what, webhook.clientConfig),
        ...Object.fromEntries(
          TAKEN.flatMap((field) => (webhook[field] === undefined ? [] : [[field, webhook[field]]])),
        ),
      });
    }
  }
  for (const crd of objects.filter(isConverted)) {
    const conversion = crd.spec.conversion?.webhook;
    const { name } = crd.metadata;
    definitions.push({
      type: "ConversionWebhook",
      generateName: `c${crd.spec.names.plural}.kb.io`,
      // OLM requires a path, and the operator replaces it.
      webhookPath: CONVERSION_PATH,
      ...server(`The conversion of ${name}`, conversion?.clientConfig),
      admissionReviewVersions: conversion?.conversionReviewVersions ?? ["v1"],
      sideEffects: "None",
      conversionCRDs: [name],
    });
  }
  return { definitions, held, answering };
}

/** Whether the CRD's versions are converted by a webhook. */
export const isConverted = (object: ManifestObject): object is Crd =>
  isCrd(object) && object.spec.conversion?.strategy === "Webhook";

type ClientConfig = MutatingWebhook["clientConfig"];

const isConfiguration = (object: ManifestObject): object is WebhookConfiguration =>
  TYPES.has(object.kind);

/** The Service, its port and the Deployment that a webhook's calls reach. */
function serverOf(
  what: string,
  config: ClientConfig | undefined,
  objects: readonly ManifestObject[],
  deployments: readonly OperatorDeployment[],
): {
  readonly service: ManifestObject;
  readonly deployment: OperatorDeployment;
  readonly port: ServicePort;
  readonly name: string;
} {
  const asked = config?.service;
  if (!asked) {
    throw cannotMake(
      what,
      "names no Service",
      "Let it call the operator's own Service, as `tsop manifests` writes it.",
    );
  }
  const service = objects.find(
    (object): object is ManifestObject & Service =>
      object.kind === "Service" &&
      object.metadata.name === asked.name &&
      object.metadata.namespace === asked.namespace,
  );
  const port = service?.spec?.ports?.find((one) => one.port === (asked.port ?? 443));
  const selector = Object.entries(service?.spec?.selector ?? {});
  const deployment = deployments.find(({ spec }) =>
    selector.every(([key, value]) => spec.template.metadata?.labels?.[key] === value),
  );
  if (!service || !port || !deployment) {
    throw cannotMake(
      what,
      `calls the Service ${asked.name}, behind which config/default renders no Deployment`,
      "Let its clientConfig name the operator's Service and one of its ports.",
    );
  }
  return { service, deployment, port, name: deployment.metadata.name };
}

function cannotMake(what: string, why: string, fix: string): TsopError {
  return new TsopError("bundle-webhook", `${what} ${why}: OLM cannot create it.`, fix);
}
