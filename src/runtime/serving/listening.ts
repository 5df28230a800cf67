/** The common parts of a manager's servers: addresses, certificates, and limits for strangers. */
import type { AddressInfo, Server } from "node:net";
import type { SecureContextOptions, Server as TlsServer } from "node:tls";
import { TsopError } from "../../errors.ts";
import type { ServerCertificate } from "./certificate-files.ts";

/** The address on which a server of the manager listens. */
export interface Endpoint {
  /** The port; 0 takes any free one. */
  readonly port: number;
  /** The address; all when absent, because the kubelet and Prometheus connect from outside. */
  readonly host?: string;
}

/** The limits for unknown clients: memory, and the time for a request to arrive. */
export const STRANGER_LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5000,
};

/** Opens a server, and returns its port. @throws TsopError `port-in-use`, `cannot-listen` */
export function listen(server: Server, { port, host }: Endpoint): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on("error", (error: NodeJS.ErrnoException) => {
      reject(
        new TsopError(
          error.code === "EADDRINUSE" ? "port-in-use" : "cannot-listen",
          `Cannot listen on port ${port}: ${error.message}.`,
          "End the other process, or choose another port (0 takes any free one).",
          { cause: error },
        ),
      );
    });
    server.listen(port, host, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** The TLS options of a server. */
interface ServerTls extends SecureContextOptions {
  readonly requestCert: boolean;
  readonly rejectUnauthorized: boolean;
}

/**
 * The TLS options of a certificate.
 *
 * @param clientCa - the authorities that sign the certificates of clients, which are requested then
 * @param rejectUnauthorized - whether clients without one are refused; otherwise connections know whether they have one
 */
export function tlsOptions(
  certificate: ServerCertificate,
  clientCa: Buffer | undefined,
  rejectUnauthorized = true,
): ServerTls {
  return clientCa
    ? { ...certificate, ca: clientCa, requestCert: true, rejectUnauthorized }
    : { ...certificate, requestCert: false, rejectUnauthorized: false };
}

/** A server whose certificate and authorities are renewed: new connections get them, and those that are open stay. */
export class SecuredServer {
  readonly #server: TlsServer;
  #certificate: ServerCertificate;
  #clientCa: Buffer | undefined;

  constructor(server: TlsServer, certificate: ServerCertificate, clientCa: Buffer | undefined) {
    this.#server = server;
    this.#certificate = certificate;
    this.#clientCa = clientCa;
  }

  readonly renew = (certificate: ServerCertificate): void => {
    this.#certificate = certificate;
    this.#apply();
  };

  readonly renewClientCa = (clientCa: Buffer): void => {
    this.#clientCa = clientCa;
    this.#apply();
  };

  #apply(): void {
    this.#server.setSecureContext(tlsOptions(this.#certificate, this.#clientCa));
  }
}
