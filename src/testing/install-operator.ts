/** Installs an operator's project into a control plane, as `tsop deploy` would. */
import { basename, join } from "node:path";
import { EXTERNAL_CRDS, isInstalled, operatorUser } from "../cli/project/installed.ts";
import {
  askedServices,
  isConverted,
  isWebhookConfiguration,
} from "../cli/cluster/local-webhooks.ts";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import type { ManifestObject } from "../kube/object.ts";
import type { ClusterConfig } from "../runtime/transport/cluster-config.ts";
import { accessOf, clientFor } from "./access.ts";
import { applyCrds, CRD } from "./install-crds.ts";
import { applyTo, readFolder, renderDefault } from "./manifests.ts";

/**
 * Installs what `tsop deploy` would: everything that `config/default` renders, except for the
 * operator's own pods, their Service, and the configurations of webhooks, which `installWebhooks`
 * installs. CRDs of others, in `config/external`, come first.
 *
 * @example
 * const clock = new VirtualClock();
 * await using cluster = await startControlPlane({ clock, listen: false });
 * const manager = createManager({ config: await installOperator(cluster) });
 *
 * @param folder - the project's `config` folder
 * @returns the access of the operator's service account, in its namespace: `createManager({ config
 *   })` then has exactly the rights of its roles
 * @throws TsopError `no-manifests` when they were not generated
 */
export async function installOperator(
  controlPlane: ControlPlane,
  folder = "config",
): Promise<ClusterConfig> {
  const client = clientFor(controlPlane);
  const rendered = await renderDefault(folder);
  const external = await readFolder(join(folder, basename(EXTERNAL_CRDS)));
  const installed = rendered.filter((one) => isInstalled(one) && !isWebhookConfiguration(one));
  const objects = [...external, ...installed];
  const crds = objects.filter(({ kind }) => kind === CRD.kind);
  const own = new Set(rendered.filter(({ kind }) => kind === "Service").map(serviceName));
  for (const crd of crds.filter(isConverted)) refuseConversion(controlPlane, crd, own);
  await applyCrds(controlPlane, crds);
  for (const object of objects) {
    if (object.kind !== CRD.kind) await applyTo(client, object);
  }
  const identity = operatorUser(rendered);
  const access = accessOf(controlPlane, identity);
  return identity ? { ...access, namespace: identity.namespace } : access;
}

/**
 * Until a test serves the conversion of a kind, requests that need it fail, with the next step in
 * the message.
 */
function refuseConversion(
  controlPlane: ControlPlane,
  crd: ManifestObject,
  own: ReadonlySet<string>,
): void {
  const { name } = crd.metadata;
  for (const service of askedServices([crd])) {
    const why = own.has(service)
      ? `this test serves no conversion of ${name}: add \`const webhooks = await installWebhooks(cluster, [conversion]);\`, createManager({ config, webhooks }) and manager.webhooks.add(conversion), with an object of its class in src/webhooks`
      : `the versions of ${name} are converted by ${service}, which is not part of this operator and does not run here: use the stored version`;
    controlPlane.routeService(service, Promise.reject(new Error(why)));
  }
}

const serviceName = ({ metadata }: ManifestObject): string =>
  `${metadata.namespace ?? ""}/${metadata.name}`;
