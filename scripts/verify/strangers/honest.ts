/**
 * The API server, the kubelet and Prometheus of `scripts/verify/strangers.ts`, in a process of their own: what the strangers' process has to do does not count as
 * time of the operator. Reports when it is disconnected.
 */
import type { IncomingHttpHeaders } from "node:http";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { systemClock } from "../../../src/clock.ts";
import { messageOf } from "../../../src/errors.ts";
import { conversionOf, reviewOf } from "./bodies.ts";

/** What it is started with. */
export interface Honest {
  readonly ports: Readonly<Record<"webhooks" | "metrics" | "health", number>>;
  readonly token: string;
  /** The path of conversions, as the CRD has it. */
  readonly convert: string;
}

/** What it says in the end. */
export interface HonestReport {
  readonly asked: number;
  /** How many times a 503 with Retry-After made it ask once more, as client-go does. */
  readonly repeated: number;
  readonly failures: readonly string[];
  readonly latenciesMs: Readonly<Record<string, readonly number[]>>;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const ATTEMPTS = 10;
const TIMEOUT_MS = 10_000;
const agents = {
  http: new HttpAgent({ keepAlive: true }),
  https: new Agent({ keepAlive: true, rejectUnauthorized: false }),
};
const latenciesMs: Record<string, number[]> = {};
const failures: string[] = [];
const ended = new AbortController();
let asked = 0;
let repeated = 0;

function ask(
  port: number,
  path: string,
  body?: string,
  token?: string,
  isTls = true,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = isTls ? httpsRequest : httpRequest;
    const headers = {
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const agent = isTls ? agents.https : agents.http;
    const method = body === undefined ? "GET" : "POST";
    const outgoing = send({ host: "127.0.0.1", port, path, method, headers, agent }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("error", reject);
      answer.on("end", () => {
        const { statusCode: status = 0, headers: got } = answer;
        resolve({ status, headers: got, text: Buffer.concat(parts).toString() });
      });
    });
    outgoing.setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error("no answer within 10 s")));
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Asks one question again and again, with a pause. */
async function loop(
  name: string,
  pauseMs: number,
  question: () => Promise<Answer>,
  isRight: (text: string) => boolean,
): Promise<void> {
  const latencies = (latenciesMs[name] = [] as number[]);
  while (!ended.signal.aborted) {
    const beganMs = systemClock.monotonicMs();
    asked++;
    try {
      let answer = await question();
      for (let again = 1; again < ATTEMPTS && isTemporary(answer); again++) {
        repeated++;
        await systemClock.sleep(Number(answer.headers["retry-after"]) * 1000);
        answer = await question();
      }
      const took = systemClock.monotonicMs() - beganMs;
      latencies.push(took);
      if (took > TIMEOUT_MS) failures.push(`${name}: no answer within 10 s`);
      else if (answer.status !== 200 || !isRight(answer.text)) {
        failures.push(`${name}: ${answer.status} ${answer.text.slice(0, 200)}`);
      }
    } catch (error) {
      failures.push(`${name}: ${messageOf(error)}`);
    }
    await systemClock.sleep(pauseMs);
  }
}

const isTemporary = ({ status, headers }: Answer): boolean =>
  status === 503 && headers["retry-after"] !== undefined;

process.once("message", ({ ports, token, convert }: Honest) => {
  const { webhooks, metrics, health } = ports;
  const review = JSON.stringify(reviewOf({ size: 1 }));
  const allowed = (text: string): boolean => text.includes('"allowed":true');
  const [few, many] = [10, 1000].map((count) => JSON.stringify(conversionOf(count, 1000)));
  const converted = (text: string): boolean => text.includes('"status":"Success"');
  void Promise.all([
    loop("validate", 5, () => ask(webhooks, "/validate?timeout=10s", review), allowed),
    loop("mutate", 5, () => ask(webhooks, "/mutate?timeout=10s", review), allowed),
    loop("slow", 20, () => ask(webhooks, "/slow?timeout=10s", review), allowed),
    loop("convert 10", 50, () => ask(webhooks, `${convert}?timeout=30s`, few), converted),
    loop("convert 1000", 2000, () => ask(webhooks, `${convert}?timeout=30s`, many), converted),
    loop(
      "healthz",
      1000,
      () => ask(health, "/healthz", undefined, undefined, false),
      () => true,
    ),
    loop(
      "metrics",
      1000,
      () => ask(metrics, "/metrics", undefined, token),
      (text) => text.includes("process_cpu"),
    ),
  ]).then(() => {
    const report: HonestReport = { asked, repeated, failures, latenciesMs };
    process.send?.(report, () => process.disconnect());
  });
  process.once("message", () => {
    ended.abort();
    agents.http.destroy();
  });
});
