/** Answers as `node:http` writes them, head and body in one text. */
import { STATUS_CODES } from "node:http";
import type { Clock } from "../../../clock.ts";
import type { Reply } from "../requests/replies.ts";

/** Writes answers. */
export class AnswerTexts {
  readonly #clock: Clock;
  readonly #keepAlive: string;
  // The date of all answers of a second.
  #second = Number.NaN;
  #date = "";

  /** @param keepAliveMs - what clients are told of how long a connection stays */
  constructor(clock: Clock, keepAliveMs: number) {
    this.#clock = clock;
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}`;
  }

  /** @param isLast - no more requests are read from its connection */
  of({ status, body, retryAfterSeconds }: Reply, isLast: boolean): string {
    const reason = STATUS_CODES[status] ?? "unknown";
    const later = retryAfterSeconds === undefined ? "" : `Retry-After: ${retryAfterSeconds}\r\n`;
    const fields = `Content-Type: application/json\r\n${later}Content-Length: ${Buffer.byteLength(body)}\r\nDate: ${this.#now()}\r\n`;
    return isLast
      ? `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${fields}\r\n${body}`
      : `HTTP/1.1 ${status} ${reason}\r\n${fields}${this.#keepAlive}\r\n\r\n${body}`;
  }

  #now(): string {
    const second = Math.floor(this.#clock.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = new Date(second * 1000).toUTCString();
    }
    return this.#date;
  }
}
