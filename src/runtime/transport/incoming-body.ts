/**
 * The body of an HTTP answer: the pieces of a watch, or the whole of anything else.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import { piecesOf } from "./body-pieces.ts";
import type { Body } from "./transport.ts";

/** @param failed - what to throw for an error of the stream */
export function incomingBody(incoming: IncomingMessage, failed: (error: unknown) => Error): Body {
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* piecesOf(incoming);
      } catch (error) {
        throw failed(error);
      }
    },
    whole: () =>
      new Promise((resolve, reject) => {
        const brokenOff = (): void => {
          reject(failed(incoming.errored ?? new Error("the connection was closed in between")));
        };
        if (incoming.destroyed) {
          brokenOff();
          return;
        }
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("end", () => {
          const [first] = chunks;
          resolve(first && chunks.length === 1 ? first : Buffer.concat(chunks));
        });
        incoming.on("error", brokenOff);
        incoming.on("close", () => {
          if (!incoming.readableEnded) brokenOff();
        });
      }),
  };
}
