/** The configuration of a client: the API server and the user. */
import type { CredentialSource } from "./credentials/credentials.ts";
import type { Transport } from "./transport.ts";

/** The address and certificates of a server, and its user. */
export interface ClusterConfig {
  /** `https://host:port`, with a path if the server is behind one. */
  readonly server: string;
  /**
   * The certificates that verify the server's certificate, in PEM; those of Node.js when absent.
   * They need not be those of authorities: a server's own certificate in this list is trusted, as
   * in Go.
   */
  readonly ca?: string;
  /** The file that `ca` was read from, for messages. */
  readonly caFile?: string;
  /** The name that the server's certificate must have, when it is not the host. */
  readonly serverName?: string;
  /** Accepts any certificate. Only for tests on your own machine. */
  readonly skipTlsVerify?: boolean;
  /**
   * The proxy for connections: `http://`, `https://` or `socks5://`, with its user and password;
   * none when absent.
   */
  readonly proxy?: string;
  readonly credentials: CredentialSource;
  /** The namespace of the context, or of the pod. */
  readonly namespace: string;
  /** Whether this process runs in a pod of the cluster, with the configuration that the kubelet provides. */
  readonly inCluster?: boolean;
  /** The user as whom requests act (`Impersonate-User`). */
  readonly impersonate?: Impersonation;
  /**
   * The time without any byte from the server after which a request fails with
   * `connection-timeout`, in milliseconds; 0 for no limit, 70 seconds when absent. It starts with
   * the request and with each piece of the answer, so that long lists have all the time that they
   * need. An answered watch may be silent for ever.
   */
  readonly answerTimeoutMs?: number;
  /**
   * Follows the files of the configuration while it is in use: the kubeconfig, the certificate
   * authority. Absent for a configuration without files; a copy without it keeps its first values.
   */
  readonly source?: ConfigSource;
  /**
   * Makes another transport to the server than HTTPS, such as that of `tsop/testing` without a
   * socket. No part runs in a thread of its own then.
   */
  readonly connect?: (config: ClusterConfig, userAgent: string) => Transport;
}

/** Reads a configuration again from its files. */
export interface ConfigSource {
  /** The configuration as it was first read. */
  readonly first: ClusterConfig;
  /**
   * The present configuration; the last usable one while the files cannot be used. A promise only
   * if files are examined, because each request needs it.
   */
  get(): ClusterConfig | Promise<ClusterConfig>;
  /** Makes the next `get` read the files, because the server refused, or cannot be reached. */
  invalidate(): void;
  /**
   * The reason why the present files cannot be used: the part of a sentence; `undefined` if they
   * can.
   */
  readonly problem: string | undefined;
}

/** The user as whom requests act, instead of the user who sends them. */
export interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  /** Further attributes, each with its values. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
