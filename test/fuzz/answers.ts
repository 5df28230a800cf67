/** What a hostile API server sends instead of an HTTP answer. */
import { AnswerParser } from "../../src/runtime/transport/answer-parser.ts";
import type { Random } from "../support/random.ts";
import type { FuzzKind } from "./campaign.ts";

/** Bytes of an answer, and where its pieces end. */
interface RawAnswer {
  readonly method: string;
  readonly bytes: Buffer;
  readonly pieceBytes: number;
}

const LINES = [
  "HTTP/1.1 200 OK",
  "HTTP/1.0 200 OK",
  "HTTP/1.1 100 Continue",
  "HTTP/1.1 204 No Content",
  "HTTP/2 200",
  "Content-Length: 5",
  "Content-Length: +5",
  "Content-Length: -1",
  "Content-Length: 5, 5",
  "Content-Length: 18446744073709551615",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: chunked\v",
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding : chunked",
  "Connection: close",
  "__proto__: x",
  " folded",
  "X: a\0b",
  "X: a\nb",
  "X: a\rb",
  "5",
  "5;a=b",
  "0",
  "ffffffffffffff",
  "hello",
  "",
];
const ENDS = ["\r\n", "\r\n", "\r\n", "\n", "\r", "\r\n\r\n", ""];

/** Answers that are put together of good and bad lines. */
export const answers: FuzzKind<RawAnswer> = {
  about: "raw answers of a hostile API server",
  next(random) {
    const start = random.chance(0.9) ? "HTTP/1.1 200 OK\r\n" : "";
    const lines = Array.from({ length: random.below(8) }, () => line(random));
    return {
      method: random.pick(["GET", "GET", "HEAD", "POST"]),
      bytes: Buffer.from(start + lines.join(""), "latin1"),
      pieceBytes: 1 + random.below(40),
    };
  },
  show: ({ method, bytes, pieceBytes }) =>
    `${method}, pieces of ${pieceBytes}: ${JSON.stringify(bytes.toString("latin1"))}`,
  start: () => Promise.resolve({ attempt, stop: () => Promise.resolve() }),
};

function line(random: Random): string {
  const text = random.pick(LINES) + random.pick(ENDS);
  if (random.chance(0.9)) return text;
  const at = random.below(text.length + 1);
  return text.slice(0, at) + String.fromCharCode(random.below(256)) + text.slice(at);
}

function attempt({ method, bytes, pieceBytes }: RawAnswer): Promise<string> {
  const seen: string[] = [];
  const parser = new AnswerParser(method, {
    head: () => seen.push("head"),
    data: (part) => {
      if (part.length === 0) throw new Error("an empty part of a body");
    },
    end: () => seen.push("end"),
  });
  try {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      parser.push(bytes.subarray(at, at + pieceBytes));
    }
    parser.ended();
  } catch (error) {
    if ((error as Error).name !== "AnswerError") throw error;
    return Promise.resolve(`refused after ${seen.join(" and ") || "nothing"}`);
  }
  if (parser.done !== seen.includes("end")) throw new Error("`done` and `end` disagree");
  return Promise.resolve(seen.join(" and ") || "incomplete");
}
