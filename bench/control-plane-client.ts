/**
 * The load on a control plane, in a process of its own that is never the bottleneck: sockets with
 * TLS and keep-alive, requests as bytes, answers not parsed.
 *
 * `node scripts/run-ts.mjs bench/control-plane-client.ts KUBECONFIG JOB`, where JOB is a `Job` in
 * JSON; prints a `JobResult` in JSON.
 */
import { readFileSync } from "node:fs";
import { type TLSSocket, connect } from "node:tls";
import { parse } from "yaml";

/** The operation on the objects `item-0`, `item-1`, ... of the benchmark's custom kind. */
export interface Job {
  readonly operation:
    | "prepare"
    | "create"
    | "status"
    | "get"
    | "list"
    | "page"
    | "apply"
    | "fan-out";
  /** The number of requests. */
  readonly count: number;
  /**
   * The number of concurrent requests, each on a connection of its own; for `fan-out`, the number
   * of watches.
   */
  readonly parallel: number;
  /** The number of existing objects; for `create`, the number of the first one. */
  readonly objects: number;
}

/** The result, in milliseconds. */
export interface JobResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const NAMESPACE = "bench";
const PAYLOAD_BYTES = 1500;
const PAGE = 500;
const ITEMS = `/apis/bench.tsop.dev/v1/namespaces/${NAMESPACE}/items`;

interface Target {
  readonly host: string;
  readonly port: number;
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

function targetOf(kubeconfig: string): Target {
  const { clusters, users } = parse(readFileSync(kubeconfig, "utf8")) as {
    clusters: [{ cluster: Record<string, string> }];
    users: [{ user: Record<string, string> }];
  };
  const [{ cluster }] = clusters;
  const [{ user }] = users;
  const read = (from: Record<string, string>, name: string): Buffer =>
    from[`${name}-data`] === undefined
      ? readFileSync(from[name] ?? "")
      : Buffer.from(from[`${name}-data`] ?? "", "base64");
  const { hostname, port } = new URL(cluster["server"] ?? "");
  return {
    host: hostname,
    port: Number(port),
    ca: read(cluster, "certificate-authority"),
    cert: read(user, "client-certificate"),
    key: read(user, "client-key"),
  };
}

const HEADERS_END = Buffer.from("\r\n\r\n");

const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

/** One connection, one request at a time. */
class Connection {
  readonly #socket: TLSSocket;
  #chunks: Buffer[] = [];
  #received = 0;
  /** The length of the present answer with its headers; `undefined` if only its end shows it. */
  #length: number | "unknown" | undefined = "unknown";
  #check: () => void = () => undefined;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#received += chunk.length;
      this.#check();
    });
    socket.on("error", (error) => {
      throw error;
    });
  }

  static async open(target: Target): Promise<Connection> {
    const socket = connect({ ...target, ALPNProtocols: ["http/1.1"] });
    await new Promise((resolve) => socket.once("secureConnect", resolve));
    return new Connection(socket);
  }

  /** Sends a request, and resolves when its answer is complete; throws unless it is a success. */
  async send(request: Buffer): Promise<void> {
    const answer = new Promise<Buffer>((resolve) => {
      this.#check = () => {
        if (this.#isComplete()) resolve(Buffer.concat(this.#take()));
      };
    });
    this.#socket.write(request);
    const bytes = await answer;
    if (bytes[9] !== 0x32) throw new Error(bytes.toString("utf8"));
  }

  /** Sends a request whose answer does not end, and calls `take` for each piece of it. */
  stream(request: Buffer, take: (chunk: Buffer) => void): void {
    this.#check = () => {
      for (const chunk of this.#take()) take(chunk);
    };
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #isComplete(): boolean {
    if (this.#length === "unknown") {
      const bytes = Buffer.concat(this.#chunks);
      this.#chunks = [bytes];
      const headersEnd = bytes.indexOf(HEADERS_END);
      if (headersEnd < 0) return false;
      const headers = bytes.toString("latin1", 0, headersEnd);
      const length = /content-length: (\d+)/i.exec(headers)?.[1];
      this.#length = length === undefined ? undefined : headersEnd + 4 + Number(length);
    }
    if (this.#length !== undefined) return this.#received >= this.#length;
    const tail = Buffer.concat(this.#chunks.slice(-LAST_CHUNK.length));
    return tail.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
  }

  #take(): Buffer[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#received = 0;
    this.#length = "unknown";
    return chunks;
  }
}

function request(method: string, path: string, body?: object, type = "application/json"): Buffer {
  const bytes = body ? Buffer.from(JSON.stringify(body)) : Buffer.alloc(0);
  const head = [
    `${method} ${path} HTTP/1.1`,
    "host: localhost",
    "user-agent: bench/1",
    "accept: application/json",
    ...(body ? [`content-type: ${type}`, `content-length: ${bytes.length}`] : []),
    "",
    "",
  ].join("\r\n");
  return Buffer.concat([Buffer.from(head), bytes]);
}

const DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "items.bench.tsop.dev" },
  spec: {
    group: "bench.tsop.dev",
    scope: "Namespaced",
    names: { plural: "items", singular: "item", kind: "Item" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["image"],
                properties: {
                  image: { type: "string", minLength: 1, pattern: "^[a-z0-9./:-]+$" },
                  replicas: { type: "integer", minimum: 0, default: 1 },
                  paused: { type: "boolean" },
                  page: { type: "string" },
                  ports: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: {
                        name: { type: "string" },
                        port: { type: "integer", minimum: 1, maximum: 65535 },
                      },
                    },
                  },
                },
              },
              status: {
                type: "object",
                properties: {
                  readyReplicas: { type: "integer" },
                  conditions: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                    items: {
                      type: "object",
                      required: ["type", "status"],
                      properties: {
                        type: { type: "string" },
                        status: { type: "string", enum: ["True", "False", "Unknown"] },
                        reason: { type: "string" },
                        message: { type: "string" },
                        lastTransitionTime: { type: "string", format: "date-time" },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const item = (name: string, app = "bench"): object => ({
  apiVersion: "bench.tsop.dev/v1",
  kind: "Item",
  metadata: { name, labels: { app } },
  spec: {
    image: "registry.example.com/web:1.27",
    replicas: 3,
    ports: [
      { name: "http", port: 80 },
      { name: "https", port: 443 },
    ],
    // No two pages are the same.
    page: `${name} `.repeat(PAYLOAD_BYTES).slice(0, PAYLOAD_BYTES),
  },
});

const statusPatch = (turn: number): object => ({
  status: {
    readyReplicas: turn,
    conditions: [
      {
        type: "Ready",
        status: turn % 2 === 0 ? "True" : "False",
        reason: "Bench",
        message: `turn ${turn}`,
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ],
  },
});

const MERGE_PATCH = "application/merge-patch+json";

/** The requests of a job, by their number. */
function requestOf(job: Job, turn: number): Buffer {
  const name = `item-${turn % Math.max(job.objects, 1)}`;
  switch (job.operation) {
    case "create":
      return request("POST", ITEMS, item(`item-${job.objects + turn}`));
    case "status":
      return request("PATCH", `${ITEMS}/${name}/status`, statusPatch(turn), MERGE_PATCH);
    case "get":
      return request("GET", `${ITEMS}/${name}`);
    case "list":
      return request("GET", ITEMS);
    case "page":
      return request("GET", `${ITEMS}?limit=${PAGE}`);
    case "apply": {
      const configuration = {
        apiVersion: "bench.tsop.dev/v1",
        kind: "Item",
        metadata: { name, labels: { turn: String(turn) } },
        spec: { image: "registry.example.com/web:1.28", replicas: turn },
      };
      const path = `${ITEMS}/${name}?fieldManager=applier&force=true`;
      return request("PATCH", path, configuration, "application/apply-patch+yaml");
    }
    case "prepare":
    case "fan-out":
      throw new Error(`${job.operation} is no series of requests`);
  }
}

function resultOf(times: number[], tookMs: number, answers = times.length): JobResult {
  const sorted = times.sort((a, b) => a - b);
  const quantile = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? NaN;
  return { perSecond: (answers * 1000) / tookMs, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}

/** Creates the namespace and the custom kind; resolves when objects of it can be created. */
async function prepare(target: Target): Promise<JobResult> {
  const connection = await Connection.open(target);
  const began = performance.now();
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
  await connection.send(request("POST", "/api/v1/namespaces", namespace));
  await connection.send(
    request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION),
  );
  for (;;) {
    const probe = await Connection.open(target);
    const isServed = await probe.send(request("GET", ITEMS)).then(
      () => true,
      () => false,
    );
    probe.close();
    if (isServed) break;
  }
  const took = performance.now() - began;
  connection.close();
  return resultOf([took], took);
}

async function series(target: Target, job: Job): Promise<JobResult> {
  const connections = await Promise.all(
    Array.from({ length: job.parallel }, () => Connection.open(target)),
  );
  const times: number[] = [];
  let next = 0;
  const began = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      for (let turn = next++; turn < job.count; turn = next++) {
        const bytes = requestOf(job, turn);
        const sent = performance.now();
        await connection.send(bytes);
        times.push(performance.now() - sent);
      }
    }),
  );
  const took = performance.now() - began;
  for (const connection of connections) connection.close();
  return resultOf(times, took);
}

/** Measures the time from the write of a new object to its arrival at the last watch. */
async function fanOut(target: Target, job: Job): Promise<JobResult> {
  const writer = await Connection.open(target);
  const watches = await Promise.all(
    Array.from({ length: job.parallel }, () => Connection.open(target)),
  );
  let events = 0;
  let wake: () => void = () => undefined;
  const path = `${ITEMS}?watch=1&labelSelector=app%3Dfan&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
  for (const watch of watches) {
    // A line ends in "}\n", and nothing else does: texts have their line ends escaped.
    let last = 0;
    watch.stream(request("GET", path), (chunk) => {
      if (chunk[0] === 0x0a && last === 0x7d) events++;
      for (let at = chunk.indexOf("}\n"); at >= 0; at = chunk.indexOf("}\n", at + 2)) events++;
      last = chunk[chunk.length - 1] ?? 0;
      wake();
    });
  }
  const seen = async (count: number): Promise<void> => {
    while (events < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  // The bookmark before the first event.
  let expected = job.parallel;
  await seen(expected);
  const times: number[] = [];
  const began = performance.now();
  for (let turn = 0; turn < job.count; turn++) {
    const sent = performance.now();
    expected += job.parallel;
    await Promise.all([
      writer.send(request("POST", ITEMS, item(`fan-${turn}`, "fan"))),
      seen(expected),
    ]);
    times.push(performance.now() - sent);
  }
  const took = performance.now() - began;
  for (const connection of [writer, ...watches]) connection.close();
  return resultOf(times, took, job.count * job.parallel);
}

function work(target: Target, job: Job): Promise<JobResult> {
  if (job.operation === "prepare") return prepare(target);
  return job.operation === "fan-out" ? fanOut(target, job) : series(target, job);
}

const [kubeconfig, job] = process.argv.slice(2);
if (kubeconfig === undefined || job === undefined) throw new Error("usage: KUBECONFIG JOB");
console.log(JSON.stringify(await work(targetOf(kubeconfig), JSON.parse(job) as Job)));
