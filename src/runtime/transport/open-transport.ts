/** The transport of a configuration. */
import { systemClock, type Clock } from "../../clock.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { HttpsTransport } from "./https-transport.ts";
import type { Transport } from "./transport.ts";

/**
 * The transport of the configuration: HTTPS, unless the configuration makes another one.
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
