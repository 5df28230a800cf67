/** Certificates, authorities, tokens and kubeconfigs are renewed while requests and watches run. */
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock, VirtualClock } from "../../../src/clock.ts";
import { CertificateAuthority } from "../../../src/controlplane/auth/certificates.ts";
import type { KeyPair } from "../../../src/kube/x509/certificate.ts";
import {
  type ClusterConfigOptions,
  loadClusterConfig,
} from "../../../src/runtime/kubeconfig/load-config.ts";
import { HttpsTransport } from "../../../src/runtime/transport/https-transport.ts";
import type { TransportResponse } from "../../../src/runtime/transport/transport.ts";
import type { TrustItem } from "../../../src/runtime/transport/trust-observer.ts";

const newAuthority = (): CertificateAuthority =>
  new CertificateAuthority(
    systemClock,
    generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey,
  );
// All have the same name, as the authorities of kubeadm have before and after a rotation.
const [oldAuthority, newAuthorityOne, otherAuthority] = [
  newAuthority(),
  newAuthority(),
  newAuthority(),
];
const HOSTS = ["localhost", "127.0.0.1"];
const MINUTE_MS = 60_000;

interface Seen {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly user: string | undefined;
  readonly impersonated: string | undefined;
}

/** A server whose certificate can be replaced; `/watch` sends a line and never ends. */
class TestServer {
  readonly seen: Seen[] = [];
  readonly watches: ServerResponse[] = [];
  #server: Server | undefined;
  #port = 0;

  async start(pair: KeyPair): Promise<void> {
    const options = {
      cert: pair.certificate,
      key: pair.key,
      requestCert: true,
      rejectUnauthorized: false,
    };
    this.#server = createServer(options, (request, response) => {
      this.#answer(request, response);
    }).listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** As a restart of the API server: all connections break. */
  async restart(pair: KeyPair): Promise<void> {
    this.stop();
    await systemClock.sleep(10);
    await this.start(pair);
  }

  /** As an API server that reloads its files: open connections stay. */
  renew(pair: KeyPair): void {
    this.#server?.setSecureContext({ cert: pair.certificate, key: pair.key });
  }

  stop(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate() as {
      subject?: { CN: string };
    };
    this.seen.push({
      path: request.url ?? "",
      authorization: request.headers.authorization,
      user: subject?.CN,
      impersonated: request.headers["impersonate-user"] as string | undefined,
    });
    if (request.url !== "/watch") {
      response.end("{}");
      return;
    }
    this.watches.push(response);
    response.write("first\n");
  }
}

let folder: string;
let server: TestServer;
let transports: HttpsTransport[];
const clock = (): VirtualClock => new VirtualClock();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tsop-rotation-"));
  server = new TestServer();
  transports = [];
  await server.start(oldAuthority.server(HOSTS));
});

afterEach(() => {
  for (const transport of transports) transport.close();
  server.stop();
  rmSync(folder, { recursive: true });
});

const file = (name: string): string => join(folder, name);

/** Replaces a file in one step, as most programs do. */
function replace(name: string, text: string): string {
  writeFileSync(file(`${name}.next`), text);
  renameSync(file(`${name}.next`), file(name));
  return file(name);
}

interface Access {
  readonly cluster?: object;
  readonly user?: object;
}

function kubeconfigOf(name: string, { cluster = {}, user = { token: "one" } }: Access): object {
  return {
    clusters: [
      {
        name,
        cluster: { server: server.url, "certificate-authority": file("ca.crt"), ...cluster },
      },
    ],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
}

function writeKubeconfig(access: Access = {}, currentContext = "main"): string {
  const config = { ...kubeconfigOf("main", access), "current-context": currentContext };
  return replace("kubeconfig", JSON.stringify(config));
}

function connect(time: VirtualClock, options: ClusterConfigOptions, changes: object = {}) {
  const config = { ...loadClusterConfig({ clock: time, environment: {}, ...options }), ...changes };
  const transport = new HttpsTransport(config, "test", time);
  transports.push(transport);
  const renewed: TrustItem[] = [];
  const problems: (string | undefined)[] = [];
  transport.observeTrust({
    used: (item, isRenewal) => {
      if (isRenewal) renewed.push(item);
    },
    unusable: (reason) => problems.push(reason),
  });
  const ask = async (path = "/"): Promise<number> => {
    const { status, body } = await transport.request({ method: "GET", path });
    await body.whole?.();
    return status;
  };
  return { transport, ask, renewed, problems };
}

/** Files are read in real time. */
async function pass(time: VirtualClock, ms: number): Promise<void> {
  await time.advance(ms);
  await systemClock.sleep(20);
}

/** The lines of a watch, and its end. */
function follow(response: TransportResponse) {
  const lines: string[] = [];
  const ended = (async () => {
    for await (const piece of response.body) lines.push(Buffer.from(piece).toString().trim());
  })().then(
    () => "ended",
    (error: unknown) => (error as Error).message,
  );
  return { lines, ended };
}

describe("a certificate authority in a file", () => {
  const start = () => {
    replace("ca.crt", oldAuthority.certificate);
    const time = clock();
    return { time, ...connect(time, { kubeconfig: writeKubeconfig() }) };
  };

  it("is rotated: old and new, the server's certificate, the old one removed", async () => {
    const { time, transport, ask, renewed } = start();
    expect(await ask()).toBe(200);
    const watch = follow(
      await transport.request({ method: "GET", path: "/watch", mayPause: true }),
    );
    replace("ca.crt", oldAuthority.certificate + newAuthorityOne.certificate);
    await pass(time, MINUTE_MS);
    expect(await ask()).toBe(200);
    expect(renewed).toMatchObject([{ what: "certificate-authority", file: file("ca.crt") }]);
    expect(renewed[0]?.validUntilMs).toBeGreaterThan(Date.now());
    server.renew(newAuthorityOne.server(HOSTS));
    await pass(time, MINUTE_MS);
    expect(await ask()).toBe(200);
    // The connection of the watch is trusted by the bundle, so it stays.
    server.watches[0]?.write("second\n");
    await systemClock.sleep(20);
    expect(watch.lines).toEqual(["first", "second"]);
    replace("ca.crt", newAuthorityOne.certificate);
    await pass(time, MINUTE_MS);
    expect(await ask()).toBe(200);
    await pass(time, MINUTE_MS);
    expect(await watch.ended).toMatch(/the certificate authority was renewed, and no longer has/);
  });

  it("is noticed without a request, while only a watch is open", async () => {
    const { time, transport } = start();
    const watch = follow(
      await transport.request({ method: "GET", path: "/watch", mayPause: true }),
    );
    replace("ca.crt", newAuthorityOne.certificate);
    for (let minute = 0; minute < 3; minute++) await pass(time, MINUTE_MS);
    expect(await watch.ended).toMatch(/certificate authority was renewed/);
  });

  it("is read again when the server's certificate is not trusted; no request fails", async () => {
    const { ask } = start();
    expect(await ask()).toBe(200);
    // No time passes, so that nothing but the failure can cause the read.
    replace("ca.crt", newAuthorityOne.certificate);
    await server.restart(newAuthorityOne.server(HOSTS));
    expect(await ask()).toBe(200);
  });

  it("that has not the server's authority says which file it is, and recovers", async () => {
    const { ask } = start();
    expect(await ask()).toBe(200);
    await server.restart(otherAuthority.server(HOSTS));
    await expect(ask()).rejects.toMatchObject({
      code: "connection-tls",
      fix: expect.stringContaining(file("ca.crt")) as string,
    });
    replace("ca.crt", otherAuthority.certificate);
    expect(await ask()).toBe(200);
  });

  it.each([
    ["cut off", () => truncateSync(file("ca.crt"), 300), /ends in the middle of a PEM block/],
    ["emptied", () => writeFileSync(file("ca.crt"), ""), /does not contain a PEM certificate/],
    [
      "the new bundle, half written",
      () => {
        const bundle = newAuthorityOne.certificate + oldAuthority.certificate;
        writeFileSync(file("ca.crt"), bundle.slice(0, newAuthorityOne.certificate.length + 200));
      },
      /ends in the middle of a PEM block/,
    ],
    ["removed", () => rmSync(file("ca.crt")), /which cannot be read/],
  ])("stays the earlier one while the file is %s", async (_, harm, problem) => {
    const { time, ask, problems } = start();
    expect(await ask()).toBe(200);
    harm();
    await pass(time, MINUTE_MS);
    for (let request = 0; request < 3; request++) expect(await ask()).toBe(200);
    await server.restart(oldAuthority.server(HOSTS));
    expect(await ask()).toBe(200);
    // Reported once.
    expect(problems).toEqual([expect.stringMatching(problem)]);
    replace("ca.crt", oldAuthority.certificate);
    await pass(time, MINUTE_MS);
    expect(await ask()).toBe(200);
    expect(problems.at(-1)).toBeUndefined();
  });
});

describe("the service account of a pod", () => {
  /** As the kubelet does it: a new folder, and one symlink that is replaced in one step. */
  function mount(version: string, token: string, ca: string): void {
    mkdirSync(file(version));
    writeFileSync(join(folder, version, "token"), token);
    writeFileSync(join(folder, version, "ca.crt"), ca);
    writeFileSync(join(folder, version, "namespace"), "web");
    symlinkSync(version, file("..data_tmp"));
    renameSync(file("..data_tmp"), file("..data"));
  }

  const start = () => {
    mount("..one", "one", oldAuthority.certificate);
    for (const name of ["token", "ca.crt", "namespace"]) {
      symlinkSync(join("..data", name), file(name));
    }
    const time = clock();
    const { port } = new URL(server.url);
    const environment = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: port };
    return { time, ...connect(time, { environment, serviceAccountFolder: folder }) };
  };

  it("is swapped by the kubelet, its token and its authority", async () => {
    const { time, ask, renewed } = start();
    expect(await ask()).toBe(200);
    mount("..two", "two", newAuthorityOne.certificate);
    await server.restart(newAuthorityOne.server(HOSTS));
    await pass(time, 10_000);
    expect(await ask()).toBe(200);
    expect(server.seen.map(({ authorization }) => authorization)).toEqual([
      "Bearer one",
      "Bearer two",
    ]);
    expect(renewed.map(({ what }) => what)).toEqual(["certificate-authority", "token"]);
  });

  it("keeps its authority while the volume is away", async () => {
    const { time, ask, problems } = start();
    expect(await ask()).toBe(200);
    rmSync(file("..data"));
    await pass(time, MINUTE_MS);
    await server.restart(oldAuthority.server(HOSTS));
    expect(await ask()).toBe(200);
    expect(problems).toEqual([`${file("ca.crt")} does not exist`]);
  });
});

describe("a kubeconfig", () => {
  const start = (changes: object = {}) => {
    replace("ca.crt", oldAuthority.certificate);
    const time = clock();
    return { time, ...connect(time, { kubeconfig: writeKubeconfig() }, changes) };
  };

  it("names another server, authority and user", async () => {
    const { time, transport, ask, renewed } = start();
    expect(await ask()).toBe(200);
    const watch = follow(
      await transport.request({ method: "GET", path: "/watch", mayPause: true }),
    );
    const former = server;
    server = new TestServer();
    await server.start(newAuthorityOne.server(HOSTS));
    const inline = Buffer.from(newAuthorityOne.certificate).toString("base64");
    writeKubeconfig({
      cluster: { "certificate-authority": undefined, "certificate-authority-data": inline },
      user: { token: "two", as: "jane" },
    });
    await pass(time, 10_000);
    expect(await ask("/there")).toBe(200);
    expect(transport.server).toBe(server.url);
    expect(server.seen).toMatchObject([
      { path: "/there", authorization: "Bearer two", impersonated: "jane" },
    ]);
    expect(renewed.map(({ what }) => what)).toEqual(["server", "certificate-authority", "token"]);
    await pass(time, MINUTE_MS);
    expect(await watch.ended).toContain(`the configuration now names the server ${server.url}`);
    former.stop();
  });

  it("is read again when its server cannot be reached, or refuses the user", async () => {
    const { ask } = start();
    expect(await ask()).toBe(200);
    server.stop();
    await systemClock.sleep(10);
    server = new TestServer();
    await server.start(oldAuthority.server(HOSTS));
    writeKubeconfig();
    expect(await ask()).toBe(200);
  });

  it("moves no process to another cluster when the current context is switched", async () => {
    const { time, ask, problems } = start();
    expect(await ask()).toBe(200);
    const elsewhere = kubeconfigOf("production", {
      cluster: { server: "https://203.0.113.1:6443" },
    }) as Record<string, object[]>;
    const here = kubeconfigOf("main", {}) as Record<string, object[]>;
    const both = Object.fromEntries(
      Object.keys(here).map((part) => [part, [...(here[part] ?? []), ...(elsewhere[part] ?? [])]]),
    );
    replace("kubeconfig", JSON.stringify({ ...both, "current-context": "production" }));
    await pass(time, MINUTE_MS);
    expect(await ask()).toBe(200);
    expect(problems).toEqual([]);
    // Not even when its own is gone.
    replace("kubeconfig", JSON.stringify({ ...elsewhere, "current-context": "production" }));
    await pass(time, MINUTE_MS);
    expect(await ask()).toBe(200);
    expect(problems).toEqual([expect.stringContaining("it has no context main")]);
  });

  it("leaves what the program chose itself", async () => {
    const { time, ask } = start({ impersonate: { user: "limited" } });
    expect(await ask()).toBe(200);
    writeKubeconfig({ user: { token: "two", as: "admin" } });
    await pass(time, MINUTE_MS);
    expect(await ask()).toBe(200);
    expect(server.seen.at(-1)).toMatchObject({
      authorization: "Bearer two",
      impersonated: "limited",
    });
  });

  it.each([
    ["half written", () => truncateSync(file("kubeconfig"), 100), /kubeconfig/],
    ["removed", () => rmSync(file("kubeconfig")), /does not exist/],
  ])("that is %s changes nothing", async (_, harm, problem) => {
    const { time, ask, problems } = start();
    expect(await ask()).toBe(200);
    harm();
    await pass(time, MINUTE_MS);
    expect(await ask()).toBe(200);
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  it("refuses no file of several when one of them vanishes", async () => {
    replace("ca.crt", oldAuthority.certificate);
    const first = writeKubeconfig();
    const second = file("second");
    const other = { ...kubeconfigOf("main", { user: { token: "wrong" } }) };
    writeFileSync(second, JSON.stringify(other));
    const time = clock();
    const environment = { KUBECONFIG: `${first}:${second}` };
    const { ask } = connect(time, { environment });
    expect(await ask()).toBe(200);
    rmSync(first);
    await pass(time, MINUTE_MS);
    expect(await ask()).toBe(200);
    expect(server.seen.at(-1)?.authorization).toBe("Bearer one");
  });
});

describe("a client certificate in files", () => {
  function writePair({ certificate, key }: KeyPair): object {
    return {
      "client-certificate": replace("client.crt", certificate),
      "client-key": replace("client.key", key),
    };
  }

  const start = () => {
    replace("ca.crt", oldAuthority.certificate);
    const user = writePair(oldAuthority.client("one"));
    const time = clock();
    return { time, ...connect(time, { kubeconfig: writeKubeconfig({ user }) }) };
  };

  it("is renewed for new requests; a running watch goes on", async () => {
    const { time, transport, ask, renewed } = start();
    expect(await ask()).toBe(200);
    const watch = follow(
      await transport.request({ method: "GET", path: "/watch", mayPause: true }),
    );
    writePair(oldAuthority.client("two"));
    await pass(time, MINUTE_MS);
    expect(await ask()).toBe(200);
    expect(server.seen.map(({ user }) => user)).toEqual(["one", "one", "two"]);
    expect(renewed).toMatchObject([{ what: "client-certificate", file: file("client.crt") }]);
    await pass(time, MINUTE_MS);
    server.watches[0]?.end("second\n");
    expect(await watch.ended).toBe("ended");
    expect(watch.lines).toEqual(["first", "second"]);
  });

  it("stays the earlier one while the key does not match", async () => {
    const { time, ask, problems } = start();
    expect(await ask()).toBe(200);
    replace("client.crt", oldAuthority.client("two").certificate);
    await pass(time, MINUTE_MS);
    expect(await ask()).toBe(200);
    expect(server.seen.at(-1)?.user).toBe("one");
    expect(problems).toEqual([expect.stringContaining("the client key does not match")]);
  });
});
