/** The control plane's socket, and its certificate. */
import { advertisedAddress } from "../../advertised-address.ts";
import type { CertificateAuthority, KeyPair } from "../../auth/certificates.ts";
import { HttpServer, type HttpServerOptions } from "./http-server.ts";

/** A server that listens. */
interface Listening {
  readonly server: HttpServer;
  readonly port: number;
  readonly served: KeyPair;
}

/** The options of listening. */
export interface ListenOptions extends Pick<HttpServerOptions, "host" | "port" | "handle"> {
  readonly authority: CertificateAuthority;
  /** The server's certificate; a new one when absent. */
  readonly served: KeyPair | undefined;
}

/** Opens the socket. @throws TsopError `port-in-use` */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host, port, handle, authority } = options;
  const names = ["localhost", "127.0.0.1", "::1", host, advertisedAddress(host)];
  const served = options.served ?? authority.server([...names, "kubernetes.default.svc"]);
  const server = new HttpServer({
    host,
    port,
    certificate: served.certificate,
    key: served.key,
    isTrusted: (certificate) => authority.vouchesFor(certificate),
    handle,
  });
  return { server, port: await server.listen(), served };
}
