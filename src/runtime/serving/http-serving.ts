/** A small HTTP server for the kubelet, Prometheus and debugging. */
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer, Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { CertificateFiles, ServerCertificate } from "./certificate-files.ts";
import { type Endpoint, listen, STRANGER_LIMITS, tlsOptions } from "./listening.ts";
import { SharedConnections } from "./shared-connections.ts";

// A kubelet and a few scrapers need a handful of connections.
const MAX_CONNECTIONS = 250;

/** An address, and how many connections are kept. */
export interface BoundedEndpoint extends Endpoint {
  /** Defaults to 250. */
  readonly maxConnections?: number;
}

export interface RunningServer {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Serves until it is stopped; with TLS if there is a certificate: files that are followed, or a
 * fixed one.
 *
 * @throws TsopError `port-in-use`, `certificate-unreadable`
 */
export async function serveHttp(
  endpoint: BoundedEndpoint,
  listener: RequestListener,
  certificate?: CertificateFiles | ServerCertificate,
): Promise<RunningServer> {
  const files = certificate && "read" in certificate ? certificate : undefined;
  const first = files ? await files.read() : (certificate as ServerCertificate | undefined);
  const ended = new AbortController();
  const { signal } = ended;
  const server = first
    ? createTlsServer({ ...tlsOptions(first), ...STRANGER_LIMITS }, listener)
    : createServer(STRANGER_LIMITS, listener);
  const shared = new SharedConnections(endpoint.maxConnections ?? MAX_CONNECTIONS);
  server.on("connection", (socket: Socket) => {
    shared.opened(socket);
  });
  const port = await listen(server, endpoint);
  if (files && first && server instanceof TlsServer) {
    void files.follow(first, (now) => server.setSecureContext(tlsOptions(now)), signal);
  }
  return {
    port,
    stop: () =>
      new Promise((stopped) => {
        ended.abort();
        server.close(() => {
          stopped();
        });
        server.closeAllConnections();
      }),
  };
}
