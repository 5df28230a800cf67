/** The options of the webhook server. */
import type { CertificatePaths } from "../serving/certificate-files.ts";
import type { ClientCertificates } from "../serving/client-certificates.ts";

/**
 * A certificate that the operator issues itself, keeps in a Secret, renews, and writes into the
 * webhook configurations.
 */
export interface SelfManagedCertificate {
  /**
   * The prefix of the names of the project's objects in the deployment, such as `shop-`. The
   * Service `shop-webhook-service`, the Secret `shop-webhook-server-cert` and the configurations
   * are found by it.
   */
  readonly namePrefix: string;
  /** The namespace of the Service and the Secret; the operator's own when absent. */
  readonly namespace?: string;
}

/**
 * `{ selfManaged }`: the operator issues the certificate. Paths: files that somebody else renews,
 * such as those of cert-manager in a mounted Secret; changes are followed.
 */
export type WebhookCertificate =
  | CertificatePaths
  | { readonly selfManaged: SelfManagedCertificate };

/** The options of the webhook server. */
export interface WebhookServerOptions {
  /** The port: 9443 in the scaffold; 0 takes any free one. */
  readonly port: number;
  /** The address; all addresses when absent, because the API server connects from outside. */
  readonly host?: string;
  readonly certificate: WebhookCertificate;
  /**
   * The API servers whose admission reviews are answered, by their client certificates; all clients when absent. API servers show no certificate for
   * conversions, so these are answered without one.
   */
  readonly clients?: ClientCertificates;
  /**
   * How long reviews are still answered after the signal that stops the operator, at the longest, in milliseconds:
   * half of `gracefulShutdownMs` at most. It ends earlier, after 5 s, once no request came in for 2.5 s. Defaults to
   * 15 s in a pod and to 0 elsewhere, because only a Service has to learn that this process no longer answers.
   */
  readonly drainMs?: number;
  /** Called with the port once the server listens. */
  readonly listening?: (port: number) => void;
}

/**
 * The variable by which `tsop dev` and `tsop run` say the address of the webhook server where the
 * options name none: an API server on this machine needs loopback only.
 */
export const WEBHOOK_HOST_VARIABLE = "TSOP_WEBHOOK_HOST";

/**
 * The variable by which `tsop dev` and `tsop run` say the namespace in which the operator is deployed: what replicas
 * share is there, and not in the namespace of the kubeconfig.
 */
export const OPERATOR_NAMESPACE_VARIABLE = "TSOP_OPERATOR_NAMESPACE";

/** The log message of a listening server; the starter of the operator may wait for it. */
export const WEBHOOKS_SERVED = "webhooks are served";
