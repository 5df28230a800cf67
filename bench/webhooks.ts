/**
 * Admission reviews on one core: an operator's webhook server against controller-runtime's (`GOMAXPROCS=1`), with a
 * validator each, and against https servers of Node that do nothing, and parse and answer alone; in the same run, with the same bodies over the
 * same number of connections; all of them read the whole body, and their answers are as long. And once more while a
 * reconciler of the operator never rests.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
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
const MEASURED_MS = 2500;
const ROUNDS = 5;
const PATH = "/validate--v1-configmap?timeout=10s";

interface Rate {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** The server's processor time for each review: the most reliable figure on a shared machine. */
  readonly serverUs: number;
  /** The client's processor time for each review; it has the other core. */
  readonly askerUs: number;
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

const BODY = JSON.stringify(review);
const QUESTION = Buffer.from(
  `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
);

/** A connection that sends one review after the other. */
async function connection(port: number): Promise<(endMs: number) => Promise<number[]>> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  socket.setNoDelay(true);
  socket.setEncoding("latin1");
  await once(socket, "secureConnect");
  return (endMs) =>
    new Promise((resolve, reject) => {
      const latencies: number[] = [];
      let askedMs = 0;
      let said = "";
      const next = (): void => {
        said = "";
        askedMs = systemClock.monotonicMs();
        socket.write(QUESTION);
      };
      const answered = (part: string): void => {
        said += part;
        const head = said.indexOf("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(said)?.[1]);
        if (head < 0 || said.length < head + 4 + length) return;
        if (!said.includes('"allowed":true')) reject(new Error(said));
        const nowMs = systemClock.monotonicMs();
        latencies.push(nowMs - askedMs);
        if (nowMs < endMs) next();
        else {
          socket.off("data", answered);
          resolve(latencies);
        }
      };
      socket.on("error", reject);
      socket.on("data", answered);
      next();
    });
}

/** Sends reviews to a server for a while, one at a time on each connection. */
async function ask(peer: Peer, port: number): Promise<Rate> {
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => connection(port)),
  );
  const phase = async (forMs: number): Promise<number[]> => {
    const endMs = systemClock.monotonicMs() + forMs;
    const asked = Promise.all(connections.map((one) => one(endMs)));
    // Waking a sleeping processor costs as much as half a review, and a slow server does it more
    // often than a fast one: so this one never sleeps.
    while (systemClock.monotonicMs() < endMs) await new Promise(setImmediate);
    return (await asked).flat();
  };
  const serverUs = async (): Promise<number> => {
    peer.say("cpu");
    return Number(await peer.next());
  };
  await phase(WARM_MS);
  const [serverBefore, askerBefore] = [await serverUs(), process.cpuUsage()];
  const latencies = await phase(MEASURED_MS);
  const asker = process.cpuUsage(askerBefore);
  const count = latencies.length;
  latencies.sort((left, right) => left - right);
  return {
    perSecond: (count * 1000) / MEASURED_MS,
    p99Ms: latencies[Math.floor(count * 0.99)] ?? Number.NaN,
    serverUs: ((await serverUs()) - serverBefore) / count,
    askerUs: (asker.user + asker.system) / count,
  };
}

/** A running server, and its port. */
type Server = () => Promise<{ readonly peer: Peer; readonly port: number }>;

async function rateOf(server: Server): Promise<Rate> {
  const { peer, port } = await server();
  try {
    return await ask(peer, port);
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
    ["https server that parses", ours("parsing")],
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
    const perSecond = middle(name, "perSecond").toFixed(0).padStart(6);
    const us = middle(name, "serverUs").toFixed(0);
    const asker = middle(name, "askerUs").toFixed(0);
    console.log(
      `reviews a second, ${name.padEnd(30)} ${perSecond}, p99 ${middle(name, "p99Ms").toFixed(1)} ms; processor time ${us} µs each (the asker's ${asker})`,
    );
  }
  // The cost of reading a review and writing an answer for any server in Node.
  const limit =
    middle("empty https server", "serverUs") / middle("https server that parses", "serverUs");
  console.log(
    `an https server that parses and answers alone does ${limit.toFixed(2)}x of the empty one`,
  );
  for (const [peer, goal] of [
    ["empty https server", 0.7],
    ["controller-runtime", 1],
  ] as const) {
    if (!rates.has(peer)) continue;
    // The number of reviews on one core follows from their processor time.
    const ratio = middle(peer, "serverUs") / middle("tsop", "serverUs");
    const seen = middle("tsop", "perSecond") / middle(peer, "perSecond");
    const verdict = ratio >= goal ? "met" : "MISSED";
    console.log(
      `reviews a second of one core: ${ratio.toFixed(2)}x of ${peer}  goal ${goal}x ${verdict} (by the clock ${seen.toFixed(2)}x)`,
    );
  }
}
