/** Where the certificate of the webhook server comes from. */
import type { CertificatePaths, ServerCertificate } from "../manager/serving/certificate-files.ts";

/** A certificate that the operator issues itself, keeps in a Secret, renews, and tells the API server of. */
export interface SelfManagedCertificate {
  /**
   * The prefix of the names of the project's objects in the deployment, such as `shop-`: the
   * Service `shop-webhook-service`, the Secret `shop-webhook-server-cert` and the configurations
   * are found by it.
   */
  readonly namePrefix: string;
  /** Where the Service and the Secret are; the operator's own namespace when absent. */
  readonly namespace?: string;
}

/**
 * `{ selfManaged }`: the operator issues it. Paths: files that somebody else renews, such as cert-manager's in a mounted
 * Secret; they are followed.
 */
export type WebhookCertificate =
  CertificatePaths | { readonly selfManaged: SelfManagedCertificate };

/** The source of the webhook server's certificate. */
export interface CertificateProvider {
  /**
   * The certificate to begin with; later ones are handed to `renewed` until `signal` is aborted.
   *
   * @throws TsopError what keeps the server from having one
   */
  start(
    renewed: (certificate: ServerCertificate) => void,
    signal: AbortSignal,
  ): Promise<ServerCertificate>;
  /** @throws Error while the API server could not verify the certificate: the reason is shown behind `/readyz` */
  checkReady(): void;
}

/** Where reviews are answered. */
export interface WebhookServerOptions {
  /** 9443 in the scaffold; 0 takes any free port. */
  readonly port: number;
  /** All addresses when absent, as the API server comes from outside. */
  readonly host?: string;
  readonly certificate: WebhookCertificate;
  /** Told of the port once the server listens. */
  readonly listening?: (port: number) => void;
}

/** The log line of a server that listens: who started the operator may wait for it. */
export const WEBHOOKS_SERVED = "webhooks are served";
