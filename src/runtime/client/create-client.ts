/**
 * A client on its own, for programs that are no operators.
 *
 * @module
 */
import { systemClock, type Clock } from "../../clock.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import { HttpsTransport } from "../transport/https-transport.ts";
import type { Client } from "./client.ts";
import { LiveClient } from "./live-client.ts";
import { RestClient } from "./rest-client.ts";

/** How a client presents itself. */
export interface CreateClientOptions {
  /** Who writes, in managedFields, and the user agent; `tsop` when absent. */
  readonly name?: string;
  readonly clock?: Clock;
}

/** A client that reads from and writes to the cluster directly; operators use `manager.client`. */
export function createClient(
  config: ClusterConfig,
  { name = "tsop", clock = systemClock }: CreateClientOptions = {},
): Client {
  return new LiveClient(new RestClient(new HttpsTransport(config, name), clock), name);
}
