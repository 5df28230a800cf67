/** Pods as far as the Pod Security Standards look at them. */
import type { ObjectMeta, SentObject } from "../../../kube/object.ts";
import type { ResourceName } from "../../resource-name.ts";

interface Typed {
  readonly type?: string;
}

/** The fields that the security contexts of a pod and of its containers share. */
interface SharedContext {
  readonly appArmorProfile?: Typed;
  readonly seccompProfile?: Typed;
  readonly seLinuxOptions?: Typed & { readonly user?: string; readonly role?: string };
  readonly windowsOptions?: { readonly hostProcess?: boolean };
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
}

interface HostAction {
  readonly httpGet?: { readonly host?: string };
  readonly tcpSocket?: { readonly host?: string };
}

/** A container of any kind. */
export interface CheckedContainer {
  readonly name: string;
  readonly image?: string;
  readonly ports?: readonly { readonly hostPort?: number }[] | null;
  readonly securityContext?: SharedContext & {
    readonly allowPrivilegeEscalation?: boolean;
    readonly privileged?: boolean;
    readonly procMount?: string;
    readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  };
  readonly livenessProbe?: HostAction;
  readonly readinessProbe?: HostAction;
  readonly startupProbe?: HostAction;
  readonly lifecycle?: { readonly postStart?: HostAction; readonly preStop?: HostAction };
}

/** The spec of a pod. */
export interface CheckedSpec {
  readonly containers?: readonly CheckedContainer[];
  readonly initContainers?: readonly CheckedContainer[];
  readonly ephemeralContainers?: readonly CheckedContainer[];
  readonly volumes?: readonly (object & { readonly name: string })[];
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly hostUsers?: boolean;
  readonly os?: { readonly name?: string };
  readonly securityContext?: SharedContext & {
    readonly sysctls?: readonly { readonly name: string }[];
  };
}

/** A pod, or a pod template. */
export interface CheckedPod {
  readonly metadata?: ObjectMeta;
  readonly spec: CheckedSpec;
}

/** All containers, in the order in which they start. */
export function containersOf(spec: CheckedSpec): readonly CheckedContainer[] {
  return [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ];
}

/** Pods, read as far as the standards look at them. */
export const CHECKED_PODS: ResourceName<SentObject & CheckedPod> = { group: "", plural: "pods" };
