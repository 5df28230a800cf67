/** The TLS of an endpoint, as its options say it. */
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import {
  type CertificateSource,
  certificateFrom,
  type ReadingObserver,
} from "./certificate-files.ts";
import { ClientAuthorities, type ClientCertificates } from "./client-certificates.ts";
import type { HttpTls } from "./http-serving.ts";

interface TlsEndpoint {
  readonly tls: CertificateSource;
  readonly clients?: ClientCertificates;
}

export function httpTls(
  { tls, clients }: TlsEndpoint,
  clock: Clock,
  log: Logger,
  observe: ReadingObserver,
): HttpTls {
  const certificate = certificateFrom(tls, clock, log, observe);
  return clients
    ? { certificate, clients: new ClientAuthorities(clients, clock, log) }
    : { certificate };
}
