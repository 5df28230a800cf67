/** Makes a control plane call the webhooks of a test's process. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  askedServices,
  certificateFor,
  isConverted,
  isWebhookConfiguration,
  withAuthority,
} from "../cli/cluster/local-webhooks.ts";
import { systemClock } from "../clock.ts";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import { TsopError } from "../errors.ts";
import type { ManifestObject } from "../kube/object.ts";
import { conversionOf, webhooksOf } from "../kube/webhooks/webhook-marks.ts";
import type { CertificatePaths } from "../runtime/serving/certificate-files.ts";
import type { WebhookServerOptions } from "../runtime/webhook/certificate.ts";
import type { ServingCertificate } from "../runtime/webhook/certificates/issue.ts";
import type { WebhookHandler } from "../runtime/webhook/handlers.ts";
import { clientFor } from "./access.ts";
import { applyTo, renderDefault } from "./manifests.ts";

/**
 * Makes the control plane call webhooks that this process serves: those of `handlers`, and the
 * conversions. They are called as `config/default` says, at the server that `createManager({
 * webhooks })` opens; requests wait until it listens.
 *
 * @example
 * const config = await installOperator(cluster);
 * const validator = new WidgetValidator();
 * const webhooks = await installWebhooks(cluster, [validator]);
 * const manager = createManager({ config, webhooks });
 * manager.webhooks.add(validator);
 *
 * @param handlers - the handlers for `manager.webhooks.add`: other webhooks of the project are not
 *   called
 * @param folder - the project's `config` folder
 * @throws TsopError `no-manifests` when they were not generated; `webhook-not-in-manifests`
 */
export async function installWebhooks(
  controlPlane: ControlPlane,
  handlers: readonly WebhookHandler[],
  folder = "config",
): Promise<WebhookServerOptions> {
  const rendered = await renderDefault(folder);
  const asked = asking(rendered, handlers);
  const certificate = certificateFor(asked, systemClock);
  if (!certificate) throw notAsked(handlers.map((handler) => handler.constructor.name));
  const client = clientFor(controlPlane);
  let opened: (address: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => {
    opened = resolve;
  });
  for (const service of askedServices(asked)) controlPlane.routeService(service, address);
  for (const object of withAuthority(asked, certificate)) await applyTo(client, object);
  return {
    port: 0,
    host: "127.0.0.1",
    certificate: writeCertificate(certificate),
    listening: (port) => {
      opened(`127.0.0.1:${port}`);
    },
  };
}

/** The configurations and CRDs for the handlers; of each configuration, only their webhooks. */
function asking(
  rendered: readonly ManifestObject[],
  handlers: readonly WebhookHandler[],
): ManifestObject[] {
  const paths = new Map(
    handlers.flatMap((handler) =>
      webhooksOf(handler).map(({ path }) => [path, handler.constructor.name] as const),
    ),
  );
  const found = new Set<string | undefined>();
  const configurations = rendered.filter(isWebhookConfiguration).flatMap((configuration) => {
    const webhooks = (configuration.webhooks ?? []).filter(({ clientConfig }) => {
      const path = clientConfig.service?.path;
      if (path !== undefined && paths.has(path)) found.add(path);
      return path !== undefined && paths.has(path);
    });
    return webhooks.length === 0 ? [] : [{ ...configuration, webhooks }];
  });
  const missing = [...paths].filter(([path]) => !found.has(path)).map(([, name]) => name);
  if (missing.length > 0) throw notAsked(missing);
  const converts = handlers.some((handler) => conversionOf(handler) !== undefined);
  return [...configurations, ...(converts ? rendered.filter(isConverted) : [])];
}

/** Files that are removed when the process ends. */
function writeCertificate({ certificate, key }: ServingCertificate): CertificatePaths {
  const folder = mkdtempSync(join(tmpdir(), "tsop-webhooks-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const paths = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
  writeFileSync(paths.certFile, certificate);
  writeFileSync(paths.keyFile, key, { mode: 0o600 });
  return paths;
}

function notAsked(names: readonly string[]): TsopError {
  return new TsopError(
    "webhook-not-in-manifests",
    `No manifest of config/default asks ${[...new Set(names)].join(", ")}.`,
    "Run `npx tsop manifests`, and check that config/default/kustomization.yaml lists ../webhook.",
  );
}
