import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { systemClock } from "../../src/clock.ts";
import { connectionOf } from "../../test/conformance/replay.ts";
import { Random } from "../../test/support/random.ts";
import { defineVerification, SEED } from "../programs/program.ts";

const WRITERS = 6;
/** Large enough that the log is sometimes folded into a snapshot. */
const VALUE_BYTES = 4000;
const LONGEST_LIFE_MS = 1500;
const COLLECTION = "/api/v1/namespaces/default/configmaps";

/** The possible states of one object: the number of its last answered write, and of an open one. */
interface Expected {
  /** Absent: deleted, or never created. */
  answered: number | undefined;
  /** A write without an answer may have been stored. */
  underWay?: { readonly to: number | undefined };
}

interface Server {
  readonly child: ChildProcess;
  send(method: string, path: string, body?: object): Promise<ConfigMap>;
}

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: { readonly first: string; readonly second: string };
  readonly items?: readonly ConfigMap[];
}

async function start(folder: string): Promise<Server> {
  const kubeconfig = join(folder, "kubeconfig");
  const args = ["bin/tsop.js", "cluster", "--json", "--controllers", "off", "--port", "0"];
  const child = spawn(
    process.execPath,
    [...args, "--data-dir", join(folder, "data"), "--kubeconfig", kubeconfig],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(createInterface(child.stdout), "line");
  const { server: url, ...tls } = connectionOf(readFileSync(kubeconfig, "utf8"));
  const agent = new Agent({ keepAlive: true, ...tls });
  return {
    child,
    send: (method, path, body) =>
      new Promise((resolve, reject) => {
        const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
        const headers = body ? { "content-type": type } : {};
        const call = request(new URL(path, url), { method, agent, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString("utf8");
            // An incomplete answer does not count as one.
            if (!response.complete) reject(new Error("the answer was cut"));
            else if ((response.statusCode ?? 500) < 300) resolve(JSON.parse(text) as ConfigMap);
            else reject(new Error(`${method} ${path}: ${text}`));
          });
        });
        call.on("error", reject);
        call.end(body && JSON.stringify(body));
      }),
  };
}

const dataOf = (number: number): object => {
  const value = `${number} ${"x".repeat(VALUE_BYTES)}`;
  return { first: value, second: value };
};

/** Creates, changes and deletes objects of its own until the server has ended. */
async function writeOn(
  server: Server,
  writer: number,
  state: Map<string, Expected>,
  versions: { newest: number },
): Promise<void> {
  for (let number = 1; ; number++) {
    const name = `writer-${writer}-${number % 8}`;
    const known: Expected = state.get(name) ?? { answered: undefined };
    state.set(name, known);
    const isDeletion = known.answered !== undefined && number % 5 === 0;
    const to = isDeletion ? undefined : number;
    known.underWay = { to };
    const metadata = { name };
    try {
      const answer = isDeletion
        ? await server.send("DELETE", `${COLLECTION}/${name}`)
        : known.answered === undefined
          ? await server.send("POST", COLLECTION, { metadata, data: dataOf(number) })
          : await server.send("PATCH", `${COLLECTION}/${name}`, { data: dataOf(number) });
      known.answered = to;
      delete known.underWay;
      versions.newest = Math.max(versions.newest, Number(answer.metadata.resourceVersion || "0"));
    } catch (error) {
      if (server.child.killed) return;
      throw error;
    }
  }
}

/** Compares the stored objects, by name, with the expected states, and updates the states. */
function compare(found: readonly ConfigMap[], state: Map<string, Expected>): void {
  const stored = new Map(found.map((object) => [object.metadata.name, object]));
  for (const [name, expected] of state) {
    const data = stored.get(name)?.data;
    if (data && data.first !== data.second) throw new Error(`${name} is half written`);
    const value = data && Number(data.first.split(" ")[0]);
    const { answered, underWay } = expected;
    if (value !== answered && !(underWay && value === underWay.to)) {
      throw new Error(`${name}: ${String(answered)} was answered, ${String(value)} is stored`);
    }
    state.set(name, { answered: value });
  }
}

export const program = defineVerification({
  about:
    "Kills `tsop cluster --data-dir` under write load at random moments, restarts it, and looks for lost and incomplete writes.",
  compares: "restarts after a kill",
  needs: ["a build"],
  options: { count: { type: "number", default: 200, about: "number of kills" }, seed: SEED },
  run: async ({ values: { count, seed }, tally }) => {
    const random = new Random(seed);
    const folder = mkdtempSync(join(tmpdir(), "tsop-crash-"));
    const state = new Map<string, Expected>();
    const versions = { newest: 0 };
    let writes = 0;
    try {
      for (let round = 0; round <= count; round++) {
        const server = await start(folder);
        const { items = [], metadata } = await server.send("GET", COLLECTION);
        if (round > 0) tally.add(1, 0);
        compare(items, state);
        if (Number(metadata.resourceVersion) < versions.newest) {
          throw new Error(
            `version ${versions.newest} was answered, ${metadata.resourceVersion} is stored`,
          );
        }
        if (round > 0) tally.add(0, 1);
        const before = versions.newest;
        const lifeMs = round < count ? random.next() * LONGEST_LIFE_MS : 0;
        const writing = Promise.all(
          Array.from({ length: WRITERS }, (_, writer) => writeOn(server, writer, state, versions)),
        );
        await Promise.race([writing, systemClock.sleep(lifeMs)]);
        server.child.kill("SIGKILL");
        await writing;
        if (server.child.exitCode === null && server.child.signalCode === null) {
          await once(server.child, "exit");
        }
        writes += Math.max(versions.newest - before, 0);
        if (round === count) break;
        console.log(
          `kill ${round + 1} of ${count} after ${lifeMs.toFixed(0)} ms, ${writes} answered writes so far`,
        );
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});
