/** Logs, exec, attach and port forwarding through the API server. */
import type { Duplex } from "node:stream";
import { abortReason } from "../../../clock.ts";
import { reasonOf, TsopError } from "../../../errors.ts";
import { formatKey, type ObjectKey } from "../../../kube/object.ts";
import type { ResourceInfo } from "../../../kube/resource.ts";
import { present } from "../../../present.ts";
import { ToldBefore } from "../../told-before.ts";
import { wholeLines } from "../../transport/lines.ts";
import { ConnectionError, type UpgradedConnection } from "../../transport/transport.ts";
import { objectPath } from "../../rest/paths.ts";
import type { Query, RestClient } from "../../rest/rest-client.ts";
import type { PodAttachOptions, PodClient, PodLogOptions } from "./pod-client.ts";
import { PodConnection } from "./pod-connection.ts";
import { ChannelProcess, type PodProcess } from "./pod-process.ts";
import { listenForPod } from "./port-forward.ts";
import { handshake, WebSocketConnection, type MessageSink } from "./web-socket.ts";

const POD: ResourceInfo = {
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  namespaced: true,
};

// Only v5 can signal the end of stdin to a program.
const WITH_STDIN = ["v5.channel.k8s.io"];
const WITHOUT_STDIN = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const PORT_FORWARD = ["v4.channel.k8s.io"];

/** The request of a connection, and the sink of its messages. */
interface Wanted {
  readonly path: string;
  readonly query: Query;
  readonly protocols: readonly string[];
  readonly sink: MessageSink;
  readonly signal: AbortSignal | undefined;
}

/** @param dryRun - refuses exec, attach and connections: whether they change anything is unknown */
export function livePods(rest: RestClient, dryRun: boolean): PodClient {
  /** The error of a stream: of its signal, or of the connection, which was open. */
  const failureOf =
    (path: string, signal: AbortSignal | undefined) =>
    (error: Error): Error => {
      if (signal?.aborted) return endedBy(signal, path);
      if (error instanceof ConnectionError) return error;
      const { code } = error as NodeJS.ErrnoException;
      const failure = code === "ETIMEDOUT" ? "timeout" : "reset";
      return new ConnectionError(failure, rest.server, `${reasonOf(error)} (GET ${path})`, {
        cause: error,
        subject: "connection",
        fix: "Whether the process in the pod still runs is unknown: look at the pod, then start it again.",
      });
    };
  const open = async (wanted: Wanted): Promise<void> => {
    const { path, query, protocols, sink, signal } = wanted;
    if (dryRun) throw notTried(path);
    const asked = handshake(protocols);
    const request = {
      method: "GET",
      path,
      query,
      headers: asked.headers,
      signal,
      upgrades: true,
    } as const;
    const connection = (await rest.request(request).catch((error: unknown) => {
      throw signal?.aborted ? endedBy(signal, path) : error;
    })) as UpgradedConnection;
    const problem = asked.check(connection.headers);
    if (problem === undefined) {
      new WebSocketConnection(connection, rest.clock, sink).start();
      return;
    }
    connection.close();
    throw new ConnectionError("answer", rest.server, `${problem} (GET ${path})`);
  };
  const run = async (
    path: string,
    command: readonly string[] | undefined,
    { container, stdin = false, tty = false, signal }: PodAttachOptions,
  ): Promise<PodProcess> => {
    const process = new ChannelProcess({ stdin, tty }, failureOf(path, signal));
    const query = { container, command, stdin, stdout: true, stderr: !tty, tty };
    const protocols = stdin ? WITH_STDIN : WITHOUT_STDIN;
    await open({ path, query, protocols, sink: process, signal });
    return process;
  };
  const connect: PodClient["connect"] = async (key, port, { signal } = {}): Promise<Duplex> => {
    const path = objectPath(POD, key, "portforward");
    const connection = new PodConnection(failureOf(path, signal));
    const wanted = { path, query: { ports: port }, protocols: PORT_FORWARD, signal };
    await open({ ...wanted, sink: connection.sink });
    return connection;
  };
  return {
    logs: (key, options) => logLines(rest, key, options),
    exec: (key, { command, ...options }) => run(objectPath(POD, key, "exec"), command, options),
    attach: (key, options = {}) => run(objectPath(POD, key, "attach"), undefined, options),
    connect,
    portForward: (key, port, { localPort = 0, signal, onError } = {}) =>
      listenForPod(() => connect(key, port, present({ signal })), {
        localPort,
        signal,
        onError: onError ?? warningOf(key, port),
      }),
  };
}

/** The reason of an aborted signal; a time limit names the request that it ended. */
function endedBy(signal: AbortSignal, path: string): Error {
  const reason = abortReason(signal);
  if (reason.name !== "TimeoutError") return reason;
  const message = `GET ${path} was ended by the time limit of its signal: ${reasonOf(reason)}`;
  return new DOMException(message, "TimeoutError");
}

function warningOf(key: ObjectKey, port: number): (error: Error) => void {
  const told = new ToldBefore();
  return (error) => {
    const message = `A connection to port ${port} of the pod ${formatKey(key)} failed: ${reasonOf(error)}.`;
    if (told.isFirst(message)) process.emitWarning(message, "TsopWarning");
  };
}

async function* logLines(
  rest: RestClient,
  key: ObjectKey,
  options: PodLogOptions = {},
): AsyncGenerator<string> {
  const { signal, follow = false, ...query } = options;
  const path = objectPath(POD, key, "log");
  const response = await rest.stream({ path, query: { ...query, follow }, signal }, follow);
  try {
    for await (const { bytes } of wholeLines(response.body)) {
      // A batch ends before its last line break, so an empty last line is a line.
      yield* bytes.toString("utf8").split("\n");
    }
  } finally {
    response.cancel();
  }
}

function notTried(path: string): TsopError {
  return new TsopError(
    "dry-run-impossible",
    `GET ${path} was not sent: the client is in dry-run mode, which the API server does not support for requests to a pod.`,
    "Send it with a client without dryRun, or leave it out in dry runs.",
  );
}
