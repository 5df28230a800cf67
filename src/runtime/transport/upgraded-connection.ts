/**
 * A connection to the API server that speaks another protocol after its first answer: for streams
 * to and from pods.
 */
import type { OnReadOpts, Socket } from "node:net";
import { TsopError } from "../../errors.ts";
import { AnswerParser, type AnswerHead } from "./answer-parser.ts";
import { abortReason, type Clock, type Timer } from "../../clock.ts";
import { deferred } from "../deferred.ts";
import { hungUp, timedOut, type Dial, type Dialing } from "./http-connection.ts";
import type {
  ConnectionSink,
  UpgradeAnswer,
  UpgradedConnection,
  UpgradeRefusal,
} from "./transport.ts";

const END_OF_HEAD = Buffer.from("\r\n\r\n");
const MAX_HEAD_BYTES = 256 * 1024;
const CHANGED = "HTTP/1.1 101";
const BUFFER_BYTES = 64 * 1024;
// The limit of a refusal's body: a `Status`.
const MAX_REFUSAL_BYTES = 1024 * 1024;

/** The request of an upgrade, and the check before it is sent. */
interface UpgradeRequest {
  /** Encodes the head of the request. @throws any error; nothing is sent then */
  encode(): string;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
  /** The time within which the head of the answer must arrive, in milliseconds; 0 for no limit. */
  readonly answerTimeoutMs: number;
}

/**
 * Dials, sends the head of a request, and reads its answer. Aborting the signal closes the
 * connection, also afterwards.
 *
 * @throws the error of the dialer, the socket or `encode`
 */
export function dialUpgrade(dial: Dial, request: UpgradeRequest): Promise<UpgradeAnswer> {
  return new Promise((resolve, reject) => {
    const upgrading = new Upgrading(dial, request, resolve, reject);
    upgrading.start();
  });
}

export function noUpgrade(server: string): TsopError {
  return new TsopError(
    "streams-unsupported",
    `Nothing can be streamed to or from pods of ${server} because its transport has no connections.`,
    "Use a cluster that you connect to over the network.",
  );
}

class Upgrading implements UpgradedConnection {
  headers: Readonly<Record<string, string>> = {};
  readonly #dial: Dial;
  readonly #request: UpgradeRequest;
  readonly #resolve: (answer: UpgradeAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #abort = (): void => {
    this.#end(abortReason(this.#request.signal));
  };
  readonly #closed = deferred();
  #dialing: Dialing | undefined;
  #socket: Socket | undefined;
  // The received bytes that were not consumed yet: the head of the answer, then the first bytes of
  // the other protocol.
  #received: Buffer = Buffer.alloc(0);
  #refusal: AnswerParser | undefined;
  #upgraded = false;
  #sink: ConnectionSink | undefined;
  #late: Timer | undefined;
  #ended: { readonly error: Error | undefined } | undefined;

  constructor(
    dial: Dial,
    request: UpgradeRequest,
    resolve: (answer: UpgradeAnswer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#dial = dial;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const memory = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    const onread: OnReadOpts = {
      buffer: memory,
      callback: (bytes) => {
        this.#take(memory.subarray(0, bytes));
        return true;
      },
    };
    this.#request.signal?.addEventListener("abort", this.#abort, { once: true });
    this.#dialing = this.#dial({
      onread,
      opened: (socket) => {
        this.#opened(socket);
      },
      failed: (error) => {
        this.#end(error);
      },
    });
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  open(sink: ConnectionSink): void {
    this.#sink = sink;
    const first = this.#received;
    this.#received = Buffer.alloc(0);
    if (first.length > 0) sink.data(first);
    if (this.#ended) sink.closed(this.#ended.error);
    else this.#socket?.resume();
  }

  write(bytes: Uint8Array): boolean {
    return this.#ended === undefined && this.#socket?.write(bytes) === true;
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      const socket = this.#socket;
      if (this.#ended || !socket?.writableNeedDrain) resolve();
      else {
        const done = (): void => {
          socket.off("drain", done);
          socket.off("close", done);
          resolve();
        };
        socket.on("drain", done);
        socket.on("close", done);
      }
    });
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  close(): void {
    this.#end(undefined);
  }

  #opened(socket: Socket): void {
    this.#socket = socket;
    const over = (): void => {
      this.#end(hungUp());
    };
    socket.on("end", over);
    socket.on("close", over);
    socket.on("error", (error) => {
      this.#end(error);
    });
    const { clock, answerTimeoutMs } = this.#request;
    try {
      socket.write(this.#request.encode());
    } catch (error) {
      this.#end(error as Error);
      return;
    }
    if (answerTimeoutMs === 0) return;
    const late = (): void => {
      this.#end(timedOut("no answer came", answerTimeoutMs));
    };
    this.#late = clock.after(answerTimeoutMs, late, { unref: true });
  }

  #take(bytes: Buffer): void {
    if (this.#upgraded && this.#sink) {
      this.#sink.data(bytes);
      return;
    }
    try {
      if (this.#refusal) this.#refusal.push(bytes);
      else {
        this.#received = Buffer.concat([this.#received, bytes]);
        if (!this.#upgraded) this.#readHead();
      }
    } catch (error) {
      this.#end(error as Error);
    }
  }

  #readHead(): void {
    const head = this.#received;
    const begins = head.toString("latin1", 0, CHANGED.length);
    const isChange = CHANGED.startsWith(begins);
    const end = head.indexOf(END_OF_HEAD);
    // A head without an end is refused by the parser.
    if (isChange && end < 0 && head.length <= MAX_HEAD_BYTES) return;
    if (!isChange || end < 0) {
      this.#received = Buffer.alloc(0);
      this.#refusal = refusalParser(this.#resolve, () => {
        this.#end(undefined);
      });
      this.#refusal.push(head);
      return;
    }
    this.headers = headersOf(head.toString("latin1", 0, end));
    this.#received = Buffer.from(head.subarray(end + END_OF_HEAD.length));
    this.#upgraded = true;
    this.#late?.cancel();
    // Paused until there is a listener.
    this.#socket?.pause();
    this.#resolve(this);
  }

  #end(error: Error | undefined): void {
    if (this.#ended) return;
    // A refusal without a length ends with its connection.
    if (error && this.#refusal?.ended()) return;
    this.#ended = { error };
    this.#late?.cancel();
    this.#request.signal?.removeEventListener("abort", this.#abort);
    this.#dialing?.close();
    this.#closed.resolve();
    if (this.#upgraded) this.#sink?.closed(error);
    else this.#reject(error ?? hungUp());
  }
}

/** Parses an answer that does not change the protocol. */
function refusalParser(resolve: (answer: UpgradeRefusal) => void, end: () => void): AnswerParser {
  let head: AnswerHead = { status: 0, headers: {} };
  const parts: Buffer[] = [];
  let bytes = 0;
  const parser: AnswerParser = new AnswerParser("GET", {
    head: (found) => {
      head = found;
    },
    data: (part) => {
      bytes += part.length;
      if (bytes <= MAX_REFUSAL_BYTES) parts.push(Buffer.from(part));
    },
    end: () => {
      resolve({ ...head, text: Buffer.concat(parts).toString("utf8") });
      end();
    },
  });
  return parser;
}

function headersOf(head: string): Record<string, string> {
  const headers = head.split("\r\n").slice(1);
  return Object.fromEntries(
    headers.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}
