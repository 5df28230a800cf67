/** Certificates are renewed while reviews are asked for: 200 a second, of clients that trust what is published then. */
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { Registry } from "prom-client";
import { afterEach, expect, it } from "vitest";
import { systemClock, VirtualClock } from "../../../../src/clock.ts";
import {
  ConversionWebhook,
  type Converter,
  CustomResource,
  type Defaulter,
  MutatingWebhook,
  Resource,
  ValidatingWebhook,
  type Validator,
} from "../../../../src/index.ts";
import { silentLogger } from "../../../../src/log.ts";
import type { Client } from "../../../../src/runtime/client/client.ts";
import { LiveClient } from "../../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../../src/runtime/rest/rest-client.ts";
import type { WebhookCertificate } from "../../../../src/runtime/webhook/certificate.ts";
import {
  issueAuthority,
  issueServing,
} from "../../../../src/runtime/webhook/certificates/issue.ts";
import { WebhookHost } from "../../../../src/runtime/webhook/webhook-host.ts";
import { LIMITS, reviewOf } from "../support.ts";
import { CertificateApi, SECRET } from "./replicas.ts";

const SERVICE = "shop-webhook-service.shop-system.svc";
const KEPT = 10;
/** One of them on a new connection. */
const REVIEWS_AT_ONCE = 4;

@Resource({ group: "shop.example.com", version: "v1" })
class Widget extends CustomResource {}

@Resource({ group: "shop.example.com", version: "v1alpha1", kind: "Widget" })
class OldWidget extends CustomResource {}

@MutatingWebhook(Widget, { path: "/mutate" })
class WidgetDefaulter implements Defaulter<Widget> {
  default(): void {}
}

@ValidatingWebhook(Widget, { path: "/validate" })
class WidgetValidator implements Validator<Widget> {
  validateCreate(): void {}
}

@ConversionWebhook(Widget, OldWidget)
class WidgetConversion implements Converter<Widget, OldWidget> {
  toHub = () => ({ spec: {} });
  fromHub = () => ({ spec: {} });
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(
  certificate: WebhookCertificate,
  clock: VirtualClock,
  client: Client,
): Promise<number> {
  const host = new WebhookHost({
    options: { port: 0, host: "127.0.0.1", certificate },
    registry: new Registry(),
    clock,
    log: silentLogger,
    namespace: "shop-system",
    observe: () => undefined,
    client,
  });
  for (const handler of [new WidgetDefaulter(), new WidgetValidator(), new WidgetConversion()]) {
    host.add(handler);
  }
  const started = host.start(LIMITS);
  while (host.port === undefined) {
    await clock.advance(1);
    await systemClock.sleep(1);
  }
  await started;
  ends.push(() => host.stop());
  return host.port;
}

/** Clients of a server: connections that stay, and connections by the bundle that is published when they are opened. */
class Load {
  readonly failures: string[] = [];
  /** The certificates that new connections were shown. */
  readonly seen = new Set<string>();
  /** The bundles that were trusted when they were. */
  readonly bundles = new Set<string>();
  answered = 0;
  readonly #port: number;
  readonly #bundles: () => readonly string[];
  readonly #kept: Agent;
  readonly #begun = new Set<Promise<void>>();
  /** Resolves when all connections that stay are open. */
  readonly opened: Promise<void>;
  #asked = 0;

  constructor(port: number, bundles: () => readonly string[]) {
    this.#port = port;
    this.#bundles = bundles;
    const [ca = ""] = bundles();
    this.#kept = new Agent({
      keepAlive: true,
      maxSockets: KEPT,
      // Each is used in its turn: one that waited for long would be closed, and opened by the first bundle.
      scheduling: "fifo",
      ca,
      servername: SERVICE,
    });
    ends.push(() => this.#kept.destroy());
    this.opened = this.#open();
  }

  /** Opens all connections that stay: a slow machine would open some of them only when the bundle has changed. */
  async #open(): Promise<void> {
    const numbers = Array.from({ length: KEPT }, (_, index) => 4 * index + 1);
    await Promise.all(numbers.map((number) => this.#one(number)));
  }

  /** Asks: on a new connection, and on some that stay. */
  ask(): void {
    for (let count = 0; count < REVIEWS_AT_ONCE; count++) {
      const one = this.#one(this.#asked++).finally(() => this.#begun.delete(one));
      this.#begun.add(one);
    }
  }

  /** What was asked and is not answered yet. */
  get underWay(): readonly Promise<void>[] {
    return [...this.#begun];
  }

  /** Resolves when all that was asked is answered. */
  async end(): Promise<void> {
    await Promise.all(this.underWay);
  }

  async #one(number: number): Promise<void> {
    const isKept = number % 4 !== 0;
    const published = this.#bundles();
    const ca = published[number % published.length] ?? "";
    const options = isKept ? { agent: this.#kept } : { agent: false, ca, servername: SERVICE };
    const uid = randomUUID();
    const object = { apiVersion: "shop.example.com/v1", kind: "Widget", metadata: {}, spec: {} };
    try {
      const said = await this.#post(options, JSON.stringify(reviewOf({ uid, object })));
      if (!said.includes(`"uid":"${uid}","allowed":true`)) throw new Error(said);
      this.answered++;
      if (!isKept) this.bundles.add(ca);
    } catch (error) {
      this.failures.push(`${isKept ? "kept" : "new"} connection: ${String(error)}`);
    }
  }

  #post(options: object, body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const outgoing = request({
        host: "127.0.0.1",
        port: this.#port,
        path: "/validate",
        method: "POST",
        headers: { "Content-Type": "application/json" },
        ...options,
      });
      outgoing.on("error", reject);
      outgoing.on("response", (response) => {
        const socket = response.socket as unknown as Pick<TLSSocket, "getPeerCertificate">;
        const { fingerprint256 } = socket.getPeerCertificate();
        if (fingerprint256) this.seen.add(fingerprint256);
        let said = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => (said += part));
        response.on("end", () => resolve(said));
        response.on("error", reject);
      });
      outgoing.end(body);
    });
  }
}

/** Lets virtual time pass, with reviews under way at each moment of it. */
async function pass(clock: VirtualClock, load: Load, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 2000) {
    const before = load.underWay;
    load.ask();
    await clock.advance(2000);
    await Promise.all(before);
  }
}

it("a self-managed authority is replaced under load: none is dropped, and none refused by who trusts the bundle of that moment", async () => {
  const clock = new VirtualClock({ startMs: Date.now() });
  const api = new CertificateApi(clock);
  api.deploy();
  const client = new LiveClient(new RestClient(api, clock), { fieldManager: "shop" });
  const port = await serve({ selfManaged: { namePrefix: "shop-" } }, clock, client);
  const load = new Load(port, () => api.bundles);
  await load.opened;
  for (const rotation of ["serving", "authority", "serving"]) {
    await pass(clock, load, 10_000);
    const secret = structuredClone(api.one(SECRET));
    if (!secret) throw new Error("there is no Secret");
    secret.metadata.annotations = {
      ...secret.metadata.annotations,
      "certificates.tsop.dev/rotate": rotation,
    };
    api.put(SECRET, secret);
    await pass(clock, load, rotation === "authority" ? 420_000 : 60_000);
    expect(api.one(SECRET)?.metadata.annotations).not.toHaveProperty(
      "certificates.tsop.dev/rotate",
    );
  }
  await load.end();
  expect(load.failures).toEqual([]);
  expect(load.answered).toBeGreaterThan(1000);
  expect(load.seen.size).toBe(4);
  // One authority, then the next beside it, then the first behind it.
  expect(load.bundles.size).toBe(3);
}, 120_000);

it("certificates in files are replaced under load: none is dropped and none refused, whatever unusable ones come in between", async () => {
  const clock = new VirtualClock({ startMs: Date.now() });
  const folder = mkdtempSync(join(tmpdir(), "tsop-rotation-"));
  ends.push(() => rmSync(folder, { recursive: true }));
  const authority = issueAuthority(clock);
  let version = 0;
  /** As the kubelet does it: a new folder, and one symlink that is replaced in one step. */
  const mount = async (
    change: (pair: { certificate: string; key: string }) => object = (pair) => pair,
  ) => {
    const issued = issueServing({ names: [SERVICE], authority }, clock);
    const { certificate, key } = { ...issued, ...change(issued) };
    const data = `..data-${++version}`;
    mkdirSync(join(folder, data));
    writeFileSync(join(folder, data, "tls.crt"), certificate);
    writeFileSync(join(folder, data, "tls.key"), key);
    symlinkSync(data, join(folder, "..data_tmp"));
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
  };
  await mount();
  const files = {
    certFile: join(folder, "..data", "tls.crt"),
    keyFile: join(folder, "..data", "tls.key"),
  };
  // Files need no cluster.
  const port = await serve(files, clock, {} as Client);
  const load = new Load(port, () => [authority.certificate]);
  await load.opened;
  const stranger = issueServing({ names: [SERVICE] }, clock);
  const past = new VirtualClock({ startMs: clock.now() - 10 * 24 * 3_600_000 });
  const expired = issueServing({ names: [SERVICE], validityMs: 3_600_000 }, past);
  for (let times = 0; times < 3; times++) {
    await mount();
    // Files are read in real time.
    while (load.seen.size < times + 2) await pass(clock, load, 2000);
    await mount(({ certificate }) => ({ certificate: certificate.slice(0, 200) }));
    await pass(clock, load, 10_000);
    await mount(() => ({ key: "" }));
    await pass(clock, load, 10_000);
    await mount(() => ({ key: stranger.key }));
    await pass(clock, load, 10_000);
    await mount(() => expired);
    await pass(clock, load, 10_000);
  }
  await load.end();
  expect(load.failures).toEqual([]);
  expect(load.answered).toBeGreaterThan(200);
  expect(load.seen.size).toBe(4);
}, 120_000);
