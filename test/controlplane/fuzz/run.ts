/**
 * Sends random requests to a control plane and tells what went wrong: a crash, no answer, an error of the server
 * without a cause, an answer that took too long, memory that does not come back.
 */
import { Agent, request } from "node:https";
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type ControlPlane, startControlPlane } from "../../../src/controlplane/control-plane.ts";
import type { Logger } from "../../../src/log.ts";
import { connectionOf } from "../../conformance/replay.ts";
import { nextBomb } from "./bombs.ts";
import { nextDeep } from "./deep.ts";
import { fuzzDefinition } from "./definition.ts";
import { Random } from "../../support/random.ts";
import { SkippedTime } from "../../support/skipped-time.ts";
import { exchange, nextRaw } from "./raw.ts";
import { type FuzzRequest, nextRequest } from "./requests.ts";

const WORKERS = 4;
/** A hang is what is looked for. */
const DEADLINE_MS = 20_000;
/** One in so many requests is a bomb. */
const BOMB_EVERY = 400;
/** One in so many is no request at all. */
const RAW_EVERY = 500;
/** How many of the others reach deep. */
const DEEP_SHARE = 0.4;
/** A request is slow when it is each time. */
const TRIES = 3;

/** What to run. */
export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  /** An answer may take this long; as long as it likes when absent: that is a question to a machine that is known. */
  readonly slowMs?: number;
  /** Without an answer for this long a request hangs; 20 s when absent. */
  readonly deadlineMs?: number;
  /** Hears of progress after every so many requests. */
  readonly onProgress?: (done: number, heapBytes: number) => void;
}

/** What became of it. */
export interface FuzzReport {
  readonly wrong: readonly string[];
  /** The longest that an answer took, in milliseconds, and to what. */
  readonly slowestMs: number;
  readonly slowest: string;
  /** Answers by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** What answers from 500 say, without what is quoted, and how often. */
  readonly failures: Readonly<Record<string, number>>;
  /** Bytes in use after a collection: when warm, and in the end with all objects deleted. */
  readonly warmBytes: number;
  readonly endBytes: number;
  readonly seconds: number;
}

interface FuzzAnswer {
  readonly status: number;
  readonly text: string;
}

const PROGRESS_EVERY = 10_000;

/** Bytes in use, after a collection. */
function collectedBytes(): number {
  setFlagsFromString("--expose_gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Runs the stream of a seed against a control plane of its own. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { seed, deadlineMs = DEADLINE_MS } = options;
  const crashes: string[] = [];
  // A read of a version to come is refused after three seconds.
  const time = await SkippedTime.start();
  const log = crashLogger(crashes);
  const plane = await startControlPlane({ controllers: "off", log, clock: time.clock });
  const { server, ca, cert, key } = connectionOf(plane.kubeconfig);
  const agent = new Agent({ keepAlive: true, maxSockets: WORKERS, ca, cert, key });
  const send = sender(server, agent, deadlineMs);
  const noise = new Random(seed + 1);
  try {
    await send(create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", fuzzDefinition));
    return await run(
      {
        send,
        sendRaw: () => exchange(server, { ca, cert, key }, nextRaw(noise), deadlineMs),
        plane,
        crashes,
      },
      options,
    );
  } finally {
    agent.destroy();
    await plane.stop();
    await time.stop();
  }
}

interface Subject {
  readonly send: (asked: FuzzRequest) => Promise<FuzzAnswer>;
  /** Sends what is no request. */
  readonly sendRaw: () => Promise<void>;
  readonly plane: ControlPlane;
  readonly crashes: readonly string[];
}

async function run(
  { send, sendRaw, plane, crashes }: Subject,
  { requests, seed, slowMs = Infinity, onProgress }: FuzzOptions,
): Promise<FuzzReport> {
  const random = new Random(seed);
  const wrong: string[] = [];
  const statuses: Record<number, number> = {};
  const failures: Record<string, number> = {};
  const suspects: { readonly asked: FuzzRequest; readonly shown: string }[] = [];
  const began = performance.now();
  let slowestMs = 0;
  let slowest = "";
  let sent = 0;
  const timed = async (asked: FuzzRequest): Promise<FuzzAnswer & { readonly ms: number }> => {
    const start = performance.now();
    return { ...(await send(asked)), ms: performance.now() - start };
  };
  const ask = async (asked: FuzzRequest, name: string): Promise<void> => {
    const before = crashes.length;
    const shown = `${name}${asked.method} ${asked.path.slice(0, 300)} ${JSON.stringify(asked.headers)} ${asked.body.toString("latin1", 0, 600)}`;
    try {
      const { status, text, ms } = await timed(asked);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (ms > slowMs) suspects.push({ asked, shown });
      else if (ms > slowestMs) [slowestMs, slowest] = [ms, shown];
      if (status < 200 || status > 599) wrong.push(`${status}: ${shown}`);
      if (status >= 500) {
        const said = summaryOf(text);
        failures[said] = (failures[said] ?? 0) + 1;
      }
      if (status >= 500 && !text.includes("message")) wrong.push(`${status} ${text}: ${shown}`);
    } catch (error) {
      wrong.push(`${String(error)}: ${shown}`);
    }
    if (crashes.length > before) wrong.push(`${crashes.at(-1) ?? ""}: ${shown}`);
  };
  const work = async (until: number): Promise<void> => {
    while (sent < until) {
      const count = ++sent;
      if (count % BOMB_EVERY === 0) {
        const { name, request: bomb } = nextBomb(random);
        await ask(bomb, `(${name}) `);
      } else if (count % RAW_EVERY === 1) {
        await sendRaw().catch((error: unknown) => wrong.push(String(error)));
      } else await ask(random.chance(DEEP_SHARE) ? nextDeep(random) : nextRequest(random), "");
      if (count % PROGRESS_EVERY === 0) onProgress?.(count, process.memoryUsage().heapUsed);
    }
  };
  const all = (until: number): Promise<unknown> =>
    Promise.all(Array.from({ length: WORKERS }, () => work(until)));
  await all(Math.ceil(requests / 10));
  await clear(send, plane);
  const warmBytes = collectedBytes();
  await all(requests);
  // The time of others is not a request's own: a slow one has to be slow alone, too, and not because the machine is.
  for (const { asked, shown } of suspects) {
    let ms = Infinity;
    for (let count = 0; count < TRIES && ms > slowMs; count++) {
      const began = process.cpuUsage();
      const alone = await timed(asked);
      const { user, system } = process.cpuUsage(began);
      ms = Math.min(ms, alone.ms, (user + system) / 1000);
    }
    if (ms > slowMs) wrong.push(`${Math.round(ms)} ms: ${shown}`);
    if (ms > slowestMs) [slowestMs, slowest] = [ms, shown];
  }
  await clear(send, plane);
  const ready = await send({ method: "GET", path: "/readyz", headers: {}, body: Buffer.alloc(0) });
  if (ready.text !== "ok") wrong.push(`not ready in the end: ${ready.text}`);
  return {
    wrong,
    slowestMs,
    slowest,
    statuses,
    failures,
    warmBytes,
    endBytes: collectedBytes(),
    seconds: (performance.now() - began) / 1000,
  };
}

/** The message of a Status, in general terms. */
function summaryOf(text: string): string {
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
  return message
    .replace(/\\"(?:[^"\\]|\\[^"])*\\"/g, "…")
    .replace(/\d+/g, "N")
    .slice(0, 100);
}

const create = (path: string, body: object): FuzzRequest => ({
  method: "POST",
  path,
  headers: { "content-type": "application/json" },
  body: Buffer.from(JSON.stringify(body)),
});

/** Deletes what the stream made, finalizers and all, and forgets history. */
async function clear(send: Subject["send"], plane: ControlPlane): Promise<void> {
  const collections = [
    ["configmaps", "/api/v1/namespaces/default/configmaps"],
    ["pods", "/api/v1/namespaces/default/pods"],
    ["services", "/api/v1/namespaces/default/services"],
    ["deployments.apps", "/apis/apps/v1/namespaces/default/deployments"],
    ["widgets.fuzz.example.com", "/apis/fuzz.example.com/v1/namespaces/default/widgets"],
    [
      "horizontalpodautoscalers.autoscaling",
      "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers",
    ],
    ["deeps0.deep.example.com", "/apis/deep.example.com/v1/namespaces/default/deeps0"],
    ["deeps1.deep.example.com", "/apis/deep.example.com/v1/namespaces/default/deeps1"],
    ["clusterroles.rbac.authorization.k8s.io", "/apis/rbac.authorization.k8s.io/v1/clusterroles"],
  ] as const;
  for (const [resource, path] of collections) {
    for (const { metadata } of plane.objects(resource)) {
      if (resource.startsWith("clusterroles") && metadata.labels?.["kubernetes.io/bootstrapping"]) {
        continue;
      }
      const object = `${path}/${encodeURIComponent(metadata.name ?? "")}`;
      await send({
        method: "PATCH",
        path: object,
        headers: { "content-type": "application/merge-patch+json" },
        body: Buffer.from('{"metadata":{"finalizers":null}}'),
      });
      const gone = { method: "DELETE", path: `${object}?gracePeriodSeconds=0` };
      await send({ ...gone, headers: {}, body: Buffer.alloc(0) });
    }
  }
  plane.compact();
}

function sender(server: string, agent: Agent, deadlineMs: number): Subject["send"] {
  return (asked) =>
    new Promise((resolve, reject) => {
      // Node leaves the length of a DELETE's body to its caller.
      const headers = { ...asked.headers, "content-length": asked.body.length };
      const options = { method: asked.method, headers, agent };
      const outgoing = request(`${server}${asked.path}`, options, (incoming) => {
        // A watch is answered when it begins.
        if (incoming.statusCode === 200 && /[?&]watch=(true|1)/.test(asked.path)) {
          incoming.on("error", () => undefined);
          incoming.destroy();
          resolve({ status: 200, text: "" });
          return;
        }
        let text = "";
        incoming.setEncoding("utf8").on("data", (part: string) => (text += part));
        incoming.on("end", () => {
          resolve({ status: incoming.statusCode ?? 0, text });
        });
        incoming.on("error", reject);
      });
      outgoing.setTimeout(deadlineMs, () => {
        outgoing.destroy(new Error(`no answer within ${deadlineMs} ms`));
      });
      outgoing.on("error", reject);
      outgoing.end(asked.body);
    });
}

/** A logger that keeps what the control plane calls its own failures. */
function crashLogger(crashes: string[]): Logger {
  const ignore = (): void => undefined;
  const log: Logger = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (...line: unknown[]) => void crashes.push(describeCrash(line)),
    child: () => log,
  };
  return log;
}

function describeCrash(line: readonly unknown[]): string {
  const [bindings] = line;
  const error = (bindings as { err?: unknown } | undefined)?.err;
  return error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(line);
}
