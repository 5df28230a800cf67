import type { ServerCertificate } from "../../serving/certificate-files.ts";

/** The source of the webhook server's certificate. */
export interface CertificateProvider {
  /**
   * The first certificate; later ones are passed to `renewed` until `signal` is aborted.
   *
   * @throws TsopError when there is no usable certificate
   */
  start(
    renewed: (certificate: ServerCertificate) => void,
    signal: AbortSignal,
  ): Promise<ServerCertificate>;
  /**
   * @throws Error while the API server could not verify the certificate, with the reason for
   *   `/readyz`
   */
  checkReady(): void;
}
