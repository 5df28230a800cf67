/**
 * The webhooks of an operator that runs in this machine, outside of the cluster: which of its objects ask it, and how
 * they are told where it is.
 */
import type { Clock } from "../../clock.ts";
import type { WebhookTarget } from "../../kube/webhooks/webhook-address.ts";
import type { ManifestObject } from "../../kube/object.ts";
import { issueServing, type ServingCertificate } from "../../runtime/webhook/certificates/issue.ts";

export interface WebhookConfiguration extends ManifestObject {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig: WebhookTarget }[];
}

export interface ConvertedCrd extends ManifestObject {
  readonly spec: {
    readonly conversion?: { readonly webhook?: { readonly clientConfig?: WebhookTarget } };
  };
}

const REGISTRATION_GROUP = "admissionregistration.k8s.io/";
const CONFIGURATIONS = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/** Whether the object says which webhooks are asked. */
export const isWebhookConfiguration = (object: ManifestObject): object is WebhookConfiguration =>
  CONFIGURATIONS.includes(object.kind) && object.apiVersion.startsWith(REGISTRATION_GROUP);

export const isConverted = (object: ManifestObject): object is ConvertedCrd =>
  object.kind === "CustomResourceDefinition" &&
  (object as ConvertedCrd).spec.conversion?.webhook?.clientConfig !== undefined;

/** The client configurations of the objects, in their order. */
function clientConfigsIn(objects: readonly ManifestObject[]): WebhookTarget[] {
  return objects.flatMap((object) => {
    if (isWebhookConfiguration(object)) {
      return (object.webhooks ?? []).map(({ clientConfig }) => clientConfig);
    }
    return isConverted(object) ? (object.spec.conversion?.webhook?.clientConfig ?? []) : [];
  });
}

/** The Services that the objects ask, as `namespace/name`. */
export function askedServices(objects: readonly ManifestObject[]): string[] {
  const services = clientConfigsIn(objects).flatMap(({ service }) =>
    service ? [`${service.namespace}/${service.name}`] : [],
  );
  return [...new Set(services)].sort();
}

/** The object with each of its client configurations changed. */
function withClientConfig(
  object: ManifestObject,
  change: (clientConfig: WebhookTarget) => WebhookTarget,
): ManifestObject {
  if (isWebhookConfiguration(object)) {
    const webhooks = (object.webhooks ?? []).map((webhook) => ({
      ...webhook,
      clientConfig: change(webhook.clientConfig),
    }));
    return { ...object, webhooks } as ManifestObject;
  }
  if (!isConverted(object)) return object;
  const { conversion } = object.spec;
  const clientConfig = change(conversion?.webhook?.clientConfig ?? {});
  const webhook = { ...conversion?.webhook, clientConfig };
  const spec = { ...object.spec, conversion: { ...conversion, webhook } };
  return { ...object, spec } as ManifestObject;
}

/** The objects with the authority that the API server is to trust; those that ask a URL stay as they are. */
export function withAuthority(
  objects: readonly ManifestObject[],
  { authority }: ServingCertificate,
): ManifestObject[] {
  const caBundle = encodeBundle(authority.certificate);
  return objects.map((object) =>
    withClientConfig(object, (config) => (config.service ? { ...config, caBundle } : config)),
  );
}

/**
 * The objects as they ask an address in place of Services.
 *
 * @param origin - such as `https://127.0.0.1:9443`
 */
export function askingAddress(
  objects: readonly ManifestObject[],
  origin: string,
  { authority }: ServingCertificate,
): ManifestObject[] {
  const caBundle = encodeBundle(authority.certificate);
  return objects.map((object) =>
    withClientConfig(object, (config) =>
      config.service ? { url: `${origin}${config.service.path ?? "/"}`, caBundle } : config,
    ),
  );
}

const encodeBundle = (certificate: string): string => Buffer.from(certificate).toString("base64");

/** A certificate for the Services, and for this machine; `undefined` where the objects ask no Service. */
export function certificateFor(
  objects: readonly ManifestObject[],
  clock: Clock,
  hosts: readonly string[] = [],
): ServingCertificate | undefined {
  const services = askedServices(objects);
  if (services.length === 0) return undefined;
  const names = services.map((service) => {
    const [namespace = "", name = ""] = service.split("/");
    return `${name}.${namespace}.svc`;
  });
  return issueServing({ names: ["localhost", "127.0.0.1", "::1", ...names, ...hosts] }, clock);
}
