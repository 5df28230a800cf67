/** A small HTTP server for the kubelet, Prometheus and debugging. */
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { CertificateFiles, ServerCertificate } from "./certificate-files.ts";
import type { ClientAuthorities } from "./client-certificates.ts";
import { type Endpoint, listen, SecuredServer, STRANGER_LIMITS, tlsOptions } from "./listening.ts";
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

/** The TLS of a server. */
export interface HttpTls {
  /** Files that are followed, or a fixed certificate. */
  readonly certificate: CertificateFiles | ServerCertificate;
  /** The authorities of the clients that are answered; all clients when absent. */
  readonly clients?: ClientAuthorities;
}

/**
 * Serves until it is stopped; with TLS if there is any.
 *
 * @throws TsopError `port-in-use`, `certificate-unreadable`
 */
export async function serveHttp(
  endpoint: BoundedEndpoint,
  listener: RequestListener,
  tls?: HttpTls,
): Promise<RunningServer> {
  const ended = new AbortController();
  const inTurn = oneAtATime(listener);
  const server = tls
    ? await tlsServer(tls, inTurn, ended.signal)
    : createServer(STRANGER_LIMITS, inTurn);
  const shared = new SharedConnections(endpoint.maxConnections ?? MAX_CONNECTIONS);
  server.on("connection", (socket: Socket) => {
    shared.opened(socket);
  });
  const port = await listen(server, endpoint);
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

/**
 * Ends a connection on which a request comes in before the last one is answered: Node.js would keep any number of them, and
 * neither kubelets nor Prometheus nor browsers ask so.
 */
function oneAtATime(listener: RequestListener): RequestListener {
  const busy = new WeakSet<Socket>();
  return (request, response) => {
    const { socket } = request;
    if (busy.has(socket)) {
      // What came in together with it is read, but not answered.
      socket.destroy();
      return;
    }
    busy.add(socket);
    response.once("finish", () => busy.delete(socket));
    listener(request, response);
  };
}

async function tlsServer(
  { certificate, clients }: HttpTls,
  listener: RequestListener,
  signal: AbortSignal,
): Promise<TlsServer> {
  const files = "read" in certificate ? certificate : undefined;
  const first = files ? await files.read() : (certificate as ServerCertificate);
  const firstCa = await clients?.read();
  const isRefused = (socket: Socket): boolean =>
    clients?.problemOf(socket as TLSSocket) !== undefined;
  const options = { ...tlsOptions(first, firstCa), ...STRANGER_LIMITS };
  const server = createTlsServer(options, (request, response) => {
    // The certificate of a connection that stays open expires.
    if (isRefused(request.socket)) request.socket.destroy();
    else listener(request, response);
  });
  const secured = new SecuredServer(server, first, firstCa);
  void files?.follow(first, secured.renew, signal);
  if (clients && firstCa) {
    server.on("secureConnection", (socket) => {
      if (isRefused(socket)) socket.destroy();
    });
    void clients.follow(firstCa, secured.renewClientCa, signal);
  }
  return server;
}
