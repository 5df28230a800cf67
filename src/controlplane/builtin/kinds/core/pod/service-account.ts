/** Admission of the service account of a pod. */
import { SERVICE_ACCOUNTS } from "../../../tokens.ts";
import { quote } from "../../../../../kube/field-errors.ts";
import { pathSegmentErrors } from "../../../../../kube/names.ts";
import type { WriteContext } from "../../../../kinds.ts";
import { MIRROR } from "../../../shared/workloads/pod-spec.ts";
import {
  type Container,
  type PodSpec,
  allContainersOf,
  containersOf,
} from "../../../shared/pods/pod-shapes.ts";
import { ENFORCED } from "../shared.ts";
import { podForbidden } from "./forbidden.ts";
import type { Pod, ServiceAccount } from "./shape.ts";

const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
const NAME_LETTERS = "bcdfghjklmnpqrstvwxz2456789";

/** The strings that Go parses as true. */
const TRUE = new Set(["1", "t", "T", "TRUE", "true", "True"]);

/**
 * Applies the service account to a new pod: its pull secrets and, unless the pod or the account
 * opts out, a volume with its token.
 *
 * @throws StatusError 403 when the account does not exist, or limits its pods to secrets of which
 *   the pod uses another
 */
export function takeServiceAccount(pod: Pod, context: WriteContext): void {
  const { spec, metadata } = pod;
  if (metadata.annotations?.[MIRROR] !== undefined) {
    checkMirror(pod);
    return;
  }
  const name = spec.serviceAccountName ?? "default";
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
  const namespace = metadata.namespace ?? "";
  const account = context.find(SERVICE_ACCOUNTS, { namespace, name });
  if (!account) {
    const problems = pathSegmentErrors(name, false);
    const why =
      problems.length > 0
        ? `invalid resource name ${quote(name)}: [${problems.join(" ")}]`
        : `serviceaccount ${quote(name)} not found`;
    throw podForbidden(pod, `error looking up service account ${namespace}/${name}: ${why}`);
  }
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) {
    mountToken(spec, context);
  }
  if (!spec.imagePullSecrets?.length && account.imagePullSecrets) {
    spec.imagePullSecrets = structuredClone(account.imagePullSecrets);
  }
  if (TRUE.has(account.metadata.annotations?.[ENFORCED] ?? "")) limitSecrets(pod, account);
}

/**
 * Checks that a mirror pod, which stands for a pod made without the API, refers to no API objects.
 */
function checkMirror(pod: Pod): void {
  const { spec } = pod;
  if (spec.serviceAccountName) {
    throw podForbidden(pod, "a mirror pod may not reference service accounts");
  }
  if (usesSecrets(spec)) throw podForbidden(pod, "a mirror pod may not reference secrets");
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (sources.some((source) => source.serviceAccountToken !== undefined)) {
    throw podForbidden(pod, "a mirror pod may not use ServiceAccountToken volume projections");
  }
}

function usesSecrets(spec: PodSpec): boolean {
  const { imagePullSecrets = [], volumes = [] } = spec;
  return (
    imagePullSecrets.length > 0 ||
    allContainersOf(spec).some((container) => secretsOf(container).length > 0) ||
    volumes.some(({ secret, projected }) => secret ?? projected?.sources?.some((it) => it.secret))
  );
}

/** The secrets to which a container's environment refers, each with where. */
function secretsOf({
  env,
  envFrom,
}: Container): { readonly where: string; readonly name: string }[] {
  return [
    ...(env ?? []).flatMap(({ name, valueFrom }) =>
      valueFrom?.secretKeyRef
        ? [{ where: `envVar ${name}`, name: valueFrom.secretKeyRef.name ?? "" }]
        : [],
    ),
    ...(envFrom ?? []).flatMap(({ secretRef }) =>
      secretRef ? [{ where: "envFrom", name: secretRef.name ?? "" }] : [],
    ),
  ];
}

/** Limits a pod to the secrets that its account lists, if the account asks for that. */
function limitSecrets(pod: Pod, account: ServiceAccount): void {
  const { spec } = pod;
  const known = new Set((account.secrets ?? []).map(({ name }) => name));
  const end = `because service account ${account.metadata.name ?? ""} does not reference that`;
  for (const { secret } of spec.volumes ?? []) {
    const name = secret?.secretName ?? "";
    if (!secret || known.has(name)) continue;
    throw podForbidden(pod, `volume with secret.secretName="${name}" is not allowed ${end} secret`);
  }
  const containers = [
    ...(spec.initContainers ?? []).map((one) => ["init container", one] as const),
    ...(spec.containers ?? []).map((one) => ["container", one] as const),
  ];
  for (const [kind, container] of containers) {
    for (const { where, name } of secretsOf(container)) {
      if (known.has(name)) continue;
      const who = `${kind} ${container.name} with ${where}`;
      throw podForbidden(
        pod,
        `${who} referencing secret.secretName="${name}" is not allowed ${end} secret`,
      );
    }
  }
  const pulled = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  for (const [index, { name }] of (spec.imagePullSecrets ?? []).entries()) {
    if (pulled.has(name)) continue;
    throw podForbidden(
      pod,
      `imagePullSecrets[${index}].name="${name ?? ""}" is not allowed ${end} imagePullSecret`,
    );
  }
}

const NAMESPACE_FIELD = { apiVersion: "v1", fieldPath: "metadata.namespace" };

function mountToken(spec: PodSpec, context: WriteContext): void {
  const existing = spec.volumes?.find(({ name }) => name.startsWith("kube-api-access-"));
  const name = existing?.name ?? `kube-api-access-${randomSuffix(context)}`;
  let mounted = false;
  for (const container of containersOf(spec)) {
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === TOKEN_PATH)) continue;
    (container.volumeMounts ??= []).push({ name, readOnly: true, mountPath: TOKEN_PATH });
    mounted = true;
  }
  if (!mounted || existing) return;
  (spec.volumes ??= []).push({
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        { downwardAPI: { items: [{ path: "namespace", fieldRef: NAMESPACE_FIELD }] } },
      ],
    },
  });
}

function randomSuffix(context: WriteContext): string {
  const letter = (): string =>
    NAME_LETTERS[Math.floor(context.clock.random() * NAME_LETTERS.length)] ?? "";
  return Array.from({ length: 5 }, letter).join("");
}
