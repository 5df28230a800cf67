/** The operator's Deployment as OLM runs it: the namespaces and the certificate come from OLM. */
import { TsopError } from "../../../errors.ts";
import { copyJson } from "../../../kube/json.ts";
import type { Container, EnvVar, PodSpec } from "../../../generated/k8s/core-v1.ts";
import type { OperatorDeployment } from "../../project/operator-deployment.ts";

/** The folder into which OLM mounts `tls.crt` and `tls.key` in Deployments that answer webhooks. */
const OLM_CERTIFICATE = "/tmp/k8s-webhook-server/serving-certs";
const CERTIFICATE_FLAG = "--webhook-cert-path=";

/** The namespaces that an OperatorGroup selects: OLM writes them on the pods. */
const TARGET_NAMESPACES = "metadata.annotations['olm.targetNamespaces']";

/**
 * The Deployment with the certificate that OLM mounts in place of its own.
 *
 * @returns the Secrets that it mounts no more, too
 * @throws TsopError `bundle-webhook`
 */
export function withOlmCertificate(deployment: OperatorDeployment): {
  readonly deployment: OperatorDeployment;
  readonly secrets: readonly string[];
} {
  const copy = copyJson(deployment);
  const pod = copy.spec.template.spec;
  const container = pod?.containers.find(({ args = [] }) =>
    args.some((arg) => arg.startsWith("--webhook-port")),
  );
  if (!pod || !container) {
    throw new TsopError(
      "bundle-webhook",
      `No container of the Deployment ${deployment.metadata.name} has the argument --webhook-port, so tsop cannot pass it the path where OLM mounts the certificate.`,
      "List the patch manager_webhook_patch.yaml in config/default/kustomization.yaml, as `tsop create webhook` does.",
    );
  }
  const args = container.args ?? [];
  const own = args.find((arg) => arg.startsWith(CERTIFICATE_FLAG));
  container.args = [...args.filter((arg) => arg !== own), `${CERTIFICATE_FLAG}${OLM_CERTIFICATE}`];
  const secrets =
    own === undefined ? [] : unmount(pod, container, own.slice(CERTIFICATE_FLAG.length));
  return { deployment: copy, secrets };
}

/** Takes out the volume at the path; returns the Secrets that it held. */
function unmount(pod: PodSpec, container: Container, path: string): string[] {
  const mount = container.volumeMounts?.find(({ mountPath }) => mountPath === path);
  if (!mount) return [];
  const mounts = container.volumeMounts?.filter((one) => one !== mount) ?? [];
  if (mounts.length > 0) container.volumeMounts = mounts;
  else delete container.volumeMounts;
  const all = [...pod.containers, ...(pod.initContainers ?? [])];
  if (all.some(({ volumeMounts = [] }) => volumeMounts.some(({ name }) => name === mount.name))) {
    return [];
  }
  const volume = pod.volumes?.find(({ name }) => name === mount.name);
  const volumes = pod.volumes?.filter((one) => one !== volume) ?? [];
  if (volumes.length > 0) pod.volumes = volumes;
  else delete pod.volumes;
  const secret = volume?.secret?.secretName;
  return secret === undefined ? [] : [secret];
}

/**
 * The Deployment with the namespaces of the OperatorGroup in place of its own.
 *
 * @returns `undefined` for a Deployment that does not ask for its namespace in `WATCH_NAMESPACE`
 */
export function withTargetNamespaces(
  deployment: OperatorDeployment,
): OperatorDeployment | undefined {
  const copy = copyJson(deployment);
  const asked = (copy.spec.template.spec?.containers ?? []).flatMap(({ env = [] }) =>
    env.filter(isOwnNamespace),
  );
  if (asked.length === 0) return undefined;
  for (const entry of asked) entry.valueFrom = { fieldRef: { fieldPath: TARGET_NAMESPACES } };
  return copy;
}

const isOwnNamespace = ({ name, valueFrom }: EnvVar): boolean =>
  name === "WATCH_NAMESPACE" && valueFrom?.fieldRef?.fieldPath === "metadata.namespace";

/** The images that a Deployment needs: those of its containers, and those in `RELATED_IMAGE_*`. */
export function imagesOf({ spec }: OperatorDeployment): { name: string; image: string }[] {
  const { containers = [], initContainers = [] } = spec.template.spec ?? {};
  return [...initContainers, ...containers].flatMap(({ name, image, env = [] }) => [
    ...(image === undefined ? [] : [{ name, image }]),
    ...env.flatMap((entry) =>
      entry.name.startsWith(RELATED) && entry.value
        ? [
            {
              name: entry.name.slice(RELATED.length).toLowerCase().replaceAll("_", "-"),
              image: entry.value,
            },
          ]
        : [],
    ),
  ]);
}

const RELATED = "RELATED_IMAGE_";
