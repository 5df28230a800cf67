/** A standalone client, for programs that are not operators. */
import { systemClock, type Clock } from "../../clock.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import { unusableFiles } from "../transport/trust-observer.ts";
import { openTransport } from "../transport/open-transport.ts";
import type { Client } from "./client.ts";
import { LiveClient, writeDefaults } from "./live-client.ts";
import { warningHandler, type WarningHandler, type WarningOption } from "../rest/warnings.ts";
import { RestClient, type ClientMiddleware } from "../rest/rest-client.ts";

/** The options of a client. */
export interface CreateClientOptions {
  /** The field manager, in managedFields, and the user agent; `tsop` when absent. */
  readonly name?: string;
  readonly clock?: Clock;
  /** Sends every write as a dry run: the server checks and answers, and stores nothing. */
  readonly dryRun?: boolean;
  /** The server's treatment of unknown fields; it warns when absent. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /**
   * The handling of the API server's warnings; when absent each text is a warning of Node's, on
   * stderr, once.
   */
  readonly warnings?: WarningOption;
  readonly middlewares?: readonly ClientMiddleware[];
}

/**
 * A client that reads from and writes to the cluster directly; operators use `manager.client`.
 *
 * @example
 * const outside = createClient(loadClusterConfig());
 * const pods = await outside.list(Pod, { namespace: "default" });
 */
export function createClient(config: ClusterConfig, options: CreateClientOptions = {}): Client {
  const { name = "tsop", middlewares = [] } = options;
  const transport = openTransport(config, name);
  transport.observeTrust?.({ used: () => undefined, unusable: warnOfFiles });
  const clock = options.clock ?? transport.clock ?? systemClock;
  const rest = new RestClient(transport, clock, {
    onWarning: warningHandler(options.warnings, emitWarning),
    middlewares,
  });
  return new LiveClient(rest, writeDefaults(name, options));
}

function warnOfFiles(reason: string | undefined): void {
  if (reason !== undefined) process.emitWarning(unusableFiles(reason), "TsopWarning");
}

const emitWarning: WarningHandler = ({ text }) => {
  process.emitWarning(text, "KubernetesWarning");
};
