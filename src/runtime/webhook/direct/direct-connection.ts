/**
 * A connection that is read here and not by `node:http`, for as long as all that comes in has the one form in which API
 * servers ask. With the first doubt it is handed to `node:http` for good, with all bytes that were not answered yet.
 */
import { AsyncResource } from "node:async_hooks";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Exchange, Exchanges } from "../requests/exchange.ts";
import type { Reply } from "../requests/replies.ts";
import { BodyParts } from "../requests/body-parts.ts";
import { servedAt, type ServedPath } from "../requests/served-path.ts";
import type { RequestMemory } from "../../serving/request-memory.ts";
import type { AnswerTexts } from "./answer-text.ts";
import { type RequestHead, requestHeadOf } from "./request-head.ts";

/** The common parts of a server's connections. */
export interface DirectParts {
  readonly paths: ReadonlyMap<string, ServedPath>;
  readonly exchanges: Exchanges;
  readonly memory: RequestMemory;
  readonly answers: AnswerTexts;
  /** How long a connection stays on which nothing moves. */
  readonly idleMs: number;
  /** Whether no more requests are to be read once one is answered. */
  isStopping(): boolean;
  /** Whether the client may use all paths now. */
  isTrusted(socket: TLSSocket): boolean;
  /** The first request came in. */
  spoke(socket: Socket): void;
  /** Hands a connection to `node:http`, which reads it from here on. */
  handOver(socket: Socket): void;
}

type State =
  /** Nothing has come in yet. */
  | "new"
  /** A head, and not yet all of its body. */
  | "receiving"
  /** A handler is at work. */
  | "answering"
  | "idle"
  /** It is of `node:http`, or has ended. */
  | "left";

/** A request whose body is still coming in. */
interface Receiving {
  readonly head: RequestHead;
  readonly path: ServedPath;
}

const WAITING: ReadonlySet<State> = new Set(["new", "receiving"]);
const HALF_A_REQUEST = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";

/** One connection. */
export class DirectConnection {
  readonly #socket: TLSSocket;
  readonly #parts: DirectParts;
  #state: State = "new";
  #receiving: Receiving | undefined;
  #exchange: Exchange | undefined;
  // What came in of a request, where that is not one piece.
  readonly #pieces: BodyParts;
  #isWatched = false;

  constructor(socket: TLSSocket, parts: DirectParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#pieces = new BodyParts(parts.memory);
    socket.on("data", this.#read);
    socket.on("end", this.#ended);
    socket.on("timeout", this.#timedOut);
    socket.on("close", this.#closed);
    // What there is to do, it does when it is closed.
    socket.on("error", () => undefined);
    socket.setTimeout(parts.idleMs);
  }

  /** Hands it over when it has waited for the rest of a request, or for its first one, since the last call. */
  watch(): void {
    if (WAITING.has(this.#state) && this.#isWatched) this.#handOver();
    this.#isWatched = true;
  }

  /** Ends it if nothing is under way; what is left of the last answer is still sent. */
  endIdle(): void {
    if (this.#state === "idle") this.#leave();
  }

  /** Ends it at once. */
  destroy(): void {
    this.#socket.destroy();
  }

  readonly #read = (piece: Buffer): void => {
    if (this.#state === "left") return;
    if (this.#state === "receiving") {
      this.#receive(piece);
      return;
    }
    if (this.#state === "answering") {
      // It has to wait for its turn.
      this.#socket.pause();
      this.#socket.unshift(piece);
      return;
    }
    const head = requestHeadOf(piece);
    const path = head && servedAt(this.#parts.paths, head.pathname);
    // Nobody takes the last answer, but asks for more.
    const isJammed = this.#socket.writableLength > 0;
    const isRefused = !path || !(path.isForAll || this.#parts.isTrusted(this.#socket));
    if (!head || isRefused || head.bodyBytes > path.maxBytes || isJammed) {
      this.#handOver(piece);
      return;
    }
    if (this.#state === "new") this.#parts.spoke(this.#socket);
    if (piece.length === head.bodyAt + head.bodyBytes) {
      this.#answer({ head, path }, piece.subarray(head.bodyAt));
      return;
    }
    this.#state = "receiving";
    this.#isWatched = false;
    this.#receiving = { head, path };
    this.#receive(piece);
  };

  #receive(piece: Buffer): void {
    const receiving = this.#receiving;
    // What finds no memory is refused there.
    if (!receiving || !this.#pieces.add(piece)) {
      this.#handOver(piece);
      return;
    }
    const { bodyAt, bodyBytes } = receiving.head;
    const missing = bodyAt + bodyBytes - this.#pieces.bytes;
    if (missing > 0) return;
    if (missing < 0) {
      this.#handOver();
      return;
    }
    const bytes = this.#pieces.whole();
    this.#forget();
    this.#answer(receiving, bytes.subarray(bodyAt));
  }

  #answer({ head, path }: Receiving, body: Buffer): void {
    const exchange = this.#parts.exchanges.begin(path, head);
    // As in node:http, what a handler puts into an AsyncLocalStorage is not there for the next one.
    const reply = new AsyncResource("WebhookReview").runInAsyncScope(() => exchange.reply(body));
    if (!(reply instanceof Promise)) {
      this.#state = "idle";
      this.#send(exchange, reply);
      return;
    }
    this.#state = "answering";
    this.#exchange = exchange;
    void reply.then((said) => {
      this.#exchange = undefined;
      if (this.#state === "answering") this.#state = "idle";
      this.#send(exchange, said);
      if (this.#state === "idle" && this.#socket.isPaused()) this.#handOver();
    });
  }

  #send(exchange: Exchange, reply: Reply): void {
    if (!this.#socket.writable) {
      exchange.answered(reply.status);
      return;
    }
    const isLast = this.#parts.isStopping();
    const sent = exchange.sending(reply, () => this.#socket.destroy());
    const text = this.#parts.answers.of(reply, isLast);
    if (sent) this.#socket.write(text, sent);
    else this.#socket.write(text);
    if (isLast) this.#leave();
  }

  /** Ends it once the last answer is written. */
  #leave(): void {
    this.#state = "left";
    this.#socket.destroySoon();
  }

  /** Gives back what a body that comes in has taken. */
  #forget(): void {
    this.#pieces.clear();
    this.#receiving = undefined;
  }

  /**
   * `node:http` reads it from here on, beginning with what was not answered.
   *
   * @param last - what came in last, and is not among the pieces
   */
  #handOver(last?: Buffer): void {
    const socket = this.#socket;
    const pieces = [...this.#pieces.parts(), ...(last ? [last] : [])];
    this.#state = "left";
    this.#forget();
    socket.off("data", this.#read);
    socket.off("end", this.#ended);
    socket.off("timeout", this.#timedOut);
    socket.pause();
    for (const piece of pieces.reverse()) socket.unshift(piece);
    this.#parts.handOver(socket);
    // All of it within this call: what was decrypted together with the last piece comes in next, past this stream.
    socket.read();
    socket.resume();
  }

  readonly #ended = (): void => {
    if (this.#state === "receiving") this.#socket.write(HALF_A_REQUEST);
    this.#socket.end();
  };

  readonly #timedOut = (): void => {
    this.#socket.destroy();
  };

  readonly #closed = (): void => {
    const receiving = this.#receiving;
    this.#state = "left";
    this.#forget();
    this.#exchange?.giveUp();
    // As `node:http` would have counted it.
    if (receiving) this.#parts.exchanges.begin(receiving.path, receiving.head).answered(400);
  };
}
