/**
 * Bytes on a connection of the webhook server: what it reads by itself, `node:http` has to read in the same way.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { Duplex } from "node:stream";
import { connect } from "node:tls";
import { Registry } from "prom-client";
import { systemClock } from "../../src/clock.ts";
import { selfSigned } from "../../src/kube/x509/certificate.ts";
import { requestHeadOf } from "../../src/runtime/webhook/direct/request-head.ts";
import type { ServedPath } from "../../src/runtime/webhook/requests/served-path.ts";
import { WebhookMetrics } from "../../src/runtime/webhook/requests/webhook-metrics.ts";
import { WebhookServer } from "../../src/runtime/webhook/webhook-server.ts";
import type { Random } from "../support/random.ts";
import { boundsOf } from "../runtime/webhook/support.ts";
import type { FuzzKind } from "./campaign.ts";

/** What is sent, and in which pieces. */
interface WireInput {
  readonly pieces: readonly Buffer[];
  /** To a server, over TLS: once on a connection that it reads by itself, and once on one that `node:http` reads. */
  readonly sent: boolean;
}

const HEADERS = [
  "Host: shop-webhook-service.shop-system.svc:443",
  "User-Agent: kube-apiserver-admission",
  "Accept: application/json, */*",
  "Accept-Encoding: gzip",
  "Content-Type: application/json",
];
const MORE = [
  "Authorization: Bearer a.b-c_d",
  "Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "tracestate: a=b,c=d",
  "Baggage: a=b",
  "CONNECTION: keep-alive",
];
const ODD_LINES = [
  "Host: b",
  "host: shop-webhook-service.shop-system.svc:443",
  "Content-Length: 2",
  "Content-Length: 0",
  "Content-Length: +2",
  "Content-Length: 02",
  "Content-Length: 2, 2",
  "Content-Length : 2",
  "Content-Length: 0x2",
  "Content-Length:2",
  "Content-Length:  2 ",
  "Content-Length: 99999999999999999999",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: identity",
  "Transfer-Encoding : chunked",
  "transfer-encoding:\tchunked",
  "Connection: close",
  "Connection: Upgrade",
  "Upgrade: h2c",
  "Expect: 100-continue",
  "Content-Encoding: gzip",
  "Content-Type: text/plain",
  "Content-Type: application/json; charset=utf-8",
  "Trailer: Content-Length",
  "__proto__: x",
  " folded: x",
  "\tfolded",
  "X: y",
  "X-: a\u0000b",
  "Accept: a\u0080b",
  "Accept: a\u007fb",
  "Accept: a\tb",
  "Accept:",
  "Accept: ",
  ": x",
  "",
];
const STARTS = [
  "POST /echo?timeout=10s HTTP/1.1",
  "POST /echo HTTP/1.1",
  "POST /echo? HTTP/1.1",
  "POST /other?timeout=1s HTTP/1.1",
];
const ODD_STARTS = [
  "GET /echo HTTP/1.1",
  "post /echo HTTP/1.1",
  "POST /echo HTTP/1.0",
  "POST /echo HTTP/2.0",
  "POST  /echo HTTP/1.1",
  "POST /echo  HTTP/1.1",
  "POST /echo HTTP/1.1 ",
  "POST /echo?a?b HTTP/1.1",
  "POST /echo#a HTTP/1.1",
  "POST //echo HTTP/1.1",
  "POST /../echo HTTP/1.1",
  "POST /%65cho HTTP/1.1",
  "POST http://a/echo HTTP/1.1",
  "POST * HTTP/1.1",
  "POST echo HTTP/1.1",
  "OPTIONS * HTTP/1.1",
  "PRI * HTTP/2.0",
  "",
];
const ENDS = ["\n", "\r", "\r\r\n", "\r\n\r\n", "", "\r\n "];
const BODIES = ['{"a":1}', "{}", "[]", '{"text":"é€"}', "{", "0\r\n\r\n", "x".repeat(3000)];
const PATHS = ["/echo", "/other"];
// What node:http says by itself of what it cannot read.
const BROKEN = /HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n\r\n$/;

/** One request or several, each good, or with a few mistakes. */
export const wire: FuzzKind<WireInput> = {
  about: "bytes on connections of the webhook server, which node:http has to read in the same way",
  atOnce: 8,
  next(random) {
    const count = random.chance(0.85) ? 1 : 2 + random.below(3);
    const requests = Array.from({ length: count }, () => requestFrom(random));
    const bytes = spoiled(Buffer.concat(requests), random);
    return { pieces: inPieces(bytes, requests, random), sent: random.chance(0.01) };
  },
  show: ({ pieces, sent }) =>
    `${sent ? "sent: " : ""}${pieces.map((piece) => JSON.stringify(piece.toString("latin1"))).join(" + ")}`,
  start,
};

function requestFrom(random: Random): Buffer {
  const body = Buffer.from(random.pick(BODIES));
  const headers = [...HEADERS, ...random.some(MORE, 0.1)];
  headers.push(`Content-Length: ${body.length + (random.chance(0.03) ? random.below(9) - 4 : 0)}`);
  if (random.chance(0.2)) headers.splice(random.below(headers.length), 1);
  if (random.chance(0.25)) headers.splice(random.below(headers.length), 0, random.pick(ODD_LINES));
  const lines = [
    random.pick(random.chance(0.9) ? STARTS : ODD_STARTS),
    ...(random.chance(0.5) ? headers : random.shuffled(headers)),
    "",
  ];
  const head = lines
    .map((line) => line + (random.chance(0.01) ? random.pick(ENDS) : "\r\n"))
    .join("");
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}

/** Changes a few bytes, at times. */
function spoiled(bytes: Buffer, random: Random): Buffer {
  if (random.chance(0.7)) return bytes;
  const parts = [bytes];
  for (let count = random.below(3); count >= 0; count--) {
    const at = random.below(bytes.length);
    const odd = Buffer.from([
      random.chance(0.5) ? random.below(256) : random.pick([9, 10, 13, 32]),
    ]);
    const skipped = random.below(3);
    const whole = Buffer.concat(parts);
    parts.splice(0, parts.length, whole.subarray(0, at), odd, whole.subarray(at + skipped));
  }
  return Buffer.concat(parts);
}

/** One after the other, all at once, or cut anywhere. */
function inPieces(bytes: Buffer, requests: readonly Buffer[], random: Random): Buffer[] {
  const cuts = new Set<number>();
  if (random.chance(0.3)) requests.reduce((at, { length }) => (cuts.add(at), at + length), 0);
  if (random.chance(0.3)) {
    for (let count = random.below(4); count >= 0; count--) cuts.add(random.below(bytes.length));
  }
  const places = [...cuts, 0, bytes.length].sort((left, right) => left - right);
  return places
    .map((at, place) => bytes.subarray(at, places[place + 1]))
    .filter(({ length }) => length > 0);
}

async function start(): ReturnType<FuzzKind<WireInput>["start"]> {
  const now = Date.now();
  const validity = { from: now - 3_600_000, to: now + 24 * 3_600_000 };
  const { certificate, key } = selfSigned(["localhost"], validity);
  const metrics = new WebhookMetrics(new Registry(), systemClock);
  const paths = new Map(PATHS.map((path) => [path, echo(path, metrics)]));
  const pair = { cert: Buffer.from(certificate), key: Buffer.from(key) };
  const server = new WebhookServer(systemClock, paths, pair, boundsOf(systemClock));
  const port = await server.listen({ port: 0, host: "127.0.0.1" });
  const judge = createServer();
  return {
    async attempt({ pieces, sent }) {
      if (sent) return compareAnswers(port, judge, pieces);
      return compareHeads(judge, Buffer.concat(pieces));
    },
    async stop() {
      await server.stop(1000);
    },
  };
}

/** Answers at once with what it was sent. */
function echo(path: string, metrics: WebhookMetrics): ServedPath {
  return {
    name: path,
    metrics: metrics.of(path),
    maxBytes: 2000,
    isForAll: false,
    growth: 1,
    defaultTimeoutMs: 1000,
    askedBy: () => ({ uid: "u", apiVersion: "v1", kind: "AdmissionReview" }),
    answer: (body) => ({ status: 200, body: JSON.stringify({ path, body }) }),
    broken(error) {
      throw error;
    },
  };
}

/** What is taken for a request has to be the same one for the parser of Node. */
async function compareHeads(judge: Server, bytes: Buffer): Promise<string> {
  const head = requestHeadOf(bytes);
  if (!head) return "left to node:http";
  const end = head.bodyAt + head.bodyBytes;
  if (end > bytes.length) return "the body is not complete";
  const read = await readByNode(judge, bytes.subarray(0, end));
  const query = read.url.includes("?") ? `?${head.query}` : head.query;
  const own = {
    method: head.method,
    url: head.pathname + query,
    version: "1.1",
    headers: head.headers,
    body: bytes.toString("latin1", head.bodyAt, end),
    requests: 1,
  };
  if (JSON.stringify(own) !== JSON.stringify(read)) {
    throw new Error(`read as ${JSON.stringify(own)}, by node:http as ${JSON.stringify(read)}`);
  }
  return "read alike";
}

interface ReadRequest {
  readonly method: string | undefined;
  readonly url: string;
  readonly version: string;
  readonly headers: unknown;
  readonly body: string;
  readonly requests: number;
}

/** What Node makes of exactly these bytes. @throws Error when it is no whole request */
function readByNode(judge: Server, bytes: Buffer): Promise<ReadRequest> {
  return new Promise((resolve, reject) => {
    let requests = 0;
    const connection = memoryConnection();
    const asked = (request: IncomingMessage): void => {
      if (request.socket !== (connection as unknown)) return;
      requests++;
      let body = "";
      request.setEncoding("latin1").on("data", (part: string) => (body += part));
      request.on("end", () => {
        const { method, url = "", httpVersion: version, headers } = request;
        settle(() => resolve({ method, url, version, headers, body, requests }));
      });
    };
    const failed = (error: Error, socket: Duplex): void => {
      if (socket === connection) settle(() => reject(error));
    };
    const settle = (done: () => void): void => {
      // What else it would find in the same bytes, it has found by then.
      setImmediate(() => {
        judge.off("request", asked).off("clientError", failed);
        connection.destroy();
        done();
      });
    };
    judge.on("request", asked).on("clientError", failed);
    judge.emit("connection", connection);
    connection.push(bytes);
  });
}

/**
 * Both have to be answered alike. Where a request is broken, what node:http says of it may overtake the answer to the one
 * before it: that depends on who calls its parser.
 */
async function compareAnswers(
  port: number,
  judge: Server,
  pieces: readonly Buffer[],
): Promise<string> {
  const [own, nodes] = await Promise.all([
    talk(port, pieces, undefined),
    // Nothing but POST is read by the server itself: this connection is node:http's.
    talk(port, pieces, Buffer.from("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n")),
  ]);
  if (own.said === nodes.said) return `sent, answered with ${own.said.slice(9, 12) || "nothing"}`;
  const isCut = own.isReset || nodes.isReset || (await isBroken(judge, Buffer.concat(pieces)));
  const [one, other] = [own.said, nodes.said].map((said) => said.replace(BROKEN, ""));
  if (isCut && (one?.startsWith(other ?? "") || other?.startsWith(one ?? ""))) return "sent, cut";
  throw new Error(`answered ${JSON.stringify(own)}, by node:http ${JSON.stringify(nodes)}`);
}

/** Whether Node refuses it, or misses the rest. */
async function isBroken(judge: Server, bytes: Buffer): Promise<boolean> {
  const connection = memoryConnection();
  let broken = false;
  const failed = (_: Error, socket: Duplex): void => {
    if (socket === connection) broken = true;
  };
  judge.on("clientError", failed);
  judge.emit("connection", connection);
  connection.push(bytes);
  connection.push(null);
  for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate);
  judge.off("clientError", failed);
  connection.destroy();
  return broken;
}

function memoryConnection(): Duplex {
  return new Duplex({ read: () => undefined, write: (_, __, done) => done() });
}

interface Said {
  readonly said: string;
  /** It was ended while bytes were on the way: the last of the answer may be lost. */
  readonly isReset: boolean;
}

/** Sends all of it, after `first` is answered, and ends; all that is said to it, but for the dates. */
async function talk(
  port: number,
  pieces: readonly Buffer[],
  first: Buffer | undefined,
): Promise<Said> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  let said = "";
  let isReset = false;
  socket.setNoDelay(true).setEncoding("latin1");
  socket.on("data", (part: string) => (said += part));
  socket.on("error", () => (isReset = true));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await once(socket, "secureConnect");
  if (first) {
    socket.write(first);
    while (!said.endsWith("}}")) await once(socket, "data");
    said = "";
  }
  for (const piece of pieces) {
    socket.write(piece);
    // A record of its own; the other end may find several of them at once all the same.
    await new Promise(setImmediate);
  }
  socket.end();
  await closed;
  return { said: said.replaceAll(/^Date: .*\r\n/gm, ""), isReset };
}
