/**
 * Admission reviews on one core: an operator's webhook server against controller-runtime's (`GOMAXPROCS=1`), with a
 * validator each, and against an https server of Node that does nothing; in the same run, with the same bodies over the
 * same number of connections. And once more while a reconciler of the operator never rests.
 *
 * @module
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { systemClock } from "../src/clock.ts";
import { selfSigned } from "../src/kube/x509/certificate.ts";
import { has, median, run } from "./measure.ts";
import { type Peer, start, startScript } from "./peers.ts";

const CONNECTIONS = 16;
const WARM_MS = 2000;
const MEASURED_MS = 4000;
const ROUNDS = 3;
const PATH = "/validate--v1-configmap?timeout=10s";

interface Rate {
  readonly perSecond: number;
  readonly p99Ms: number;
}

const review = {
  kind: "AdmissionReview",
  apiVersion: "admission.k8s.io/v1",
  request: {
    uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
    kind: { group: "", version: "v1", kind: "ConfigMap" },
    resource: { group: "", version: "v1", resource: "configmaps" },
    requestKind: { group: "", version: "v1", kind: "ConfigMap" },
    requestResource: { group: "", version: "v1", resource: "configmaps" },
    name: "page",
    namespace: "default",
    operation: "CREATE",
    userInfo: { username: "jo", groups: ["system:authenticated"] },
    object: {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: {
        name: "page",
        namespace: "default",
        labels: { app: "page" },
        creationTimestamp: null,
      },
      data: Object.fromEntries(
        Array.from({ length: 20 }, (_, key) => [`key-${key}`, "x".repeat(50)]),
      ),
    },
    oldObject: null,
    dryRun: false,
    options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
  },
};

/** Asks a server for a while, one review at a time on each connection. */
async function ask(port: number): Promise<Rate> {
  const body = JSON.stringify(review);
  const question = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const beginMs = systemClock.monotonicMs() + WARM_MS;
  const endMs = beginMs + MEASURED_MS;
  const latencies: number[] = [];
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
      let askedMs = 0;
      let said = "";
      const next = (): void => {
        said = "";
        askedMs = systemClock.monotonicMs();
        socket.write(question);
      };
      socket.setNoDelay(true);
      socket.setEncoding("latin1");
      socket.on("secureConnect", next);
      socket.on("error", reject);
      socket.on("data", (part: string) => {
        said += part;
        const head = said.indexOf("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(said)?.[1]);
        if (head < 0 || said.length < head + 4 + length) return;
        if (!said.includes('"allowed":true')) reject(new Error(said));
        const nowMs = systemClock.monotonicMs();
        if (askedMs >= beginMs) latencies.push(nowMs - askedMs);
        if (nowMs < endMs) next();
        else {
          socket.end();
          resolve();
        }
      });
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  latencies.sort((left, right) => left - right);
  return {
    perSecond: (latencies.length * 1000) / MEASURED_MS,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
  };
}

/** A server that runs, and its port. */
type Server = () => Promise<{ readonly peer: Peer; readonly port: number }>;

async function rateOf(server: Server): Promise<Rate> {
  const { peer, port } = await server();
  try {
    return await ask(port);
  } finally {
    peer.child.kill("SIGKILL");
    await peer.ended();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const socket = createServer().listen(0, "127.0.0.1", () => {
      const { port } = socket.address() as AddressInfo;
      socket.close(() => {
        resolve(port);
      });
    });
  });
}

/** Goals: 0.7 times the empty server, as many as controller-runtime. */
export async function benchWebhooks(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tsop-bench-"));
  const now = systemClock.now();
  const { certificate, key } = selfSigned(["localhost"], {
    from: now - 3_600_000,
    to: now + 3_600_000,
  });
  writeFileSync(join(folder, "tls.crt"), certificate);
  writeFileSync(join(folder, "tls.key"), key);
  const ours =
    (mode: string): Server =>
    async () => {
      const peer = startScript("bench/webhook-server.ts", mode, folder);
      return { peer, port: Number(await peer.next()) };
    };
  const servers = new Map<string, Server>([
    ["tsop", ours("tsop")],
    ["empty https server", ours("empty")],
    ["tsop, beside a busy reconciler", ours("busy")],
  ]);
  try {
    if (has("go", "version")) {
      const program = join(folder, "webhook");
      run("go", ["build", "-o", program, "./webhook"], "bench/informer-go");
      servers.set("controller-runtime", async () => {
        const port = await freePort();
        const peer = start("env", ["GOMAXPROCS=1", program, folder, String(port)]);
        await peer.next();
        return { peer, port };
      });
    } else console.log("webhooks: no Go here, so no controller-runtime");
    const rates = new Map<string, Rate[]>();
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, server] of servers) {
        rates.set(name, [...(rates.get(name) ?? []), await rateOf(server)]);
      }
    }
    report(rates);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function report(rates: ReadonlyMap<string, readonly Rate[]>): void {
  const middle = (name: string, field: keyof Rate): number =>
    median((rates.get(name) ?? []).map((rate) => rate[field]));
  for (const name of rates.keys()) {
    console.log(
      `reviews a second, ${name.padEnd(30)} ${middle(name, "perSecond").toFixed(0).padStart(6)}, p99 ${middle(name, "p99Ms").toFixed(1)} ms`,
    );
  }
  for (const [peer, goal] of [
    ["empty https server", 0.7],
    ["controller-runtime", 1],
  ] as const) {
    if (!rates.has(peer)) continue;
    const ratio = middle("tsop", "perSecond") / middle(peer, "perSecond");
    const verdict = ratio >= goal ? "met" : "MISSED";
    console.log(`reviews a second: ${ratio.toFixed(2)}x of ${peer}  goal ${goal}x ${verdict}`);
  }
}
