/** What the contract tests run against: the embedded control plane, and the cluster of `TSOP_E2E_KUBECONFIG` where that is set. */
import { readFileSync } from "node:fs";
import { loadClusterConfig, type Client, type ClusterConfig } from "../../src/index.ts";
import { Namespace } from "../../src/k8s.ts";
import { createClient } from "../../src/runtime/client/create-client.ts";
import { startControlPlane, type ControlPlaneOptions } from "../../src/testing.ts";

const { TSOP_E2E_KUBECONFIG: real } = process.env;

/** Their names for a test's title, and the path of the kubeconfig of the real one. */
export const TARGETS: readonly (readonly [title: string, kubeconfig: string | undefined])[] = [
  ["the embedded control plane", undefined],
  ...(real === undefined ? [] : [["the cluster of TSOP_E2E_KUBECONFIG", real] as const]),
];

/** One of them, with namespaces of the test's own. */
export interface Target {
  readonly config: ClusterConfig;
  readonly client: Client;
  /** For the names of what is in no namespace. */
  readonly run: string;
  readonly namespaces: readonly [string, string];
  /** Cuts all connections, where the target lets itself be told to. */
  dropConnections(): void;
  /** Deletes the namespaces, and so all that is in them. */
  end(): Promise<void>;
}

/** Connects to a target. Most of what is tested is between a client and an API server: the embedded one has no controllers. */
export async function connect(
  kubeconfig: string | undefined,
  { controllers = "off", clock }: Pick<ControlPlaneOptions, "controllers" | "clock"> = {},
): Promise<Target> {
  const cluster =
    kubeconfig === undefined
      ? await startControlPlane({ controllers, ...(clock && { clock }) })
      : undefined;
  const config = loadClusterConfig({
    kubeconfigText: cluster?.kubeconfig ?? readFileSync(kubeconfig ?? "", "utf8"),
  });
  const client = createClient(config);
  const run = `tsop-e2e-${Date.now().toString(36)}-${process.pid}`;
  const namespaces = [`${run}-a`, `${run}-b`] as const;
  for (const name of namespaces) {
    await client.create(Namespace, { metadata: { name, labels: { "tsop-e2e": run } } });
  }
  return {
    config,
    client,
    run,
    namespaces,
    dropConnections: () => cluster?.dropConnections(),
    async end() {
      for (const name of namespaces) await client.delete(Namespace, { name });
      await cluster?.stop();
    },
  };
}
