/** A local port that forwards to a port in a pod. */
import { createServer, type AddressInfo, type Socket } from "node:net";
import { pipeline, type Duplex } from "node:stream";

/** A local port that forwards to a port in a pod. */
export interface PortForward {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** Closes the port, and all connections through it. */
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1. A connection that cannot be made is closed; the next one is tried anew.
 *
 * @param connect - makes a connection into the pod
 */
export async function listenForPod(
  connect: () => Promise<Duplex>,
  localPort: number,
  signal: AbortSignal | undefined,
): Promise<PortForward> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    connect().then(
      (pod) => {
        pipeline(socket, pod, socket, () => {
          pod.destroy();
          socket.destroy();
        });
      },
      () => socket.destroy(),
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
