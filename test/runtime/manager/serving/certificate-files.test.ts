/** T45: the metrics endpoint's certificate is renewed while it is in use. */
import { createPrivateKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock, VirtualClock } from "../../../../src/clock.ts";
import { CertificateAuthority } from "../../../../src/controlplane/auth/certificates.ts";
import { selfSigned } from "../../../../src/kube/x509/certificate.ts";
import { type Logger, silentLogger } from "../../../../src/log.ts";
import {
  CertificateFiles,
  type ServerCertificate,
} from "../../../../src/runtime/serving/certificate-files.ts";
import { createManager } from "../../../../src/runtime/manager/create-manager.ts";
import { MemoryApi } from "../../support/memory-api.ts";

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
  while (!(await done())) {
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
  const first = await servedCertificate();
  const second = await servedCertificate();
  for (const certificate of [first, second]) {
    expect(certificate.checkHost("localhost")).toBe("localhost");
    expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(certificate.verify(certificate.publicKey)).toBe(true);
  }
  expect(first.fingerprint256).not.toBe(second.fingerprint256);
});

/** The certificate of a manager that was given none; its metrics were read. */
async function servedCertificate(): Promise<X509Certificate> {
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

describe("files of a certificate", () => {
  const HOUR_MS = 3_600_000;
  const paths = () => ({
    certFile: join(folder, "tls.crt"),
    keyFile: join(folder, "tls.key"),
  });

  /** Issues a certificate that ends so long from now. */
  function issue(clock: VirtualClock, forMs = HOUR_MS): { certificate: string; key: string } {
    const validity = { from: clock.now() + Math.min(0, forMs) - HOUR_MS, to: clock.now() + forMs };
    return selfSigned(["localhost"], validity);
  }

  function write({ certificate, key }: { certificate: string; key: string }): void {
    const { certFile, keyFile } = paths();
    writeFileSync(certFile, certificate);
    writeFileSync(keyFile, key);
  }

  function follow(clock: VirtualClock) {
    const lines: string[] = [];
    const line = (first: object | string, second = ""): void => {
      lines.push(typeof first === "string" ? first : second);
    };
    const log: Logger = { debug: line, info: line, warn: line, error: line, child: () => log };
    let readings = 0;
    const files = new CertificateFiles(paths(), clock, log, () => readings++);
    const served: string[] = [];
    const stop = new AbortController();
    const renewed = ({ cert }: ServerCertificate): void => {
      served.push(cert.toString());
    };
    const following = files.read().then((first) => {
      served.push(first.cert.toString());
      return files.follow(first, renewed, stop.signal);
    });
    return {
      files,
      lines,
      served,
      readings: () => readings,
      end: async () => {
        stop.abort();
        await following;
      },
    };
  }

  /** Lets time pass in steps; who follows the files reads them in real time, and sleeps again after that. */
  async function pass(clock: VirtualClock, ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      while (clock.pending === 0) await systemClock.sleep(1);
      await clock.advance(500);
      while (clock.pending === 0) await systemClock.sleep(1);
    }
  }

  const NONE = () => undefined;
  const encrypted = (key: string): string =>
    createPrivateKey(key)
      .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
      .toString();
  it.each([
    ["tls.crt", NONE, /no such file or directory, open '.*tls\.crt'/],
    ["tls.crt", () => "", /tls\.crt is empty/],
    ["tls.crt", () => "garbage", /tls\.crt does not contain a readable PEM certificate/],
    [
      "tls.crt",
      (text: string) => text.slice(0, 300),
      /tls\.crt does not contain a readable PEM certificate/,
    ],
    ["tls.crt", () => authority.certificate, /tls\.key does not match the first cert.*tls\.crt/],
    ["tls.key", NONE, /no such file or directory, open '.*tls\.key'/],
    ["tls.key", () => "", /tls\.key is empty/],
    ["tls.key", (text: string) => text.slice(0, 100), /tls\.key holds no private key in PEM/],
    ["tls.key", encrypted, /tls\.key holds a private key with a password/],
    ["tls.key", () => authority.server(["a"]).key, /the key in .*tls\.key does not match the/],
  ])("that cannot be used say which one it is and why: %s (%#)", async (name, change, problem) => {
    const clock = new VirtualClock();
    const pair = issue(clock);
    write(pair);
    const { files, lines, served, end } = follow(clock);
    await pass(clock, 3000);
    expect([served.length, lines]).toEqual([1, []]);
    const file = join(folder, name);
    const good = { "tls.crt": pair.certificate, "tls.key": pair.key }[name] ?? "";
    const changed = change(good);
    if (changed === undefined) rmSync(file);
    else writeFileSync(file, changed);
    await expect(files.read()).rejects.toMatchObject({
      code: "certificate-unreadable",
      message: expect.stringMatching(problem) as string,
      fix: expect.stringContaining("Check that the Secret with it exists") as string,
    });
    await pass(clock, 60_000);
    // Told once, and what is good is served on.
    expect(lines).toEqual([expect.stringMatching(problem)]);
    expect(lines[0]).toMatch(/^the old certificate stays in use: /);
    expect(served).toHaveLength(1);
    const mended = issue(clock);
    write(mended);
    await pass(clock, 3000);
    expect(served).toEqual([pair.certificate, mended.certificate]);
    expect(lines.slice(1)).toEqual([
      "the certificate can be used again",
      "the certificate was renewed",
    ]);
    await end();
  });

  it("that have ended, or begin later, take the place of no good one", async () => {
    const clock = new VirtualClock();
    const first = issue(clock, 4 * HOUR_MS);
    write(first);
    const { lines, served, end } = follow(clock);
    await pass(clock, 3000);
    write(issue(clock, -1000));
    await pass(clock, 3000);
    expect(lines).toEqual([
      expect.stringMatching(
        /^the old certificate stays in use: .*tls\.crt expired on 2026-01-01T00:00:02/,
      ),
    ]);
    const validity = { from: clock.now() + HOUR_MS, to: clock.now() + 2 * HOUR_MS };
    write(selfSigned(["localhost"], validity));
    await pass(clock, 3000);
    expect(lines.at(-1)).toMatch(
      /^the old certificate stays in use: .* is not valid before 2026-01-01T01:/,
    );
    expect(served).toEqual([first.certificate]);
    // It is good by then, and nothing in the files changes.
    await clock.advance(HOUR_MS);
    await pass(clock, 12_000);
    expect(served).toHaveLength(2);
    await end();
  });

  it("that end while they are served are told, and anything new takes their place", async () => {
    const clock = new VirtualClock();
    write(issue(clock, HOUR_MS));
    const { files, lines, served, end } = follow(clock);
    await pass(clock, 3000);
    await clock.advance(HOUR_MS);
    await pass(clock, 12_000);
    expect(lines).toEqual([
      expect.stringMatching(
        /^The certificate in .*tls\.crt expired on 2026-01-01T01:00:00.000Z: put a valid one there, with its key\.$/,
      ),
    ]);
    expect(served).toHaveLength(1);
    const better = issue(clock);
    write(better);
    await pass(clock, 3000);
    expect(served.at(-1)).toBe(better.certificate);
    expect(files.periodProblemOf({ cert: Buffer.from(better.certificate), key: Buffer.of() })).toBe(
      undefined,
    );
    expect(lines.at(-2)).toBe("the certificate can be used again");
    await end();
  });

  it("that nobody renews are warned of once, before they end", async () => {
    const clock = new VirtualClock();
    write(issue(clock, 9 * HOUR_MS));
    const { lines, end } = follow(clock);
    await pass(clock, 3000);
    await clock.advance(7.9 * HOUR_MS);
    await pass(clock, 3000);
    expect(lines).toEqual([]);
    await clock.advance(0.3 * HOUR_MS);
    await pass(clock, 12_000);
    expect(lines).toEqual([
      expect.stringMatching(/tls\.crt expires on 2026-01-01T09:00:00.000Z and was not renewed: /),
    ]);
    await end();
  });

  it("that are written right now stay the old ones", async () => {
    const clock = new VirtualClock();
    const pair = issue(clock);
    write(pair);
    const { lines, served, end } = follow(clock);
    await pass(clock, 3000);
    // The second certificate of the file is not complete yet.
    const file = join(folder, "tls.crt");
    writeFileSync(file, pair.certificate + authority.certificate.slice(0, 200));
    await pass(clock, 12_000);
    expect(lines).toEqual([expect.stringContaining("ends in the middle of a PEM block")]);
    writeFileSync(file, pair.certificate + authority.certificate);
    await pass(clock, 12_000);
    expect(served).toHaveLength(2);
    await end();
  });

  it("are told at once when their time is over at the start", async () => {
    const clock = new VirtualClock();
    write(issue(clock, -1000));
    const { lines, end } = follow(clock);
    await pass(clock, 500);
    expect(lines).toEqual([expect.stringMatching(/^The certificate in .* expired on /)]);
    await end();
  });

  it("are read within two seconds of their change, and rarely while nothing changes", async () => {
    const clock = new VirtualClock();
    write(issue(clock));
    const { readings, served, end } = follow(clock);
    await pass(clock, 60_000);
    expect(readings()).toBeLessThanOrEqual(8);
    const next = issue(clock);
    write(next);
    await pass(clock, 2500);
    expect(served.at(-1)).toBe(next.certificate);
    await end();
  });
});
