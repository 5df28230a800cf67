/** T45: the metrics endpoint's certificate is renewed while it is in use. */
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock, VirtualClock } from "../../../src/clock.ts";
import { CertificateAuthority } from "../../../src/controlplane/auth/certificates.ts";
import { silentLogger } from "../../../src/log.ts";
import { createManager } from "../../../src/runtime/manager/manager.ts";
import { MemoryApi } from "../support/memory-api.ts";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const authority = new CertificateAuthority(systemClock, privateKey);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tsop-certificates-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** As the kubelet does it: a new folder, and one symlink that is replaced in one step. Its fingerprint. */
function mount(version: string, key?: string): string {
  const pair = authority.server(["localhost"]);
  mkdirSync(join(folder, version));
  writeFileSync(join(folder, version, "tls.crt"), pair.certificate);
  writeFileSync(join(folder, version, "tls.key"), key ?? pair.key);
  symlinkSync(version, join(folder, "..next"));
  renameSync(join(folder, "..next"), join(folder, "current"));
  return new X509Certificate(pair.certificate).fingerprint256;
}

function build() {
  const clock = new VirtualClock();
  const tls = {
    certFile: join(folder, "current", "tls.crt"),
    keyFile: join(folder, "current", "tls.key"),
  };
  const manager = createManager({
    clock,
    transport: new MemoryApi(clock),
    log: silentLogger,
    metrics: { port: 0, host: "127.0.0.1", tls },
  });
  return { clock, manager };
}

async function start() {
  const { clock, manager } = build();
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  while (manager.ports.metrics === undefined) await clock.advance(1);
  return {
    clock,
    manager,
    end: async () => {
      stop.abort();
      await clock.advance(1000);
      await running;
    },
  };
}

/** Files are read in real time, however slow the machine is. */
async function until(clock: VirtualClock, done: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 20_000;
  while (!(await done()) && performance.now() < deadlineMs) {
    await clock.advance(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function ask(port: number, agent: Agent): Promise<{ status: number; fingerprint: string }> {
  return new Promise((resolve, reject) => {
    const options = { port, agent, host: "localhost", path: "/metrics", ca: authority.certificate };
    get(options, (response) => {
      const socket = response.socket as unknown as Pick<TLSSocket, "getPeerCertificate">;
      const fingerprint = socket.getPeerCertificate().fingerprint256;
      response.resume().on("end", () => resolve({ status: response.statusCode ?? 0, fingerprint }));
    }).on("error", reject);
  });
}

describe("the certificate of the metrics endpoint", () => {
  it("T45: is the new one within 10 s of its change, and open connections stay", async () => {
    const first = mount("one");
    const { clock, manager, end } = await start();
    const port = manager.ports.metrics!;
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await ask(port, kept)).toEqual({ status: 200, fingerprint: first });
    const second = mount("two");
    // Reading files takes real time; the turn in which it is done is the file system's affair.
    await clock.advance(10_000);
    const fresh = async (): Promise<string> => {
      const agent = new Agent();
      return (await ask(port, agent)).fingerprint;
    };
    await until(clock, async () => (await fresh()) !== first);
    expect(await fresh()).toBe(second);
    expect(await ask(port, kept)).toEqual({ status: 200, fingerprint: first });
    kept.destroy();
    await end();
  });

  it("T45: stays the old one while the new files do not fit together, and that is counted", async () => {
    const first = mount("one");
    const { clock, manager, end } = await start();
    mount("two", authority.server(["localhost"]).key);
    const errors = async (): Promise<number> => {
      const name = "certwatcher_read_certificate_errors_total";
      const metric = await manager.metrics.registry.getSingleMetric(name)?.get();
      return metric?.values[0]?.value ?? 0;
    };
    await clock.advance(10_000);
    await until(clock, async () => (await errors()) > 0);
    expect(await errors()).toBe(1);
    const { fingerprint } = await ask(manager.ports.metrics!, new Agent());
    expect(fingerprint).toBe(first);
    await end();
  });

  it("is asked for before anything starts", async () => {
    const { manager } = build();
    await expect(manager.start(new AbortController().signal)).rejects.toMatchObject({
      code: "certificate-unreadable",
    });
  });
});

it("is made at the start when none is mounted: for localhost, and of this process alone", async () => {
  const first = await selfSigned();
  const second = await selfSigned();
  for (const certificate of [first, second]) {
    expect(certificate.checkHost("localhost")).toBe("localhost");
    expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(certificate.verify(certificate.publicKey)).toBe(true);
  }
  expect(first.fingerprint256).not.toBe(second.fingerprint256);
});

/** The certificate of a manager that was given none; its metrics were read. */
async function selfSigned(): Promise<X509Certificate> {
  const clock = new VirtualClock();
  const manager = createManager({
    clock,
    transport: new MemoryApi(clock),
    log: silentLogger,
    metrics: { port: 0, host: "127.0.0.1", tls: "self-signed" },
  });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  while (manager.ports.metrics === undefined) await clock.advance(1);
  const socket = connect({ port: manager.ports.metrics, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const certificate = socket.getPeerX509Certificate();
  socket.end("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  let answer = "";
  for await (const part of socket.setEncoding("utf8")) answer += String(part);
  expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
  stop.abort();
  await running;
  if (!certificate) throw new Error("there was no certificate");
  return certificate;
}
