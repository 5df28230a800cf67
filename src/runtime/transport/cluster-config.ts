/**
 * Which API server to speak to, and as whom.
 *
 * @module
 */
import type { CredentialSource } from "./credentials.ts";

/** One server and one user. */
export interface ClusterConfig {
  /** `https://host:port`, with a path if the server stands behind one. */
  readonly server: string;
  /** The certificate authorities, PEM; the system's when absent. */
  readonly ca?: string;
  /** The name that the server's certificate must have, when it is not the host. */
  readonly serverName?: string;
  /** Takes any certificate. For tests on your own machine only. */
  readonly skipTlsVerify?: boolean;
  readonly credentials: CredentialSource;
  /** The namespace of the context, or of the pod. */
  readonly namespace: string;
  /** Acts as this user (`Impersonate-User`). */
  readonly impersonate?: {
    readonly user: string;
    readonly groups?: readonly string[];
    readonly uid?: string;
  };
}
