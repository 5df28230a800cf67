/**
 * Finds the cluster, in the order of controller-runtime: the options of the caller, `KUBECONFIG`,
 * the pod of the process, `~/.kube/config`.
 */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { systemClock, type Clock } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import { followed } from "./followed-config.ts";
import { clusterConfigOf, parseKubeconfig, readKubeconfig } from "./kubeconfig.ts";
import type { KubeconfigFile } from "./kubeconfig-file.ts";
import type { Surroundings } from "./surroundings.ts";
import { readAuthorities, readWholeAuthorities } from "../transport/credentials/certificates.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import { proxyFromEnvironment } from "../transport/proxy.ts";
import { serverUrl } from "../transport/server-address.ts";
import { TokenFile } from "../transport/credentials/token-file.ts";
import { present } from "../../present.ts";

/** The options for finding a cluster. */
export interface ClusterConfigOptions {
  /** The path of a kubeconfig, the only source then. */
  readonly kubeconfig?: string;
  /** A kubeconfig as text (YAML or JSON), the only source then. */
  readonly kubeconfigText?: string;
  /** The context to use; the kubeconfig's current one when absent. */
  readonly context?: string;
  readonly clock?: Clock;
  /** The environment variables; those of the process when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The folder in which the kubelet mounts a pod's service account. */
  readonly serviceAccountFolder?: string;
  /**
   * `answerTimeoutMs` of the result: the time without any byte from the server after which a
   * request fails.
   */
  readonly answerTimeoutMs?: number;
  /**
   * Called with settings that work and should be fixed, as a sentence; they become warnings of the
   * process when absent.
   */
  readonly onWarning?: (message: string) => void;
}

/** The folder in which the kubelet mounts a pod's service account. */
const SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * The cluster and user of this process.
 *
 * @example
 * const config = loadClusterConfig({ kubeconfig: "other/kubeconfig" });
 *
 * @throws TsopError `no-cluster` when none is configured; `kubeconfig-...` when a kubeconfig cannot
 *   be used
 */
export function loadClusterConfig(options: ClusterConfigOptions = {}): ClusterConfig {
  const { answerTimeoutMs } = options;
  const config = findConfig(options);
  return answerTimeoutMs === undefined ? config : { ...config, answerTimeoutMs };
}

function findConfig(options: ClusterConfigOptions): ClusterConfig {
  const environment = options.environment ?? process.env;
  const surroundings: Surroundings = {
    clock: options.clock ?? systemClock,
    environment,
    warn:
      options.onWarning ??
      ((message) => {
        process.emitWarning(message, "TsopWarning");
      }),
  };
  const fromFiles = (paths: readonly string[]): ClusterConfig => {
    const existing = new Set<string>();
    return fromKubeconfig(options.context, surroundings, (note) => {
      paths.forEach(note);
      // Without it, the clusters and users of another file would take the place of its own.
      const missing = [...existing].find((path) => !existsSync(path));
      if (missing !== undefined) throw new Error(`${missing} does not exist`);
      for (const path of paths) if (existsSync(path)) existing.add(path);
      return readKubeconfig(paths);
    });
  };
  const { kubeconfigText } = options;
  if (kubeconfigText !== undefined) {
    return fromKubeconfig(options.context, surroundings, () => parseKubeconfig(kubeconfigText));
  }
  if (options.kubeconfig !== undefined) return fromFiles([options.kubeconfig]);
  const listed = listedIn(environment);
  if (listed.length > 0) return fromFiles(listed);
  const folder = options.serviceAccountFolder ?? SERVICE_ACCOUNT_FOLDER;
  const inCluster = inClusterConfig(folder, surroundings);
  if (inCluster) return inCluster;
  const home = homeKubeconfig(environment);
  if (existsSync(home)) return fromFiles([home]);
  throw new TsopError(
    "no-cluster",
    `No cluster is configured: KUBECONFIG is not set, this process is not in a pod, and there is no ${home}.`,
    "Set KUBECONFIG, or start a control plane with `tsop cluster` and use the kubeconfig that it prints.",
  );
}

/**
 * The configuration of a context, followed. The context stays the one of the first read: if
 * somebody switches the current context of the machine, a running process does not move to another
 * cluster.
 */
function fromKubeconfig(
  context: string | undefined,
  surroundings: Surroundings,
  read: (note: (path: string) => void) => KubeconfigFile,
): ClusterConfig {
  let chosen = context;
  return followed(surroundings, (reading) => {
    const kubeconfig = read(reading.note);
    chosen ??= kubeconfig.currentContext;
    return clusterConfigOf(kubeconfig, reading, chosen);
  });
}

/** The kubeconfigs of a user who names none: those of `KUBECONFIG`, or the one in the home folder. */
export function kubeconfigPaths(environment: Surroundings["environment"]): readonly string[] {
  const listed = listedIn(environment);
  return listed.length > 0 ? listed : [homeKubeconfig(environment)];
}

const listedIn = (environment: Surroundings["environment"]): readonly string[] =>
  (environment["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");

const homeKubeconfig = (environment: Surroundings["environment"]): string =>
  join(environment["HOME"] || homedir(), ".kube", "config");

/**
 * The configuration of a pod, from the kubelet: address, authority, namespace, and a token that is
 * renewed.
 */
function inClusterConfig(folder: string, surroundings: Surroundings): ClusterConfig | undefined {
  const { clock, environment } = surroundings;
  const host = environment["KUBERNETES_SERVICE_HOST"];
  const port = environment["KUBERNETES_SERVICE_PORT"];
  const tokenFile = join(folder, "token");
  if (!host || !port || !existsSync(tokenFile)) return undefined;
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const proxy = proxyFromEnvironment(serverUrl(server), environment);
  const caFile = join(folder, "ca.crt");
  const credentials = new TokenFile(tokenFile, clock);
  const namespace = readMounted(join(folder, "namespace"), (text) => text.trim()) || "default";
  let known: string | undefined;
  return followed(surroundings, ({ note, isRenewal }) => {
    note(caFile);
    const ca = readMounted(caFile, isRenewal ? readWholeAuthorities : readAuthorities);
    // A file that vanished means that the volume is being replaced, not that trust was withdrawn.
    if (ca === undefined && known !== undefined) throw new Error(`${caFile} does not exist`);
    known = ca;
    const trust = { ...present({ ca, proxy }), caFile };
    return { server, ...trust, credentials, namespace, inCluster: true };
  });
}

/** The content of a mounted file; `undefined` when it does not exist. */
function readMounted(path: string, read: (text: string) => string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return read(readFileSync(path, "utf8"));
  } catch (error) {
    throw new TsopError(
      "service-account-unreadable",
      `The pod's service account cannot be used: ${path}: ${messageOf(error)}.`,
      "Check the volume mounted there. The kubelet mounts it unless automountServiceAccountToken is false.",
      { cause: error },
    );
  }
}
