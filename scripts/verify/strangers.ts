import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { type Client, createClient, loadClusterConfig } from "../../src/index.ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  ServiceAccount,
} from "../../src/k8s.ts";
import { selfSigned } from "../../src/kube/x509/certificate.ts";
import { bundleTs } from "../bundle-ts.mjs";
import { defineVerification } from "../programs/program.ts";
import { ServedControlPlane } from "../programs/served-control-plane.ts";
import type { Attack, AttackReport } from "./strangers/attack.ts";
import type { Ports } from "./strangers/attackers.ts";
import type { Honest, HonestReport } from "./strangers/honest.ts";

const CRD = "widgets.shop.example.com";
const SCRAPER = { namespace: "default", name: "prometheus" };
const TELL_EVERY_MS = 30_000;
const MS_A_TICK = 10;

export const program = defineVerification({
  about:
    "Sends hostile requests to all servers of an operator with the scaffold's heap, beside honest ones: it has to live, in its memory, and answer these.",
  compares: "honest requests",
  needs: [],
  options: {
    count: { type: "number", default: 100_000, about: "hostile requests" },
    clients: { type: "number", default: 24, about: "hostile clients at the same time" },
    seed: { type: "number", default: 1, about: "another seed sends others" },
    "heap-mb": { type: "number", default: 288, about: "--max-old-space-size of the operator" },
    "rss-mb": { type: "number", default: 320, about: "the most that it may take" },
    "largest-mb": { type: "number", default: 32, about: "the largest body" },
  },
  run: async ({ values, tally }) => {
    const { count, clients, seed } = values;
    const folder = await mkdtemp(join(tmpdir(), "tsop-strangers-"));
    const server = await ServedControlPlane.start();
    const children: ChildProcess[] = [];
    try {
      const kubeconfig = join(folder, "kubeconfig");
      await writeFile(kubeconfig, server.kubeconfig);
      await writeCertificate(folder);
      const client = createClient(loadClusterConfig({ kubeconfig }));
      const token = await scraperToken(client);
      await createDefinition(client);
      const operator = await childOf("operator", [folder], values["heap-mb"], kubeconfig);
      children.push(operator);
      const [ports] = (await once(operator, "message")) as [Ports];
      const honest = await childOf("honest", [], 1024, kubeconfig);
      children.push(honest);
      honest.send({ ports, token, convert: await conversionPath(client) } satisfies Honest);
      const attack = await childOf("attack", [], 1024, kubeconfig);
      children.push(attack);
      const maxBytes = values["largest-mb"] * 2 ** 20;
      attack.send({ ports, seed, count, clients, maxBytes } satisfies Attack);
      let attacks: AttackReport = { sent: 0, outcomes: {}, isOver: false };
      const attacked = new Promise<void>((resolve) => {
        attack.on("message", (report: AttackReport) => {
          attacks = report;
          if (report.isOver) resolve();
        });
        attack.once("exit", resolve);
      });
      const beganMs = systemClock.monotonicMs();
      const telling = new AbortController();
      const told = tell(
        async () => `${attacks.sent} sent, ${await peakOf(operator)} MB at most`,
        telling.signal,
      );
      const gone = once(operator, "exit").then(() => "gone");
      await Promise.race([attacked, gone]);
      telling.abort();
      await told;
      const seconds = (systemClock.monotonicMs() - beganMs) / 1000;
      const peakMb = await peakOf(operator);
      const times = await Promise.all(children.map((child) => timeOf(child, attacks.sent)));
      honest.send("end");
      const [report] = (await once(honest, "message")) as [HonestReport];
      console.log(
        `${attacks.sent} hostile requests in ${seconds.toFixed(0)} s, ${(attacks.sent / seconds).toFixed(0)}/s:`,
      );
      for (const [outcome, requests] of Object.entries(attacks.outcomes).sort(([one], [other]) =>
        one.localeCompare(other),
      )) {
        console.log(`  ${String(requests).padStart(8)} ${outcome}`);
      }
      reportHonest(report);
      for (const time of times) console.log(time);
      const isAlive = operator.exitCode === null && operator.signalCode === null;
      console.log(isAlive ? `the operator took ${peakMb} MB at most` : "the operator has ended");
      tally.count(isAlive);
      tally.count(attacks.isOver);
      tally.count(peakMb <= values["rss-mb"]);
      tally.add(report.asked, report.asked - report.failures.length);
    } finally {
      for (const child of children) child.kill("SIGKILL");
      await server.stop();
      await rm(folder, { recursive: true });
    }
  },
});

async function childOf(
  name: string,
  args: readonly string[],
  heapMb: number,
  kubeconfig: string,
): Promise<ChildProcess> {
  const program = await bundleTs(`scripts/verify/strangers/${name}.ts`, `strangers-${name}.mjs`);
  return fork(program, args, {
    execArgv: [`--max-old-space-size=${heapMb}`],
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

async function writeCertificate(folder: string): Promise<void> {
  const now = systemClock.now();
  const validity = { from: now - 3_600_000, to: now + 24 * 3_600_000 };
  const { certificate, key } = selfSigned(["localhost"], validity);
  await writeFile(join(folder, "tls.crt"), certificate);
  await writeFile(join(folder, "tls.key"), key);
}

/** A token of an account that may read the metrics. */
async function scraperToken(client: Client): Promise<string> {
  const metadata = { name: "metrics-reader" };
  await client.create(ServiceAccount, { metadata: SCRAPER });
  await client.create(ClusterRole, {
    metadata,
    rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
  });
  await client.create(ClusterRoleBinding, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", ...metadata },
    subjects: [{ kind: "ServiceAccount", ...SCRAPER }],
  });
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const answer = await client.subresource("token").create(ServiceAccount, SCRAPER, request);
  return (answer as unknown as { status: { token: string } }).status.token;
}

/** The definition that the operator's conversions need. */
async function createDefinition(client: Client): Promise<void> {
  const schema = {
    openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  };
  const [group, plural] = ["shop.example.com", "widgets"];
  await client.create(CustomResourceDefinition, {
    metadata: { name: CRD },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: ["v1", "v1alpha1"].map((name) => ({
        name,
        served: true,
        storage: name === "v1",
        schema,
      })),
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { service: { namespace: "default", name: "webhook-service" } },
        },
      },
    },
  });
}

/** The path at which the operator wants API servers to call conversions, once it is written. */
async function conversionPath(client: Client): Promise<string> {
  for (;;) {
    const { spec } = await client.get(CustomResourceDefinition, { name: CRD });
    const path = spec.conversion?.webhook?.clientConfig?.service?.path;
    if (path !== undefined) return path;
    await systemClock.sleep(100);
  }
}

/** The time of the processor that a process took, to see which of them is the slow one. */
async function timeOf({ pid, spawnargs }: ChildProcess, requests: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [user, system] = text.slice(text.lastIndexOf(")")).split(" ").slice(12, 14).map(Number);
  const ms = ((user ?? 0) + (system ?? 0)) * MS_A_TICK;
  const name = /strangers-(\w+)/.exec(spawnargs.join(" "))?.[1] ?? "";
  return `${name}: ${(ms / requests).toFixed(2)} ms of a core for each hostile request`;
}

async function tell(line: () => Promise<string>, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await systemClock.sleep(TELL_EVERY_MS, signal);
      console.log(await line());
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The most memory that a process had until now, in MB; of one that has ended none. */
async function peakOf({ pid }: ChildProcess): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round((Number(/VmHWM:\s+(\d+)/.exec(text)?.[1]) * 1024) / 1e6);
}

function reportHonest({ asked, repeated, failures, latenciesMs }: HonestReport): void {
  console.log(
    `${asked} honest requests, ${repeated} repeated after a 503, ${failures.length} failed:`,
  );
  for (const failure of failures.slice(0, 10)) console.log(`  ${failure}`);
  for (const [name, latencies] of Object.entries(latenciesMs)) {
    const sorted = [...latencies].sort((one, other) => one - other);
    const at = (share: number): string =>
      (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN).toFixed(0);
    console.log(
      `  ${name}: ${sorted.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`,
    );
  }
}
