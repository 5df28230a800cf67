/** The port to the API server: one HTTP exchange. No other part of the runtime opens a socket. */
import type { Clock } from "../../clock.ts";
import { TsopError } from "../../errors.ts";
import type { TrustObserver } from "./trust-observer.ts";

/** One request. `path` begins with `/` and includes the query. */
export interface TransportRequest {
  /** The method in capitals: `GET`. */
  readonly method: string;
  /** The path with its query, escaped: `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Whether the server may be silent for any time, as in a watch. */
  readonly mayPause?: boolean;
  /** Called just before the bytes leave; nothing is sent when it throws. */
  readonly lastCheck?: () => void;
}

/**
 * The body of an answer; it is read once, in one of the two ways. Both throw a `ConnectionError`
 * when the connection breaks. A piece is valid until the next one is requested.
 */
export interface Body extends AsyncIterable<Uint8Array> {
  /** The whole body at once, where that costs less than its pieces. */
  whole?(): Promise<Buffer>;
}

/** The head of an answer, and its body as it arrives, to be read to its end or cancelled. */
export interface TransportResponse {
  readonly status: number;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The reader may change the bytes. */
  readonly body: Body;
  /** Gives up the rest of the body and closes its connection. */
  cancel(): void;
}

/** Receives the bytes of a connection. */
export interface ConnectionSink {
  /** Called with bytes, which are valid until the call returns. */
  data(bytes: Buffer): void;
  /** Called at the end; without an error where this side ended the connection. */
  closed(error?: Error): void;
}

/** A connection after the change of its protocol. */
export interface UpgradedConnection {
  /** The headers of the answer that changed it, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Starts to pass on received bytes; called once. */
  open(sink: ConnectionSink): void;
  /** Sends bytes. @returns whether more may follow at once; `drained` tells when it may */
  write(bytes: Uint8Array): boolean;
  /** Resolves when the written bytes have left. */
  drained(): Promise<void>;
  pause(): void;
  resume(): void;
  close(): void;
  /** Resolves when either side has closed it. */
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
  /** The server's present address, for messages: `https://10.0.0.1:6443`. */
  readonly server: string;
  /**
   * Sends one request, and resolves when the head of its answer is there.
   *
   * @throws ConnectionError when no answer came
   * @throws the signal's reason when it is aborted; what `lastCheck` throws
   */
  request(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Requests a connection with another protocol; absent where there are no connections. Aborting
   * the signal closes it, also afterwards.
   *
   * @throws ConnectionError when no answer came
   */
  upgrade?(request: TransportRequest): Promise<UpgradeAnswer>;
  /** Closes idle connections; those in use end with their request. */
  close(): void;
  /** Reports renewed certificates and tokens to the observer; absent where there are none. */
  observeTrust?(observer: TrustObserver): void;
  /**
   * Whether no request waits for its answer, and every answer was read: the results of all writes
   * are known then. Absent where this cannot be known, as over a network.
   */
  readonly isQuiet?: boolean | undefined;
  /** The clock of a test's server: users of the transport use it, too. */
  readonly clock?: Clock | undefined;
}

/** The kind of a connection's failure. */
export type ConnectionFailure =
  | "refused"
  | "reset"
  | "timeout"
  | "unknown-host"
  | "tls"
  | "answer"
  | "other";

const FIXES: Record<ConnectionFailure, string> = {
  refused:
    "Check that the API server runs there, and that the kubeconfig's context is the one you mean.",
  reset:
    "The API server closed the connection; it may be restarting. A command can be run again; a reconcile is retried automatically.",
  timeout: "Check the network, and whether a firewall blocks the connection.",
  "unknown-host": "Check the server's name in the kubeconfig, and the machine's DNS.",
  tls: "Check the certificate authority and the client certificate in the kubeconfig, and whether the address is that of the API server.",
  answer:
    "Check that the address is that of the API server: another program, or a proxy before it, answered there.",
  other: "Check the network between this process and the API server.",
};

const SUBJECTS = {
  server: (server: string) => `The API server at ${server} cannot be reached`,
  /** The server answered, and the connection broke later. */
  connection: (server: string) => `The connection to the API server at ${server} broke`,
  answer: (server: string) => `The answer from ${server} cannot be used`,
};

/**
 * No complete answer came from the API server.
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
  /**
   * The request was sent on a connection that had served an earlier one: the server may never have
   * seen it.
   */
  readonly reusedConnection: boolean;

  constructor(
    failure: ConnectionFailure,
    server: string,
    detail: string,
    options?: ErrorOptions & {
      readonly reusedConnection?: boolean;
      /** The part that failed; the server when absent, or its answer for `answer`. */
      readonly subject?: "server" | "connection" | "answer";
      /** The next step, if more is known than the failure. */
      readonly fix?: string;
    },
  ) {
    super(
      `connection-${failure}`,
      // Messages of Node and OpenSSL sometimes end in a full stop, or in a line break.
      `${SUBJECTS[options?.subject ?? (failure === "answer" ? "answer" : "server")](server)}: ${detail.replace(/[\s.:]+$/, "")}.`,
      options?.fix ?? FIXES[failure],
      options,
    );
    this.failure = failure;
    this.reusedConnection = options?.reusedConnection ?? false;
  }
}
