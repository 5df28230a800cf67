/**
 * What is no request, or not quite: bytes on a connection of their own. The server answers or hangs up; it may wait only
 * where the client still owes it something.
 */
import { type ConnectionOptions, connect } from "node:tls";
import type { Random } from "../../support/random.ts";

/** Bytes, and whether an answer or an end has to come. */
export interface RawExchange {
  readonly name: string;
  readonly bytes: string;
  /** The client goes first when it still owes something. */
  readonly owes?: boolean;
}

const HOST = "Host: x\r\nAuthorization: Bearer nope\r\n";
const get = (path: string, headers = ""): string => `GET ${path} HTTP/1.1\r\n${HOST}${headers}\r\n`;
const MAPS = "/api/v1/namespaces/default/configmaps";
const JSON_TYPE = "Content-Type: application/json\r\n";

const EXCHANGES: readonly ((random: Random) => RawExchange)[] = [
  (random) => ({
    name: "huge header",
    bytes: get("/readyz", `X-A: ${"a".repeat(random.pick([8000, 20_000, 200_000]))}\r\n`),
  }),
  (random) => ({
    name: "many headers",
    bytes: get(
      "/readyz",
      Array.from({ length: random.pick([100, 3000]) }, (_, n) => `X-${n}: a\r\n`).join(""),
    ),
  }),
  (random) => ({ name: "long path", bytes: get(`/${"a/".repeat(random.pick([1000, 20_000]))}`) }),
  (random) => ({
    name: "pipelined",
    bytes: get("/readyz").repeat(random.pick([2, 50])) + get("/readyz", "Connection: close\r\n"),
  }),
  () => ({ name: "preface of HTTP/2", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" }),
  () => ({
    name: "upgrade",
    bytes: get(
      "/api/v1/namespaces/default/pods/p/exec",
      "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n",
    ),
  }),
  () => ({
    name: "websocket",
    bytes: get(
      `${MAPS}?watch=true`,
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
    ),
  }),
  () => ({ name: "connect", bytes: `CONNECT x:1 HTTP/1.1\r\n${HOST}\r\n` }),
  () => ({ name: "no HTTP", bytes: "\u0000\u0001\u0002 hello\r\n\r\n" }),
  () => ({ name: "HTTP/1.0", bytes: "GET /readyz HTTP/1.0\r\n\r\n" }),
  () => ({ name: "expect", bytes: get("/readyz", "Expect: 200-maybe\r\nConnection: close\r\n") }),
  () => ({
    name: "continue",
    bytes: `POST ${MAPS} HTTP/1.1\r\n${HOST}${JSON_TYPE}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
  }),
  () => ({
    name: "two lengths",
    bytes: `POST ${MAPS} HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`,
  }),
  () => ({
    name: "length and chunks",
    bytes: `POST ${MAPS} HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  }),
  () => ({
    name: "lying chunks",
    bytes: `POST ${MAPS} HTTP/1.1\r\n${HOST}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  }),
  () => ({
    name: "endless chunks",
    bytes: `POST ${MAPS} HTTP/1.1\r\n${HOST}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\nffffff\r\n{`,
    owes: true,
  }),
  () => ({
    name: "half a body",
    bytes: `POST ${MAPS} HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: 1000\r\n\r\n{`,
    owes: true,
  }),
  () => ({ name: "half a line", bytes: "GET /rea", owes: true }),
  () => ({ name: "folded", bytes: get("/readyz", "X-A: b\r\n c\r\nConnection: close\r\n") }),
  () => ({ name: "no end of line", bytes: "GET /readyz HTTP/1.1\nHost: x\nConnection: close\n\n" }),
];

/** One of them. */
export const nextRaw = (random: Random): RawExchange => random.pick(EXCHANGES)(random);

/** Sends it; resolves when something came back, or the client went first. @throws Error when nothing did in time */
export function exchange(
  server: string,
  options: ConnectionOptions,
  { name, bytes, owes }: RawExchange,
  limitMs: number,
): Promise<void> {
  const { hostname, port } = new URL(server);
  return new Promise((resolve, reject) => {
    const socket = connect({ ...options, host: hostname, port: Number(port) }, () => {
      socket.write(bytes, "latin1", () => {
        if (owes) done();
      });
    });
    const done = (error?: Error): void => {
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    socket.setTimeout(limitMs, () => {
      done(new Error(`no answer to raw bytes within ${limitMs} ms: ${name}`));
    });
    socket.on("data", () => done());
    socket.on("close", () => done());
    // A server that hangs up on what is no HTTP is right.
    socket.on("error", () => done());
  });
}
