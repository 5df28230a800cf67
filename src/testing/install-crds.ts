/** CRDs in a control plane. */
import { TsopError } from "../errors.ts";
import type { KubeObject, ManifestObject } from "../kube/object.ts";
import type { ResourceType } from "../kube/resource.ts";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import { clientFor } from "./access.ts";
import { readManifestPath } from "./manifests.ts";

interface Crd extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

/** A CRD as a literal in a test. */
export interface CrdManifest extends ManifestObject {
  readonly spec?: unknown;
}

export const CRD: ResourceType<Crd> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

/**
 * Installs the CRDs of others that an operator's tests need, and resolves when their kinds are
 * served. Other objects are refused.
 *
 * @example
 * await installCrds(cluster, "test/fixtures/cert-manager.crds.yaml", "test/fixtures/gateway-api");
 *
 * @param crds - files and folders of YAML or JSON, which must exist, and objects
 * @throws TsopError `crds-unreadable` for a path without objects, `crds-only`, `crd-not-served`
 */
export async function installCrds(
  controlPlane: ControlPlane,
  ...crds: readonly (string | CrdManifest)[]
): Promise<void> {
  const objects: ManifestObject[] = [];
  for (const one of crds) {
    if (typeof one === "string") objects.push(...(await readManifestPath(one)));
    else objects.push(one);
  }
  const other = objects.find(({ kind }) => kind !== CRD.kind);
  if (other) {
    throw new TsopError(
      "crds-only",
      `${other.kind} ${other.metadata.name} is not a CustomResourceDefinition.`,
      "Pass only CRDs; create other objects with a client.",
    );
  }
  await applyCrds(controlPlane, objects);
}

/** Applies CRDs, and resolves when they are served. @throws TsopError `crd-not-served` */
export async function applyCrds(
  controlPlane: ControlPlane,
  crds: readonly ManifestObject[],
): Promise<void> {
  const client = clientFor(controlPlane);
  for (const crd of crds) await client.apply(CRD, crd);
  await controlPlane.settle();
  for (const { metadata } of crds) {
    const name = metadata.name;
    const { status } = await client.get(CRD, { name });
    const conditions = status?.conditions ?? [];
    if (conditions.some(({ type, status }) => type === "Established" && status === "True"))
      continue;
    const reason =
      conditions.find(({ status }) => status === "False")?.message ?? "no reason given";
    throw new TsopError(
      "crd-not-served",
      `The kind of the CRD ${name} is not served: ${reason}.`,
      "Look at its conditions, and for another CRD with the same names.",
    );
  }
}
