/** Configurations whose files are renewed while they are in use. */
import type { ClusterConfig } from "./cluster-config.ts";

const RENEWED = [
  "server",
  "ca",
  "caFile",
  "serverName",
  "skipTlsVerify",
  "proxy",
  "credentials",
  "impersonate",
] as const satisfies readonly (keyof ClusterConfig)[];

/**
 * The configuration with the renewed fields. A field that the program replaced or removed after the
 * configuration was read stays as the program wants it.
 */
export function withRenewed(
  config: ClusterConfig,
  first: ClusterConfig,
  now: ClusterConfig,
): ClusterConfig {
  if (now === first) return config;
  const renewed = RENEWED.filter((field) => config[field] === first[field]);
  const merged: Record<string, unknown> = { ...config };
  for (const field of renewed) {
    if (now[field] === undefined) delete merged[field];
    else merged[field] = now[field];
  }
  return merged as unknown as ClusterConfig;
}
