/**
 * Logs of pods, commands in them, connections to them.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#Operations
 */
import type { Duplex } from "node:stream";
import type { ObjectKey } from "../../../kube/object.ts";
import type { PodProcess } from "./pod-process.ts";
import type { PortForward } from "./port-forward.ts";

/** The part of a log to read. */
export interface PodLogOptions {
  /** The container; required where the pod has several. */
  readonly container?: string;
  /** Continues with later lines, until the container ends. */
  readonly follow?: boolean;
  /** Reads the log of the container before its last restart. */
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  /** The number of last lines to read. */
  readonly tailLines?: number;
  /** Prefixes each line with its time. */
  readonly timestamps?: boolean;
  readonly signal?: AbortSignal;
}

/** The options of an attach to a container. */
export interface PodAttachOptions {
  /** The container; required where the pod has several. */
  readonly container?: string;
  /** Whether stdin is connected. */
  readonly stdin?: boolean;
  /** Connects a terminal: it can be resized, and stderr comes on `stdout`. */
  readonly tty?: boolean;
  /** Ends the connection; the process in the container continues. */
  readonly signal?: AbortSignal;
}

/** The command to run in a container. */
export interface PodExecOptions extends PodAttachOptions {
  /** The program and its arguments; there is no shell but the one that is named: `["sh", "-c", "ls *"]`. */
  readonly command: readonly string[];
}

/** The options of a port forwarding. */
export interface PortForwardOptions {
  /** The local port; any free one when absent. */
  readonly localPort?: number;
  /** Ends the forwarding. */
  readonly signal?: AbortSignal;
  /**
   * Called with the reason when a connection to the pod cannot be made, or breaks; the local
   * connection is closed. When absent, each reason is a warning of the process, once.
   */
  readonly onError?: (error: Error) => void;
}

/**
 * Logs, commands and connections of pods. Refusals are `StatusError`s, an unreachable server is a
 * `ConnectionError`.
 */
export interface PodClient {
  /**
   * The lines of a container's log. It needs the right to `get` `pods/log`.
   *
   * @example
   * for await (const line of client.pods.logs(key, { tailLines: 20 })) log.info(line);
   */
  logs(key: ObjectKey, options?: PodLogOptions): AsyncIterable<string>;
  /**
   * Runs a command in a container. It needs the right to `create` and `get` `pods/exec`. A dry-run
   * client, or a process that lost the lead, runs nothing.
   *
   * @example
   * const dump = await client.pods.exec(key, { command: ["pg_dump", "shop"] });
   * const { exitCode, stdout, stderr } = await dump.output();
   *
   * @throws TsopError `dry-run-impossible`, `leadership-lost`, `streams-unsupported`
   */
  exec(key: ObjectKey, options: PodExecOptions): Promise<PodProcess>;
  /**
   * Attaches to the main process of a container. It needs the right to `create` and `get`
   * `pods/attach`.
   */
  attach(key: ObjectKey, options?: PodAttachOptions): Promise<PodProcess>;
  /**
   * Connects to a port in a pod. It needs the right to `create` and `get` `pods/portforward`. The
   * other side does not notice an `end()`: destroy the stream when it is done.
   */
  connect(
    key: ObjectKey,
    port: number,
    options?: Pick<PortForwardOptions, "signal">,
  ): Promise<Duplex>;
  /**
   * Listens on this machine, and forwards connections to a port in a pod.
   *
   * @example
   * const forward = await client.pods.portForward(key, 8080);
   * const answer = await fetch(`http://127.0.0.1:${forward.port}/healthz`);
   * await forward.close();
   */
  portForward(key: ObjectKey, port: number, options?: PortForwardOptions): Promise<PortForward>;
}
