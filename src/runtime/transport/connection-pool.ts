/**
 * The connections to one API server as one user: idle ones wait for their next request, the last
 * one used first.
 */
import type { Clock } from "../../clock.ts";
import type { AnswerHead } from "./answer-parser.ts";
import { Dialer, type ConnectionTarget, type Retirement } from "./dial.ts";
import {
  HttpConnection,
  type ConnectionKeeper,
  type Dial,
  type Exchange,
} from "./http-connection.ts";

const MAX_IDLE = 256;
// A connection that the server will soon close is not used any more.
const CLOSING_MS = 1000;
// The time for requests, watches and streams of an earlier configuration to end by themselves.
const GRACE_MS = 30_000;
// Bookmarks come every minute, and answers sooner: a connection that was silent for so long is probably
// half-open, and so are those that were opened on the same way.
const HALF_OPEN_MS = 30_000;

interface Idle {
  readonly connection: HttpConnection;
  /** The time after which the server closes it, on the monotonic clock. */
  readonly untilMs: number;
}

export class ConnectionPool implements ConnectionKeeper {
  readonly #clock: Clock;
  readonly #dialer: Dialer;
  readonly #idle: Idle[] = [];
  #closed = false;
  #isUsed = false;

  constructor(clock: Clock, target: ConnectionTarget) {
    this.#clock = clock;
    this.#dialer = new Dialer(clock, target);
  }

  /** Sends a request over a connection that serves nothing else, and returns it. */
  send(exchange: Exchange): HttpConnection {
    this.#isUsed = true;
    const connection = this.#take() ?? new HttpConnection(this.#dialer.dial, this, this.#clock);
    connection.send(exchange);
    return connection;
  }

  /** Opens sockets that do not belong to the pool. */
  get dial(): Dial {
    this.#isUsed = true;
    return this.#dialer.dial;
  }

  idle(connection: HttpConnection, { headers }: AnswerHead): void {
    if (this.#closed || this.#idle.length >= MAX_IDLE) {
      connection.destroy();
      return;
    }
    const seconds = /timeout=(\d+)/.exec(headers["keep-alive"] ?? "")?.[1];
    const leftMs = seconds === undefined ? Infinity : Number(seconds) * 1000 - CLOSING_MS;
    connection.keepsProcess = false;
    this.#idle.push({ connection, untilMs: this.#clock.monotonicMs() + leftMs });
  }

  gone(connection: HttpConnection, silentMs: number): void {
    const index = this.#idle.findIndex((idle) => idle.connection === connection);
    if (index >= 0) this.#idle.splice(index, 1);
    // Each of them would cost a request its whole time limit.
    if (silentMs >= HALF_OPEN_MS) this.#closeIdle();
  }

  /** Closes idle connections now, and those in use at the end of their request. */
  close(): void {
    this.#closed = true;
    this.#closeIdle();
  }

  #closeIdle(): void {
    for (const { connection } of this.#idle.splice(0)) connection.destroy();
  }

  /** Whether a request or a stream uses a connection. */
  get isBusy(): boolean {
    return this.#dialer.openSockets > this.#idle.length;
  }

  /**
   * Closes idle connections now, those in use at the end of their request, and after a grace period
   * those that the new configuration would not have made.
   */
  retire(retirement: Retirement): void {
    this.close();
    if (!this.#isUsed) return;
    this.#clock.after(GRACE_MS, () => this.#dialer.retire(retirement), { unref: true });
  }

  #take(): HttpConnection | undefined {
    const nowMs = this.#clock.monotonicMs();
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.untilMs > nowMs) {
        idle.connection.keepsProcess = true;
        return idle.connection;
      }
      idle.connection.destroy();
    }
    return undefined;
  }
}
