/** One connection to the API server: one exchange after the other, never two at a time. */
import type { OnReadOpts, Socket } from "node:net";
import type { Clock, Timer } from "../../clock.ts";
import { AnswerBody } from "./answer-body.ts";
import { AnswerParser, type AnswerHead } from "./answer-parser.ts";
import type { TransportResponse } from "./transport.ts";

// A write of this size goes to the kernel at once, although Node reports it only in its next turn.
const SMALL_BYTES = 16 * 1024;
// Otherwise Node allocates memory for each packet. All connections share it: received bytes are
// consumed at once.
const RECEIVED = Buffer.allocUnsafeSlow(64 * 1024);

/** A request, with the callbacks for its answer. */
export interface Exchange {
  readonly method: string;
  /** The limits of the server's silence, once the connection is ready. */
  readonly silence: SilenceLimits;
  /** Encodes the request; called when the connection is ready. Nothing is sent when it throws. */
  encode(): string;
  /** Called with the head of the answer. */
  answered(response: TransportResponse): void;
  /**
   * Called when no answer will come.
   *
   * @param reused - the connection has served an exchange before
   */
  failed(error: Error, reused: boolean): void;
  /** The error for the reader of a body that breaks off. */
  brokenOff(error: Error): Error;
  /** Called last. */
  over(): void;
}

/** The limits of a server's silence, in milliseconds; 0 for no limit. */
interface SilenceLimits {
  readonly beforeAnswerMs: number;
  /** The limit between two pieces of the answer. */
  readonly withinAnswerMs: number;
}

/** Opens the socket of a connection. */
export type Dial = (hooks: DialHooks) => Dialing;

/** The callbacks of a socket that is being opened; one of the two is called, once. */
export interface DialHooks {
  /** Receives the bytes of the socket from the first one on. */
  readonly onread: OnReadOpts;
  /** Called when the socket can be written to. */
  opened(socket: Socket): void;
  failed(error: Error): void;
}

/** A socket that is being opened, or is open. */
export interface Dialing {
  /** Closes the socket; no callback is called any more. */
  close(): void;
}

export interface ConnectionKeeper {
  /** Called when the exchange is over, and another one is possible. */
  idle(connection: HttpConnection, head: AnswerHead): void;
  /**
   * Called when no other exchange is possible.
   *
   * @param silentMs - how long the open exchange had brought nothing, in milliseconds; 0 without one
   */
  gone(connection: HttpConnection, silentMs: number): void;
}

/** The error of a request whose connection ended, always with the same code. */
export function hungUp(): Error {
  return Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
}

/** The error of a connection that ended within an answer. */
function endedEarly(cause: Error, missing: string): Error {
  const { code } = cause as NodeJS.ErrnoException;
  const error = new Error(`the connection ended within the answer, ${missing}`, { cause });
  return Object.assign(error, { code });
}

/** The error of a step that took too long. */
export function timedOut(what: string, limitMs: number): Error {
  return Object.assign(new Error(`${what} within ${limitMs / 1000} s`), { code: "ETIMEDOUT" });
}

interface Current {
  readonly exchange: Exchange;
  readonly parser: AnswerParser;
  head?: AnswerHead;
  body?: AnswerBody;
}

export class HttpConnection {
  readonly #dialing: Dialing;
  readonly #keeper: ConnectionKeeper;
  readonly #clock: Clock;
  #socket: Socket | undefined;
  #ended = false;
  #served = false;
  #current: Current | undefined;
  #heardAtMs = 0;
  #watchdog: Timer | undefined;

  constructor(dial: Dial, keeper: ConnectionKeeper, clock: Clock) {
    this.#keeper = keeper;
    this.#clock = clock;
    this.#dialing = dial({
      onread: {
        buffer: RECEIVED,
        callback: (bytes) => {
          this.#received(RECEIVED.subarray(0, bytes));
          return true;
        },
      },
      opened: (socket) => {
        this.#opened(socket);
      },
      failed: (error) => {
        this.#closed(error);
      },
    });
  }

  /** Sends a request, now or once the connection is ready. Only one is open at a time. */
  send(exchange: Exchange): void {
    const parser = new AnswerParser(exchange.method, {
      head: (head) => {
        this.#answered(head);
      },
      data: (part) => {
        this.#current?.body?.push(part);
      },
      end: () => {
        this.#finished();
      },
    });
    this.#current = { exchange, parser };
    this.#heardAtMs = this.#clock.monotonicMs();
    if (this.#socket) this.#write(this.#socket);
  }

  /** Ends the exchange if it is the open one, and the connection with it. */
  abort(exchange: Exchange, reason: Error): void {
    if (this.#current?.exchange === exchange) this.#fail(reason);
  }

  destroy(): void {
    this.#ended = true;
    this.#watchdog?.cancel();
    this.#dialing.close();
  }

  /** Whether the connection keeps the process alive. */
  set keepsProcess(keeps: boolean) {
    if (keeps) this.#socket?.ref();
    else this.#socket?.unref();
  }

  #opened(socket: Socket): void {
    if (this.#ended) {
      socket.destroy();
      return;
    }
    this.#socket = socket;
    socket.on("end", () => {
      this.#closed(hungUp());
    });
    socket.on("error", (error) => {
      this.#closed(error);
    });
    socket.on("close", () => {
      this.#closed(hungUp());
    });
    this.#write(socket);
  }

  #write(socket: Socket): void {
    const { exchange } = this.#current ?? {};
    if (!exchange) return;
    let text: string;
    try {
      text = exchange.encode();
    } catch (error) {
      this.#fail(error as Error);
      return;
    }
    socket.write(text);
    this.#heardAtMs = this.#clock.monotonicMs();
    this.#watch(exchange, exchange.silence.beforeAnswerMs);
  }

  /**
   * Fails the exchange after a silence of so long. The time during which the reader pauses it does
   * not count.
   */
  #watch(exchange: Exchange, limitMs: number): void {
    this.#watchdog?.cancel();
    this.#watchdog = undefined;
    if (limitMs === 0) return;
    const look = (): void => {
      if (this.#current?.exchange !== exchange) return;
      if (this.#socket?.isPaused()) this.#heardAtMs = this.#clock.monotonicMs();
      const leftMs = this.#heardAtMs + limitMs - this.#clock.monotonicMs();
      if (leftMs <= 0) this.#fail(timedOut("nothing came", limitMs));
      else this.#watchdog = this.#clock.after(leftMs, look, { unref: true });
    };
    this.#watchdog = this.#clock.after(limitMs, look, { unref: true });
  }

  #received(bytes: Buffer): void {
    // The head has one limit as a whole, or a server could send it byte by byte for hours.
    if (this.#current?.head) this.#heardAtMs = this.#clock.monotonicMs();
    if (!this.#current) {
      // An answer without a request: the next request would take it for its own.
      this.#fail(hungUp());
      return;
    }
    try {
      this.#current.parser.push(bytes);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #answered(head: AnswerHead): void {
    const current = this.#current;
    if (!current) return;
    const { exchange } = current;
    const giveUp = (): void => {
      this.abort(exchange, hungUp());
    };
    const body = new AnswerBody({
      pause: () => {
        if (this.#current === current) this.#socket?.pause();
      },
      resume: () => {
        if (this.#current !== current) return;
        this.#heardAtMs = this.#clock.monotonicMs();
        this.#socket?.resume();
      },
      giveUp,
    });
    current.head = head;
    current.body = body;
    this.#heardAtMs = this.#clock.monotonicMs();
    const { beforeAnswerMs, withinAnswerMs } = exchange.silence;
    if (withinAnswerMs !== beforeAnswerMs) this.#watch(exchange, withinAnswerMs);
    exchange.answered({ ...head, body, cancel: giveUp });
  }

  #finished(): void {
    const current = this.#current;
    if (!current?.head) return;
    const socket = this.#socket;
    this.#current = undefined;
    this.#watchdog?.cancel();
    this.#served = true;
    current.body?.end();
    current.exchange.over();
    // The answer came before a large request was sent completely: the server may ignore the rest,
    // and close.
    const sent = (socket?.writableLength ?? 0) <= SMALL_BYTES;
    if (sent && current.parser.keepsAlive && socket?.destroyed === false) {
      socket.resume();
      this.#keeper.idle(this, current.head);
    } else this.destroy();
  }

  /** Handles a connection that the server ended. */
  #closed(error: Error): void {
    const { parser } = this.#current ?? {};
    if (parser?.ended()) return;
    const missing = parser?.missing;
    this.#fail(missing === undefined ? error : endedEarly(error, missing));
  }

  #fail(error: Error): void {
    const current = this.#current;
    this.#current = undefined;
    this.destroy();
    // At once, not with the socket's event: the connection must not be used for another exchange
    // meanwhile.
    this.#keeper.gone(this, current ? this.#clock.monotonicMs() - this.#heardAtMs : 0);
    if (!current) return;
    const { exchange, body } = current;
    if (body) body.fail(exchange.brokenOff(error));
    else exchange.failed(error, this.#served);
    exchange.over();
  }
}
