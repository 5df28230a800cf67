/** The page of the lab: what it answers before and after its ConfigMap changes, from the program of its own pods. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createManager, mergePatch, type Client, type NewObject } from "tsop";
import { ConfigMap, Deployment, Pod } from "tsop/k8s";
import {
  clientFor,
  eventually,
  installOperator,
  silentLogger,
  startControlPlane,
} from "tsop/testing";
import { expect, it } from "vitest";
import { RESTARTS, setUpRestarts } from "../src/controllers/restart-controller.ts";

const namespace = "default";
const PORT = "8080";
const settings = { namespace, name: "page-config" };
const labels = { app: "frontend" };
/** As in config/samples/page.yaml. */
const frontend: NewObject<Deployment> = {
  metadata: { namespace, name: "frontend" },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: "page",
            image: "node:22-alpine",
            command: [
              "node",
              "--eval",
              `require("node:http").createServer((_, answer) => answer.end(process.env.MSG)).listen(${PORT})`,
            ],
            envFrom: [{ configMapRef: { name: settings.name } }],
          },
        ],
      },
    },
  },
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it does not listen");
  server.close();
  await once(server, "close");
  return address.port;
}

/** The container of a pod as a process of this machine, with the environment that a kubelet gives it at its start. */
class PodProcess {
  readonly #process: ChildProcess;
  readonly #url: string;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.#url = `http://127.0.0.1:${port}`;
  }

  static async start(client: Client, pod: Pod): Promise<PodProcess> {
    const [container] = pod.spec?.containers ?? [];
    const env: Record<string, string> = {};
    for (const { configMapRef } of container?.envFrom ?? []) {
      if (configMapRef?.name === undefined) continue;
      const { data } = await client.get(ConfigMap, { namespace, name: configMapRef.name });
      Object.assign(env, data);
    }
    const port = await freePort();
    const args = (container?.command ?? []).slice(1);
    const own = args.map((arg) => arg.replace(PORT, String(port)));
    return new PodProcess(spawn(process.execPath, own, { env, stdio: "ignore" }), port);
  }

  /** What its page says. */
  page(): Promise<string> {
    return eventually(async () => (await fetch(this.#url)).text());
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.kill();
    await ended;
  }
}

it("S1-05 a page says the text of its ConfigMap, and after a change that of its next pods", async () => {
  await using cluster = await startControlPlane({ listen: false });
  const client = clientFor(cluster);
  const config = await installOperator(cluster);
  const manager = createManager({ config, log: silentLogger });
  setUpRestarts(manager);
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  const processes: PodProcess[] = [];
  const start = async (pod: Pod): Promise<PodProcess> => {
    const started = await PodProcess.start(client, pod);
    processes.push(started);
    return started;
  };
  /** The two pods of a rollout that is over; none of them is among those. */
  const rolledOut = (before: readonly Pod[]): Promise<Pod[]> =>
    eventually(
      async () => {
        const pods = await client.list(Pod, { namespace, labels });
        const old = new Set(before.map(({ metadata }) => metadata.uid));
        expect(pods.map(({ metadata }) => old.has(metadata.uid))).toEqual([false, false]);
        expect(
          new Set(pods.map(({ metadata }) => metadata.labels?.["pod-template-hash"])).size,
        ).toBe(1);
        for (const { metadata, status } of pods) {
          expect(metadata.annotations).toBeDefined();
          expect(status?.conditions).toContainEqual(
            expect.objectContaining({ type: "Ready", status: "True" }),
          );
        }
        return pods;
      },
      { timeoutMs: 30_000 },
    );
  try {
    const annotations = { [RESTARTS]: "app=frontend" };
    const data = { MSG: "Welcome to Kubernetes!" };
    await client.create(ConfigMap, { metadata: { ...settings, annotations }, data });
    await client.create(Deployment, frontend);
    const before = await rolledOut([]);
    const [pod] = before;
    if (!pod) throw new Error("there is no pod");
    const first = await start(pod);
    expect(await first.page()).toBe("Welcome to Kubernetes!");

    await client.patch(ConfigMap, settings, mergePatch({ data: { MSG: "Welcome to Operators!" } }));
    const [next] = await rolledOut(before);
    if (!next) throw new Error("there is no pod");
    // A process gets its environment at its start, and never again: that is why there is an operator.
    expect(await first.page()).toBe("Welcome to Kubernetes!");
    const second = await start(next);
    expect(await second.page()).toBe("Welcome to Operators!");
  } finally {
    for (const one of processes) await one.stop();
    stop.abort();
    await running;
  }
}, 60_000);
