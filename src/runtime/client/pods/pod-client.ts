/**
 * What runs in pods: their logs, commands in them, connections to them.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#Operations
 * @module
 */
import type { Duplex } from "node:stream";
import type { ObjectKey } from "../../../kube/object.ts";
import type { PodProcess } from "./pod-process.ts";
import type { PortForward } from "./port-forward.ts";

/** Which part of a log. */
export interface PodLogOptions {
  /** Needed where the pod has several. */
  readonly container?: string;
  /** Goes on with the lines that are still to come, until the container ends. */
  readonly follow?: boolean;
  /** The container before its last restart. */
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  /** No more than the last so many. */
  readonly tailLines?: number;
  /** Each line begins with its time. */
  readonly timestamps?: boolean;
  readonly signal?: AbortSignal;
}

/** How to attach to what a container runs. */
export interface PodAttachOptions {
  /** Needed where the pod has several. */
  readonly container?: string;
  /** Whether it is to be written to. */
  readonly stdin?: boolean;
  /** A terminal: it can be resized, and errors come with everything else on `stdout`. */
  readonly tty?: boolean;
  /** Ends the connection; what runs in the container goes on. */
  readonly signal?: AbortSignal;
}

/** What to run in a container. */
export interface PodExecOptions extends PodAttachOptions {
  /** The program and its arguments; there is no shell but the one that is named: `["sh", "-c", "ls *"]`. */
  readonly command: readonly string[];
}

/** How to forward a port. */
export interface PortForwardOptions {
  /** Of this machine; any free one when absent. */
  readonly localPort?: number;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** Logs, commands and connections of pods. Refusals are `StatusError`s, a server away is a `ConnectionError`. */
export interface PodClient {
  /**
   * The lines of a container's log. It needs the right to `get` `pods/log`.
   *
   * @example
   * for await (const line of client.pods.logs(key, { tailLines: 20 })) log.info(line);
   */
  logs(key: ObjectKey, options?: PodLogOptions): AsyncIterable<string>;
  /**
   * Runs a command in a container. It needs the right to `create` and `get` `pods/exec`. A client that only tries, or a
   * process that lost the lead, runs nothing.
   *
   * @example
   * const dump = await client.pods.exec(key, { command: ["pg_dump", "shop"] });
   * const { exitCode, stdout, stderr } = await dump.output();
   *
   * @throws TsopError `dry-run-impossible`, `leadership-lost`, `streams-unsupported`
   */
  exec(key: ObjectKey, options: PodExecOptions): Promise<PodProcess>;
  /** Connects to what a container runs anyway. It needs the right to `create` and `get` `pods/attach`. */
  attach(key: ObjectKey, options?: PodAttachOptions): Promise<PodProcess>;
  /**
   * Connects to a port in a pod. It needs the right to `create` and `get` `pods/portforward`. The other side is not told of
   * an `end()`: destroy the stream when it is done.
   */
  connect(
    key: ObjectKey,
    port: number,
    options?: Pick<PortForwardOptions, "signal">,
  ): Promise<Duplex>;
  /**
   * Listens on this machine, and connects who comes to a port in a pod.
   *
   * @example
   * const forward = await client.pods.portForward(key, 8080);
   * const answer = await fetch(`http://127.0.0.1:${forward.port}/healthz`);
   * await forward.close();
   */
  portForward(key: ObjectKey, port: number, options?: PortForwardOptions): Promise<PortForward>;
}
