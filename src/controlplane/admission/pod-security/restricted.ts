/**
 * The checks that the level `restricted` adds.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
import { type Check, explicitSeccomp, hasOwnUsers, procMountViolation } from "./baseline.ts";
import { type CheckedContainer, type CheckedPod, containersOf } from "./pod-shape.ts";
import {
  type Violation,
  counted,
  namesOf,
  plural,
  quoted,
  setters,
  sorted,
  violationBy,
} from "./violation.ts";

/** Whether the pod runs on Windows, where some rules do not apply. */
const isOnWindows = ({ spec }: CheckedPod, minor: number): boolean =>
  minor >= 25 && spec.os?.name === "windows";

function allowPrivilegeEscalation(pod: CheckedPod, minor: number): Violation | undefined {
  if (minor < 8 || isOnWindows(pod, minor)) return undefined;
  return violationBy(
    pod,
    ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
    "allowPrivilegeEscalation != false",
    () => "must set securityContext.allowPrivilegeEscalation=false",
  );
}

function capabilities(pod: CheckedPod, minor: number): Violation | undefined {
  if (minor < 22 || isOnWindows(pod, minor)) return undefined;
  const containers = containersOf(pod.spec);
  const keeping = containers.filter(
    ({ securityContext }) => !securityContext?.capabilities?.drop?.includes("ALL"),
  );
  const added = ({ securityContext }: CheckedContainer): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((one) => one !== "NET_BIND_SERVICE");
  const adding = containers.filter((container) => added(container).length > 0);
  const details = [
    ...(keeping.length > 0
      ? [
          `${counted("container", namesOf(keeping))} must set securityContext.capabilities.drop=["ALL"]`,
        ]
      : []),
    ...(adding.length > 0
      ? [
          `${counted("container", namesOf(adding))} must not include ${quoted(sorted(adding.flatMap(added)))} in securityContext.capabilities.add`,
        ]
      : []),
  ];
  if (details.length === 0) return undefined;
  return { reason: "unrestricted capabilities", detail: details.join("; ") };
}

function procMount(pod: CheckedPod, minor: number): Violation | undefined {
  return minor >= 35 ? procMountViolation(pod) : undefined;
}

const ALLOWED_VOLUMES = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];
const OTHER_VOLUMES = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
];

function volumes({ spec }: CheckedPod): Violation | undefined {
  const bad = (spec.volumes ?? []).filter(
    (volume) => !ALLOWED_VOLUMES.some((type) => type in volume),
  );
  if (bad.length === 0) return undefined;
  const types = sorted(
    bad.map((volume) => OTHER_VOLUMES.find((type) => type in volume) ?? "unknown"),
  );
  const use = plural("uses", "use", bad.length);
  const what = plural("restricted volume type", "restricted volume types", types.length);
  const names = bad.map(({ name }) => name);
  return {
    reason: "restricted volume types",
    detail: `${counted("volume", names)} ${use} ${what} ${quoted(types)}`,
  };
}

function runAsNonRoot(pod: CheckedPod, minor: number): Violation | undefined {
  if (hasOwnUsers(pod, minor)) return undefined;
  const own = pod.spec.securityContext?.runAsNonRoot;
  const containers = containersOf(pod.spec);
  const bad = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === false);
  const reason = "runAsNonRoot != true";
  if (own === false || bad.length > 0) {
    const who = setters(own === false, namesOf(bad));
    return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  }
  const silent = containers.filter(
    ({ securityContext }) => securityContext?.runAsNonRoot === undefined,
  );
  if (own === true || silent.length === 0) return undefined;
  return {
    reason,
    detail: `pod or ${counted("container", namesOf(silent))} must set securityContext.runAsNonRoot=true`,
  };
}

function runAsUser(pod: CheckedPod, minor: number): Violation | undefined {
  if (minor < 23 || hasOwnUsers(pod, minor)) return undefined;
  const isOwn = pod.spec.securityContext?.runAsUser === 0;
  const bad = containersOf(pod.spec).filter(
    ({ securityContext }) => securityContext?.runAsUser === 0,
  );
  if (!isOwn && bad.length === 0) return undefined;
  return {
    reason: "runAsUser=0",
    detail: `${setters(isOwn, namesOf(bad))} must not set runAsUser=0`,
  };
}

function seccompProfile(pod: CheckedPod, minor: number): Violation | undefined {
  if (minor < 19 || isOnWindows(pod, minor)) return undefined;
  const explicit = explicitSeccomp(pod);
  if (explicit || pod.spec.securityContext?.seccompProfile) return explicit;
  const silent = containersOf(pod.spec).filter(
    ({ securityContext }) => !securityContext?.seccompProfile,
  );
  if (silent.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${counted("container", namesOf(silent))} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}

/** The checks in the order in which messages list them, after those of `baseline`. */
export const RESTRICTED: readonly Check[] = [
  allowPrivilegeEscalation,
  capabilities,
  procMount,
  volumes,
  runAsNonRoot,
  runAsUser,
  seccompProfile,
];
