/**
 * Finds the cluster to speak to, in the order of controller-runtime: what the caller names, `KUBECONFIG`,
 * the pod that the process runs in, `~/.kube/config`.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { systemClock, type Clock } from "../../clock.ts";
import { TsopError } from "../../errors.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { clusterConfigOf, parseKubeconfig, readKubeconfig } from "./kubeconfig.ts";
import { TokenFile } from "./token-file.ts";

/** Where to look. */
export interface ClusterConfigOptions {
  /** The path of a kubeconfig; nothing else is looked at then. */
  readonly kubeconfig?: string;
  /** A kubeconfig as text (YAML or JSON); nothing else is looked at then. */
  readonly kubeconfigText?: string;
  /** The context to use; the kubeconfig's current one when absent. */
  readonly context?: string;
  readonly clock?: Clock;
  /** The environment variables; those of the process when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Where the kubelet mounts a pod's service account. */
  readonly serviceAccountFolder?: string;
}

/** Where the kubelet mounts the service account of a pod. */
const SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * The cluster and user to work with.
 *
 * @throws TsopError `no-cluster` when nothing says which; `kubeconfig-...` when a kubeconfig is no good
 */
export function loadClusterConfig(options: ClusterConfigOptions = {}): ClusterConfig {
  const environment = options.environment ?? process.env;
  const surroundings = { clock: options.clock ?? systemClock, environment };
  if (options.kubeconfigText !== undefined) {
    return clusterConfigOf(parseKubeconfig(options.kubeconfigText), surroundings, options.context);
  }
  if (options.kubeconfig !== undefined) {
    if (!existsSync(options.kubeconfig)) {
      throw new TsopError(
        "kubeconfig-missing",
        `There is no kubeconfig at ${options.kubeconfig}.`,
        "Check the path.",
      );
    }
    return clusterConfigOf(readKubeconfig([options.kubeconfig]), surroundings, options.context);
  }
  const listed = (environment["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  if (listed.length > 0) {
    return clusterConfigOf(readKubeconfig(listed), surroundings, options.context);
  }
  const folder = options.serviceAccountFolder ?? SERVICE_ACCOUNT_FOLDER;
  const inCluster = inClusterConfig(folder, surroundings.clock, environment);
  if (inCluster) return inCluster;
  const home = join(environment["HOME"] ?? homedir(), ".kube", "config");
  if (existsSync(home)) {
    return clusterConfigOf(readKubeconfig([home]), surroundings, options.context);
  }
  throw new TsopError(
    "no-cluster",
    `Nothing says which cluster to use: KUBECONFIG is not set, this is no pod, and there is no ${home}.`,
    "Set KUBECONFIG, or start a control plane with `tsop cluster` and use the kubeconfig that it prints.",
  );
}

/** What the kubelet gives each pod: address, authority, namespace, and a token that it renews. */
function inClusterConfig(
  folder: string,
  clock: Clock,
  environment: Readonly<Record<string, string | undefined>>,
): ClusterConfig | undefined {
  const host = environment["KUBERNETES_SERVICE_HOST"];
  const port = environment["KUBERNETES_SERVICE_PORT"];
  const tokenFile = join(folder, "token");
  if (!host || !port || !existsSync(tokenFile)) return undefined;
  const caFile = join(folder, "ca.crt");
  const namespaceFile = join(folder, "namespace");
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    ...(existsSync(caFile) ? { ca: readFileSync(caFile, "utf8") } : {}),
    credentials: new TokenFile(tokenFile, clock),
    namespace: existsSync(namespaceFile) ? readFileSync(namespaceFile, "utf8").trim() : "default",
  };
}
