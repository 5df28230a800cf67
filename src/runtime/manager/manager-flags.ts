/** The flags that the scaffolded Deployment passes, and the manager's options for them. */
import { TsopError } from "../../errors.ts";
import type { LogFormat } from "../../logging/line-forms.ts";
import { LevelTable, type LogLevels } from "../../logging/log-levels.ts";
import { formatNamed } from "../../logging/standard-output.ts";
import { present } from "../../present.ts";
import type { WebhookServerOptions } from "../webhook/certificate.ts";
import type { FlagOptions, FlagValues } from "./flags.ts";
import type { LeaderElectionOptions } from "../leader-election/leader-election.ts";
import type { ManagerOptions } from "./manager-options.ts";
import type { CertificatePaths } from "../serving/certificate-files.ts";
import type { MetricsEndpoint } from "../serving/health.ts";

/**
 * The flags of every operator, for `readFlags`: `--leader-elect`, `--metrics-port`,
 * `--metrics-cert-path`, `--metrics-insecure`, `--health-port`, `--debug-port`, `--log-level`,
 * `--log-format`. Without its flag a feature stays off.
 *
 * @example
 * const flags = readFlags({ ...managerFlags, "dry-run": { type: "boolean", help: "write nothing" } });
 */
export const managerFlags = {
  "leader-elect": {
    type: "boolean",
    help: "elect a leader: of several replicas, one works at a time",
  },
  "metrics-port": { type: "port", help: "serve /metrics over TLS to authorized clients" },
  "metrics-cert-path": {
    type: "string",
    help: "a folder with tls.crt and tls.key; without it, self-signed",
  },
  "metrics-insecure": {
    type: "boolean",
    help: "serve /metrics in clear text, to this machine only",
  },
  "health-port": { type: "port", help: "serve /healthz and /readyz" },
  "debug-port": {
    type: "port",
    help: "keep a journal for `tsop why`, served to this machine only",
  },
  "log-level": {
    type: "string",
    help: "debug, info, warn or error, and levels of components: info,controller/web=debug",
    placeholder: "levels",
    check: (levels) => void new LevelTable(levels),
  },
  "log-format": {
    type: "string",
    help: "json or text (text on a terminal, json elsewhere)",
    placeholder: "format",
    check: (format) => void formatNamed(format),
  },
} as const satisfies FlagOptions;

/**
 * The flags of an operator with webhooks, for `readFlags`: `--webhook-port`, `--webhook-cert-path`, `--webhook-name-prefix`,
 * `--webhook-client-ca`, and `--webhook-client-names`.
 *
 * @example
 * const flags = readFlags({ ...managerFlags, ...webhookFlags });
 */
export const webhookFlags = {
  "webhook-port": { type: "port", help: "serve webhooks for the API server" },
  "webhook-cert-path": {
    type: "string",
    help: "a folder with tls.crt and tls.key; without it, self-managed",
  },
  "webhook-name-prefix": {
    type: "string",
    help: "the prefix of the names of the deployed objects, for a self-managed certificate",
  },
  "webhook-client-ca": {
    type: "string",
    help: "a file with the CA of the API servers' client certificates; without it, all clients",
  },
  "webhook-client-names": {
    type: "string",
    help: "the common names of these certificates, with commas; without them, all of the CA",
  },
} as const satisfies FlagOptions;

/**
 * The values of `managerFlags`, as options of `createManager`.
 *
 * @param leaderElection - the Lease that replicas started with `--leader-elect` compete for
 *
 * @example
 * const flags = readFlags({ ...managerFlags });
 * const manager = createManager({
 *   name: "shop",
 *   ...managerOptions(flags, { leaderElection: { id: "shop.example.com" } }),
 * });
 */
export function managerOptions(
  flags: FlagValues<typeof managerFlags>,
  { leaderElection }: { readonly leaderElection: LeaderElectionOptions },
): Pick<
  ManagerOptions,
  "leaderElection" | "metrics" | "health" | "debug" | "logLevel" | "logFormat"
> {
  const health = flags["health-port"];
  const debug = flags["debug-port"];
  return present({
    leaderElection: flags["leader-elect"] ? leaderElection : undefined,
    metrics: metricsEndpoint(flags),
    health: health === undefined ? undefined : { port: health },
    debug: debug === undefined ? undefined : { port: debug },
    // `readFlags` has checked both.
    logLevel: flags["log-level"] as LogLevels | undefined,
    logFormat: flags["log-format"] as LogFormat | undefined,
  });
}

/**
 * The values of `webhookFlags`, as options of `createManager`: no server without `--webhook-port`.
 *
 * @param namePrefix - the prefix of the names of the project's objects in the deployment, as in
 *   `SelfManagedCertificate`; `--webhook-name-prefix` replaces it
 *
 * @example
 * const flags = readFlags({ ...managerFlags, ...webhookFlags });
 * const manager = createManager({
 *   name: "shop",
 *   ...managerOptions(flags, { leaderElection: { id: "shop.example.com" } }),
 *   ...webhookOptions(flags, { namePrefix: "shop-" }),
 * });
 */
export function webhookOptions(
  flags: FlagValues<typeof webhookFlags>,
  { namePrefix }: { readonly namePrefix: string },
): { readonly webhooks?: WebhookServerOptions } {
  const port = flags["webhook-port"];
  const folder = flags["webhook-cert-path"];
  if (port === undefined) return {};
  const certificate =
    folder === undefined
      ? { selfManaged: { namePrefix: flags["webhook-name-prefix"] ?? namePrefix } }
      : certificateIn(folder);
  return { webhooks: { port, certificate, ...clientsOf(flags) } };
}

/** @throws TsopError `bad-flag` for names without an authority */
function clientsOf(flags: FlagValues<typeof webhookFlags>): Pick<WebhookServerOptions, "clients"> {
  const caFile = flags["webhook-client-ca"];
  const names = flags["webhook-client-names"];
  if (caFile !== undefined)
    return { clients: { caFile, ...present({ names: names?.split(",") }) } };
  if (names === undefined) return {};
  throw new TsopError(
    "bad-flag",
    "--webhook-client-names is given without --webhook-client-ca, so no certificate is verified.",
    "Add --webhook-client-ca with the file of the authority that signs the certificates.",
  );
}

function metricsEndpoint(flags: FlagValues<typeof managerFlags>): MetricsEndpoint | undefined {
  const port = flags["metrics-port"];
  const folder = flags["metrics-cert-path"];
  if (port === undefined) return undefined;
  if (flags["metrics-insecure"]) return { port, host: "127.0.0.1" };
  return {
    port,
    reviewed: true,
    tls: folder === undefined ? "self-signed" : certificateIn(folder),
  };
}

/** The file names of the kubelet and cert-manager. */
function certificateIn(folder: string): CertificatePaths {
  return { certFile: `${folder}/tls.crt`, keyFile: `${folder}/tls.key` };
}
