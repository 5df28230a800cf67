/** What strangers send to the ports of an operator. */
import { connect } from "node:net";
import { Registry } from "prom-client";
import { VirtualClock } from "../../src/clock.ts";
import {
  answerProbe,
  HealthChecks,
  serveMetrics,
  serveProbes,
} from "../../src/runtime/serving/health.ts";
import { Probes } from "../../src/runtime/side-thread/probes.ts";
import { SharedMemory } from "../../src/runtime/side-thread/shared-memory.ts";
import { Stillness } from "../../src/runtime/side-thread/stillness.ts";
import type { Random } from "../support/random.ts";
import type { FuzzKind } from "./campaign.ts";

/** Bytes for one connection. */
interface RawRequest {
  readonly metrics: boolean;
  readonly bytes: Buffer;
}

const GOOD_METHODS = ["GET", "GET", "GET", "GET", "HEAD", "POST", "OPTIONS"];
const METHODS = [...GOOD_METHODS, "CONNECT", "get", "PRI", ""];
const TARGETS = [
  "/healthz",
  "/healthz?verbose",
  "/readyz",
  "/readyz?exclude=db&exclude=db",
  "/readyz/../healthz",
  "/metrics",
  "/metrics?name[]=x",
  "/__proto__",
  "/constructor",
  "//healthz",
  "/\\healthz",
  "/%00",
  "/%2e%2e/metrics",
  "/%",
  "*",
  "http://other/healthz",
  "http://[::1",
  "http://",
  "?",
  "#",
  "healthz",
  "/healthz?\u00e4",
];
const VERSIONS = ["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", ""];
const HEADERS = [
  "Host: a",
  "Host: a\0b",
  "Authorization: Bearer x",
  "Authorization: Basic \u00ff",
  "Content-Length: 5",
  "Content-Length: -1",
  "Content-Length: 5, 6",
  "Content-Length: 99999999999999999999",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: chunked\v",
  "Transfer-Encoding: gzip, chunked",
  "Connection: keep-alive",
  "Connection: upgrade",
  "Upgrade: websocket",
  "Expect: 100-continue",
  "Expect: x",
  "__proto__: x",
  " folded",
  "no colon",
  "a: b\nc: d",
  "a: b\rc: d",
  "Accept-Encoding: gzip",
];
const ENDS = [...Array.from({ length: 40 }, () => "\r\n"), "\n", "\r"];
const OTHER_PROTOCOLS = [
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003",
  "SSH-2.0-OpenSSH\r\n",
  "\0\0\0\0",
  "\r\n\r\n\r\n",
];
// Completes whatever came before, so that the server has something to answer.
const LAST = "\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const KNOWN = new Set(["200", "400", "404", "405", "408", "413", "417", "431", "500"]);
const SECRET = "hunter2";
const PATIENCE_MS = 20_000;

/** Requests that are put together of good and bad parts. */
export const requests: FuzzKind<RawRequest> = {
  about: "raw requests of strangers to the probes and the metrics",
  atOnce: 8,
  next: (random) => ({
    metrics: random.chance(0.4),
    bytes: Buffer.from(requestText(random), "latin1"),
  }),
  show: ({ metrics, bytes }) =>
    `${metrics ? "metrics" : "probes"}: ${JSON.stringify(bytes.toString("latin1"))}`,
  start,
};

function requestText(random: Random): string {
  if (random.chance(0.03)) return random.pick(OTHER_PROTOCOLS);
  if (random.chance(0.03)) {
    const noise = Array.from({ length: random.below(300) }, () => random.below(256));
    return String.fromCharCode(...noise);
  }
  const count = random.chance(0.98) ? 1 : 1 + random.below(20);
  const text = Array.from({ length: count }, () => oneRequest(random)).join("");
  if (random.chance(0.8)) return text;
  const at = random.below(text.length + 1);
  return text.slice(0, at) + String.fromCharCode(random.below(256)) + text.slice(at);
}

function oneRequest(random: Random): string {
  if (random.chance(0.5)) {
    return `${random.pick(GOOD_METHODS)} ${random.pick(TARGETS)} HTTP/1.1\r\nHost: a\r\n\r\n`;
  }
  let target = random.pick(TARGETS);
  // Up to what a head may have, and beyond.
  if (random.chance(0.03)) target += "x".repeat(random.below(20_000));
  const lines = [`${random.pick(METHODS)} ${target} ${random.pick(VERSIONS)}`, "Host: a"];
  for (let more = random.below(4); more > 0; more--) lines.push(random.pick(HEADERS));
  if (random.chance(0.005)) lines.push(...Array.from({ length: 3000 }, () => "a: b"));
  return `${lines.map((line) => line + random.pick(ENDS)).join("")}\r\n${random.chance(0.2) ? "5\r\nhello\r\n0\r\n\r\n" : ""}`;
}

async function start(): ReturnType<FuzzKind<RawRequest>["start"]> {
  const clock = new VirtualClock();
  const checks = { "/healthz": new HealthChecks(), "/readyz": new HealthChecks() };
  checks["/healthz"].add("ping", () => undefined);
  checks["/readyz"].add("db", () => Promise.reject(new Error(SECRET)));
  const probes = new Probes({
    clock,
    stillness: new Stillness(new SharedMemory(), clock),
    stuckAfterMs: 10_000,
    ask: (id, url) => {
      void answerProbe(url, checks).then((answer) => {
        probes.answered(id, answer);
      });
    },
  });
  const endpoint = { port: 0, host: "127.0.0.1" };
  const probeServer = await serveProbes(endpoint, (url) => probes.answer(url));
  const metricsServer = await serveMetrics(endpoint, new Registry(), {});
  return {
    attempt: ({ metrics, bytes }: RawRequest) =>
      exchange((metrics ? metricsServer : probeServer).port, bytes),
    stop: async () => {
      await probeServer.stop();
      await metricsServer.stop();
    },
  };
}

/** Sends the bytes; the first answer's status, or that the server hung up. */
function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    const over = (): void => {
      clearTimeout(timer);
      socket.removeAllListeners("close");
      // Without the minute that a port waits after a proper end: a million connections would use up all ports.
      socket.resetAndDestroy();
      if (answer === "") resolve("hung up");
      else judge(answer, resolve, reject);
    };
    const timer = setTimeout(() => {
      reject(new Error("no answer, and no end"));
      socket.destroy();
    }, PATIENCE_MS);
    socket.on("data", (part) => {
      answer += part.toString("latin1");
      if (answer.includes("\r\n\r\n")) over();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") reject(error);
    });
    socket.on("close", over);
    socket.write(Buffer.concat([bytes, Buffer.from(LAST)]));
  });
}

function judge(
  answer: string,
  resolve: (said: string) => void,
  reject: (why: Error) => void,
): void {
  const [, status = ""] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
  if (status !== "100" && !KNOWN.has(status)) {
    reject(new Error(`answered: ${answer.slice(0, 300)}`));
  } else if (answer.includes(SECRET)) reject(new Error("the reason of a failed check is told"));
  else resolve(`answered with ${status}`);
}
