/**
 * What an operator's tests import: a control plane in the test's process, the operator's own manifests
 * in it, and `eventually`.
 *
 * @module
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseAllDocuments } from "yaml";
import { renderKustomization } from "./cli/kustomize/render.ts";
import { EXTERNAL_CRDS, isInstalled, operatorUser } from "./cli/operator/installed.ts";
import {
  askedServices,
  certificateFor,
  isConverted,
  isWebhookConfiguration,
  withAuthority,
} from "./cli/operator/local-webhooks.ts";
import { systemClock, VirtualClock, type Clock } from "./clock.ts";
import type { ControlPlane } from "./controlplane/control-plane.ts";
import { messageOf, TsopError } from "./errors.ts";
import type { KubeObject } from "./kube/object.ts";
import type { ResourceType } from "./kube/resource.ts";
import { conversionOf, webhooksOf } from "./kube/webhook-marks.ts";
import type { Client } from "./runtime/client/client.ts";
import { createClient } from "./runtime/client/create-client.ts";
import type { CertificatePaths } from "./runtime/manager/certificate-files.ts";
import type { ClusterConfig } from "./runtime/transport/cluster-config.ts";
import { FaultyTransport, type Faults } from "./runtime/transport/faulty-transport.ts";
import { HttpsTransport } from "./runtime/transport/https-transport.ts";
import { loadClusterConfig } from "./runtime/transport/load-config.ts";
import type { WebhookServerOptions } from "./runtime/webhook/certificate.ts";
import type { ServingCertificate } from "./runtime/webhook/certificates/issue.ts";
import type { WebhookHandler } from "./runtime/webhook/handlers.ts";

export { VirtualClock } from "./clock.ts";
export {
  checkConversion,
  type CheckConversionOptions,
  type ConversionReport,
} from "./testing/check-conversion.ts";
export {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from "./controlplane/control-plane.ts";
export { silentLogger } from "./log.ts";
export {
  type FaultCounts,
  type Faults,
  FaultyTransport,
} from "./runtime/transport/faulty-transport.ts";
export { HttpsTransport } from "./runtime/transport/https-transport.ts";
export {
  type Reply,
  ScriptedTransport,
  type SeenRequest,
} from "./runtime/transport/scripted-transport.ts";

/**
 * The way to a cluster on which a share of everything goes wrong, for `createManager({ transport })`.
 *
 * @param share - how often what: `{ reset: 0.05, status: { 429: 0.1 } }`
 * @param clock - a `VirtualClock` draws the same faults for the same seed
 */
export function faults(
  config: ClusterConfig,
  share: Faults,
  clock: Clock = systemClock,
): FaultyTransport {
  return new FaultyTransport(new HttpsTransport(config, "faults"), clock, share);
}

/** Which seed is run alone, to see again what it did: `TSOP_SEED=17 npx vitest run`. */
const SEED = "TSOP_SEED";

/**
 * Runs a simulation for the seeds from 1 to `count`, each on a clock of its own on which timers that are due together run
 * in an order of the seed's. The environment's `TSOP_SEED` runs one alone.
 *
 * @throws Error with the seed and how to replay it; its cause is what `run` threw
 */
export async function withSeeds(
  count: number,
  run: (clock: VirtualClock, seed: number) => Promise<void>,
): Promise<void> {
  const alone = Number(process.env[SEED] ?? 0);
  const seeds = alone > 0 ? [alone] : Array.from({ length: count }, (_, index) => index + 1);
  for (const seed of seeds) {
    try {
      await run(new VirtualClock({ seed, shuffle: true }), seed);
    } catch (error) {
      const again = `${SEED}=${seed} runs it again.`;
      throw new Error(`seed ${seed}: ${messageOf(error)}\n${again}`, { cause: error });
    }
  }
}

/** How long `eventually` keeps trying. */
export interface EventuallyOptions {
  /** 4 s when absent: less than the 5 s after which vitest ends a test, which would hide what `check` threw. */
  readonly timeoutMs?: number;
  /** Between two tries: 20 ms when absent. */
  readonly intervalMs?: number;
  readonly clock?: Clock;
}

/**
 * Tries `check` until it does not throw, and returns its value: for what a controller will have done soon.
 *
 * @throws what `check` threw last, when the time is over
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<T> {
  const { timeoutMs = 4000, intervalMs = 20, clock = systemClock } = options;
  const until = clock.monotonicMs() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (clock.monotonicMs() >= until) throw error;
    }
    await clock.sleep(intervalMs);
  }
}

/** A client with all rights, for what the test itself does. */
export function clientFor(controlPlane: ControlPlane): Client {
  return createClient(loadClusterConfig({ kubeconfigText: controlPlane.kubeconfig }), {
    name: "test",
  });
}

/**
 * Installs what `tsop deploy` would: all that `config/default` renders, but for the operator's own pods, their Service,
 * and the configurations of webhooks, which `installWebhooks` brings. CRDs of others, in `config/external`, come first.
 *
 * @param folder - the project's `config` folder
 * @returns the access of the operator's service account: `createManager({ config })` may then do what its roles say, and
 *   no more
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
  for (const crd of crds) await client.apply(CRD, crd);
  for (const crd of crds) await established(client, crd.metadata.name ?? "");
  for (const object of objects) {
    if (object.kind !== CRD.kind) await applyTo(client, object);
  }
  const operator = operatorUser(rendered);
  const kubeconfigText = operator ? controlPlane.kubeconfigFor(operator) : controlPlane.kubeconfig;
  return loadClusterConfig({ kubeconfigText });
}

/**
 * Has the control plane ask webhooks that this process serves: those of `handlers`, and the conversions. Each is asked as
 * `config/default` says, at the server that `createManager({ webhooks })` opens; requests wait until it listens.
 *
 * @example
 * const config = await installOperator(cluster);
 * const validator = new WidgetValidator();
 * const webhooks = await installWebhooks(cluster, [validator]);
 * const manager = createManager({ config, webhooks });
 * manager.webhooks.add(validator);
 *
 * @param handlers - what is given to `manager.webhooks.add`: other webhooks of the project are not asked
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
  const certificate = await certificateFor(asked, systemClock);
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

/** The objects that ask the handlers, and of each configuration the webhooks that do. */
function asking(
  rendered: readonly KubeObject[],
  handlers: readonly WebhookHandler[],
): KubeObject[] {
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

/** Files that go when the process ends. */
function writeCertificate({ certificate, key }: ServingCertificate): CertificatePaths {
  const folder = mkdtempSync(join(tmpdir(), "tsop-webhooks-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const paths = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
  writeFileSync(paths.certFile, certificate);
  writeFileSync(paths.keyFile, key, { mode: 0o600 });
  return paths;
}

function renderDefault(folder: string): Promise<KubeObject[]> {
  return renderKustomization(join(folder, "default")).catch((error: unknown) => {
    throw noManifests(error);
  });
}

async function applyTo(client: Client, object: KubeObject): Promise<void> {
  await client.apply(await client.dynamic(object.apiVersion, object.kind), object);
}

function notAsked(names: readonly string[]): TsopError {
  return new TsopError(
    "webhook-not-in-manifests",
    `No manifest of config/default asks ${[...new Set(names)].join(", ")}.`,
    "Run `npx tsop manifests`, and see that config/default/kustomization.yaml lists ../webhook.",
  );
}

interface Crd extends KubeObject {
  readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
}

const CRD: ResourceType<Crd> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

function established(client: Client, name: string): Promise<void> {
  return eventually(async () => {
    const { status } = await client.get(CRD, { name });
    const condition = status?.conditions?.find(({ type }) => type === "Established");
    if (condition?.status !== "True") throw new Error(`The CRD ${name} is not established.`);
  });
}

/** The objects in the files of a folder, which need not be there. */
async function readFolder(folder: string): Promise<KubeObject[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".yaml")).sort();
  return (await Promise.all(files.map((name) => readManifests(join(folder, name))))).flat();
}

async function readManifests(path: string): Promise<KubeObject[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw noManifests(error);
  });
  return parseAllDocuments(text)
    .map((document) => document.toJS() as KubeObject | null)
    .filter((object) => object !== null);
}

function noManifests(cause: unknown): TsopError {
  return new TsopError(
    "no-manifests",
    `The operator's manifests cannot be read: ${messageOf(cause)}.`,
    "Run `npx tsop manifests` in the project's folder, and the tests from there.",
    { cause },
  );
}
