/**
 * The part of a deployment that belongs in a control plane whose operator runs outside of it: for
 * `tsop dev` and tests. Pure.
 */
import type { ManifestObject } from "../../kube/object.ts";

/** The folder of a project with the CRDs of others: installed there, and never deployed. */
export const EXTERNAL_CRDS = "config/external";

/** Groups of others that the scaffold's optional parts use: the control plane does not serve their kinds. */
const GROUPS_OF_OTHERS = ["cert-manager.io", "monitoring.coreos.com"];

/**
 * Whether the object is installed: the operator's own pods, their Service, and what others make of it (certificates,
 * monitoring) have nothing to do there.
 */
export const isInstalled = ({ apiVersion, kind }: ManifestObject): boolean =>
  kind !== "Deployment" &&
  kind !== "Service" &&
  !GROUPS_OF_OTHERS.some((group) => apiVersion.startsWith(`${group}/`));

/** The operator's identity: the service account of its Deployment; `undefined` when none is rendered. */
export function operatorUser(
  rendered: readonly ManifestObject[],
): { readonly namespace: string; readonly user: string; readonly groups: string[] } | undefined {
  const account = rendered.find(({ kind }) => kind === "ServiceAccount");
  if (!account) return undefined;
  const { namespace = "default", name } = account.metadata;
  return {
    namespace,
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
  };
}
