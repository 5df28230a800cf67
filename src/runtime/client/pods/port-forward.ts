/** A local port that forwards to a port in a pod. */
import { createServer, type AddressInfo, type Socket } from "node:net";
import { pipeline, type Duplex } from "node:stream";
import { errorFrom } from "../../../errors.ts";

/** A local port that forwards to a port in a pod. */
export interface PortForward {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** Closes the port, and all connections through it. */
  close(): Promise<void>;
}

interface ForwardOptions {
  readonly localPort: number;
  readonly signal: AbortSignal | undefined;
  /** Called with the reason when a connection to the pod cannot be made, or breaks. */
  readonly onError: (error: Error) => void;
}

/**
 * Listens on 127.0.0.1. A connection that cannot be made is reported and closed; the next one is
 * tried anew.
 *
 * @param connect - makes a connection into the pod
 */
export async function listenForPod(
  connect: () => Promise<Duplex>,
  { localPort, signal, onError }: ForwardOptions,
): Promise<PortForward> {
  const failed = (error: unknown): void => {
    if (!signal?.aborted) onError(errorFrom(error));
  };
  /** Reports an error of the pod's side; a local program that hangs up is none. */
  const broke = (socket: Socket, error: NodeJS.ErrnoException): void => {
    if (error.code === "ERR_STREAM_PREMATURE_CLOSE" || socket.errored === error) return;
    failed(error);
  };
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    connect().then(
      (pod) => {
        let isTold = false;
        const tell = (error: Error): void => {
          if (!isTold) broke(socket, error);
          isTold = true;
        };
        const end = (): void => {
          pod.destroy();
          socket.destroy();
        };
        pod.once("error", tell);
        // A pipeline of a stream that has ended already throws.
        if (pod.destroyed || socket.destroyed) {
          if (pod.errored) tell(pod.errored);
          end();
        } else pipeline(socket, pod, socket, end);
      },
      (error: unknown) => {
        failed(error);
        socket.destroy();
      },
    );
  });
  const close = async (): Promise<void> => {
    signal?.removeEventListener("abort", abort);
    for (const socket of open) socket.destroy();
    await new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
    });
  };
  const abort = (): void => void close();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(localPort, "127.0.0.1", resolve);
  });
  signal?.addEventListener("abort", abort, { once: true });
  return { port: (server.address() as AddressInfo).port, close };
}
