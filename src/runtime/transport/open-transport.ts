/** The way to a cluster that its configuration names. */
import { systemClock, type Clock } from "../../clock.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { HttpsTransport } from "./https-transport.ts";
import type { Transport } from "./transport.ts";

/**
 * HTTPS, unless the configuration brings a way of its own.
 *
 * @throws TsopError `server-address`, `proxy-unusable`
 */
export function openTransport(
  config: ClusterConfig,
  userAgent: string,
  clock: Clock = systemClock,
): Transport {
  return config.connect?.(config, userAgent) ?? new HttpsTransport(config, userAgent, clock);
}
