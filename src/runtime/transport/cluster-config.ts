/** Which API server to speak to, and as whom. */
import type { CredentialSource } from "./credentials/credentials.ts";
import type { Transport } from "./transport.ts";

/** One server and one user. */
export interface ClusterConfig {
  /** `https://host:port`, with a path if the server stands behind one. */
  readonly server: string;
  /**
   * The certificates that the server's certificate is checked against, in PEM; those of Node.js when absent. They need not be
   * of authorities: a server's own certificate is trusted when it stands here, as in Go.
   */
  readonly ca?: string;
  /** The name that the server's certificate must have, when it is not the host. */
  readonly serverName?: string;
  /** Takes any certificate. For tests on your own machine only. */
  readonly skipTlsVerify?: boolean;
  /** The proxy that connections go through: `http://`, `https://` or `socks5://`, with its user and password; none when absent. */
  readonly proxy?: string;
  readonly credentials: CredentialSource;
  /** The namespace of the context, or of the pod. */
  readonly namespace: string;
  /** Acts as this user (`Impersonate-User`). */
  readonly impersonate?: Impersonation;
  /**
   * How long a server may say nothing to a request before it fails with `connection-timeout`, in milliseconds; 0 for no
   * limit, 70 seconds when absent. It counts from the request and from each piece of the answer, so that long lists have
   * all the time they need. A watch that was answered may be silent for ever.
   */
  readonly answerTimeoutMs?: number;
  /**
   * Another way to the server than HTTPS, such as the one of `tsop/testing` without a socket. Nothing runs in a thread of
   * its own then.
   */
  readonly connect?: (config: ClusterConfig, userAgent: string) => Transport;
}

/** The user that requests act as, beside the user who sends them. */
export interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  /** Further attributes, each with its values. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
