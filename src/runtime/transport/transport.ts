/** The port to the API server: one HTTP exchange. Nothing else in the runtime opens a socket. */
import type { Clock } from "../../clock.ts";
import { TsopError } from "../../errors.ts";

/** One request. `path` begins with `/` and includes the query. */
export interface TransportRequest {
  /** In capitals: `GET`. */
  readonly method: string;
  /** With its query, escaped: `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** The answer is a stream whose server may say nothing for any time, as that of a watch. */
  readonly mayPause?: boolean;
  /** Asked when the connection is there and the bytes are about to leave; nothing is sent when it throws. */
  readonly lastCheck?: () => void;
}

/**
 * An answer's body; it is read once, in one of both ways. Each throws a `ConnectionError` when the connection breaks. A
 * piece is good until the next one is asked for.
 */
export interface Body extends AsyncIterable<Uint8Array> {
  /** All of it at once, where that costs less than its pieces. */
  whole?(): Promise<Buffer>;
}

/** The answer's head, and its body as it comes in. A body that is not read to its end must be cancelled. */
export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The reader may change the bytes. */
  readonly body: Body;
  /** Gives up the rest of the body and closes its connection. */
  cancel(): void;
}

/** Told of what comes over a connection. */
export interface ConnectionSink {
  /** Good until the call returns. */
  data(bytes: Buffer): void;
  /** Nothing more comes; without an error where the connection was ended from here. */
  closed(error?: Error): void;
}

/** A connection after its protocol was changed. */
export interface UpgradedConnection {
  /** Of the answer that changed it, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Begins to tell of what comes; once. */
  open(sink: ConnectionSink): void;
  /** Sends bytes. @returns whether more may follow at once; `drained` tells when it may */
  write(bytes: Uint8Array): boolean;
  /** Resolves when what was written has left. */
  drained(): Promise<void>;
  pause(): void;
  resume(): void;
  close(): void;
  /** Resolves when it is closed, from whatever side. */
  readonly closed: Promise<void>;
}

/** An answer of the server that did not change the protocol. */
export interface UpgradeRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The answer to a request for another protocol. */
export type UpgradeAnswer = UpgradedConnection | UpgradeRefusal;

/** Sends requests to one API server as one user. */
export interface Transport {
  /** The server's address, for messages: `https://10.0.0.1:6443`. */
  readonly server: string;
  /**
   * Sends one request, and resolves when the head of its answer is there.
   *
   * @throws ConnectionError when no answer came
   * @throws the signal's reason when it is aborted; what `lastCheck` throws
   */
  request(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Asks for a connection that speaks another protocol from then on; absent where there are no connections. Aborting the
   * signal closes it, also afterwards.
   *
   * @throws ConnectionError when no answer came
   */
  upgrade?(request: TransportRequest): Promise<UpgradeAnswer>;
  /** Closes idle connections; those in use end with their request. */
  close(): void;
  /**
   * Whether no request waits for its answer, and all that came was read: what was written before is known then. Absent
   * where it cannot be known, as over a network.
   */
  readonly isQuiet?: boolean | undefined;
  /** The time that the server lives in, where it is a test's: whoever uses the transport lives in it, too. */
  readonly clock?: Clock | undefined;
}

/** The kind of a connection's failure. */
export type ConnectionFailure = "refused" | "reset" | "timeout" | "unknown-host" | "tls" | "other";

const FIXES: Record<ConnectionFailure, string> = {
  refused:
    "Check that the API server runs there, and that the kubeconfig's context is the one you mean.",
  reset:
    "The API server closed the connection; it may be restarting. A command can be run again; a reconciler is tried again by itself.",
  timeout: "Check the network, and whether a firewall stands between.",
  "unknown-host": "Check the server's name in the kubeconfig, and the machine's DNS.",
  tls: "Check the certificate authority and the client certificate in the kubeconfig.",
  other: "Check the network between this process and the API server.",
};

/**
 * No answer, or only a part of one, came from the API server.
 *
 * @example
 * try {
 *   await client.get(Web, key);
 * } catch (error) {
 *   if (!(error instanceof ConnectionError)) throw error;
 *   console.error(error.failure);
 * }
 */
export class ConnectionError extends TsopError {
  override readonly name = "ConnectionError";
  readonly failure: ConnectionFailure;
  /** The request went out on a connection that had served one before: the server may never have seen it. */
  readonly reusedConnection: boolean;

  constructor(
    failure: ConnectionFailure,
    server: string,
    detail: string,
    options?: ErrorOptions & { readonly reusedConnection?: boolean },
  ) {
    super(
      `connection-${failure}`,
      // Messages of Node and OpenSSL sometimes end in a full stop, or in a line break.
      `The API server at ${server} cannot be reached: ${detail.replace(/[\s.:]+$/, "")}.`,
      FIXES[failure],
      options,
    );
    this.failure = failure;
    this.reusedConnection = options?.reusedConnection ?? false;
  }
}
