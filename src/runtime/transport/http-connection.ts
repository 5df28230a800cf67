/**
 * One connection to the API server: one exchange after the other, never two at a time.
 *
 * @module
 */
import type { OnReadOpts, Socket } from "node:net";
import { AnswerBody } from "./answer-body.ts";
import { AnswerParser, type AnswerHead } from "./answer-parser.ts";
import type { TransportResponse } from "./transport.ts";

// What goes to the kernel in one piece, although Node says so only in its next turn.
const SMALL_BYTES = 16 * 1024;
// Node makes memory of its own for each packet otherwise. All connections share it: what came is taken at once.
const RECEIVED = Buffer.allocUnsafeSlow(64 * 1024);

/** A request, and who waits for its answer. */
export interface Exchange {
  readonly method: string;
  /** The request as it goes over the wire; asked for when the connection is there. Nothing is sent when it throws. */
  encode(): string;
  /** The answer's head is there. */
  answered(response: TransportResponse): void;
  /**
   * No answer comes.
   *
   * @param reused - the connection has served an exchange before
   */
  failed(error: Error, reused: boolean): void;
  /** What the reader of the body is to be told of an answer that breaks off. */
  brokenOff(error: Error): Error;
  /** The last one of all calls. */
  over(): void;
}

/** Where a connection stays between its exchanges. */
export interface ConnectionKeeper {
  /** The exchange is over, and there can be another one. */
  idle(connection: HttpConnection, head: AnswerHead): void;
  /** There can be no other exchange. */
  gone(connection: HttpConnection): void;
}

/** What was under way when a connection ended has this code, whatever Node would call it. */
function hungUp(): Error {
  return Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
}

/** An exchange that is under way. */
interface Current {
  readonly exchange: Exchange;
  readonly parser: AnswerParser;
  head?: AnswerHead;
  body?: AnswerBody;
}

/** Sends requests over a socket. */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #keeper: ConnectionKeeper;
  #ready = false;
  #served = false;
  #current: Current | undefined;

  /**
   * @param connect - opens the socket
   * @param readyEvent - what the socket says when it can be written to
   */
  constructor(
    connect: (onread: OnReadOpts) => Socket,
    readyEvent: "connect" | "secureConnect",
    keeper: ConnectionKeeper,
  ) {
    const socket = connect({
      buffer: RECEIVED,
      callback: (bytes) => {
        this.#received(RECEIVED.subarray(0, bytes));
        return true;
      },
    });
    this.#socket = socket;
    this.#keeper = keeper;
    socket.once(readyEvent, () => {
      this.#ready = true;
      this.#write();
    });
    socket.on("end", () => {
      this.#ended(hungUp());
    });
    socket.on("error", (error) => {
      this.#ended(error);
    });
    socket.on("close", () => {
      this.#ended(hungUp());
    });
  }

  /** Sends a request, now or once there is a connection. Only one is under way at a time. */
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
    if (this.#ready) this.#write();
  }

  /** Ends the exchange that is under way, if it is this one, and the connection with it. */
  abort(exchange: Exchange, reason: Error): void {
    if (this.#current?.exchange === exchange) this.#fail(reason);
  }

  /** Ends the connection. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Whether the process stays for the sake of it. */
  set keepsProcess(keeps: boolean) {
    if (keeps) this.#socket.ref();
    else this.#socket.unref();
  }

  #write(): void {
    const { exchange } = this.#current ?? {};
    if (!exchange) return;
    let text: string;
    try {
      text = exchange.encode();
    } catch (error) {
      this.#fail(error as Error);
      return;
    }
    this.#socket.write(text);
  }

  #received(bytes: Buffer): void {
    if (!this.#current) {
      // Nobody asked; who asks next would take it for the answer.
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
        if (this.#current === current) this.#socket.pause();
      },
      resume: () => {
        if (this.#current === current) this.#socket.resume();
      },
      giveUp,
    });
    current.head = head;
    current.body = body;
    exchange.answered({ ...head, body, cancel: giveUp });
  }

  #finished(): void {
    const current = this.#current;
    if (!current?.head) return;
    this.#current = undefined;
    this.#served = true;
    current.body?.end();
    current.exchange.over();
    // A large request that was answered before it was sent: the server may not want the rest, and close.
    const sent = this.#socket.writableLength <= SMALL_BYTES;
    if (sent && current.parser.keepsAlive && !this.#socket.destroyed) {
      this.#socket.resume();
      this.#keeper.idle(this, current.head);
    } else this.#socket.destroy();
  }

  /** Nothing more comes from the server. */
  #ended(error: Error): void {
    if (this.#current?.parser.ended()) return;
    this.#fail(error);
  }

  #fail(error: Error): void {
    const current = this.#current;
    this.#current = undefined;
    this.#socket.destroy();
    // At once, not with the socket's event: it must not be taken for another exchange meanwhile.
    this.#keeper.gone(this);
    if (!current) return;
    const { exchange, body } = current;
    if (body) body.fail(exchange.brokenOff(error));
    else exchange.failed(error, this.#served);
    exchange.over();
  }
}
