/**
 * A real control plane whose parts can be killed, stopped and restarted: etcd, kube-apiserver and
 * kube-controller-manager, with their own certificates and an audit log of the operator's requests.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from "node:crypto";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { connect } from "node:tls";
import { join } from "node:path";
import { systemClock } from "../../../src/clock.ts";
import { CertificateAuthority } from "../../../src/controlplane/auth/certificates.ts";
import type { KeyPair } from "../../../src/kube/x509/certificate.ts";
import { type Client, createClient, loadClusterConfig } from "../../../src/index.ts";
import { ConfigMap, RoleBinding } from "../../../src/k8s.ts";
import { eventually } from "../../../src/testing.ts";

/** The parts of a control plane, each a process. */
type Part = "etcd" | "apiserver" | "controllers";

/** The user whose requests the audit log holds, beside those of its certificates. */
export const ACCOUNT = { namespace: "myweb-system", name: "myweb-controller-manager" };
/** The Lease of the operator's election. */
export const ELECTION_LEASE = { namespace: ACCOUNT.namespace, name: "myweb.k8s-summit.org" };
const SERVER_NAMES = ["localhost", "127.0.0.1", "10.96.0.1"];
/** The name in the operator's client certificates. */
export const CERTIFICATE_USER = "myweb-certificate";

const ISSUER = "https://kubernetes.default.svc.cluster.local";
const START_MS = 60_000;
// The controllers that the operator's objects need; there are no nodes, so Pods would only cost
// time.
const CONTROLLERS = [
  "garbage-collector-controller",
  "namespace-controller",
  "deployment-controller",
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
];
const AUDITED = [`system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`, CERTIFICATE_USER];
const AUDIT_POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    {
      level: "Request",
      users: AUDITED,
      resources: [{ group: "coordination.k8s.io", resources: ["leases"] }],
    },
    { level: "Metadata", users: AUDITED },
    { level: "None" },
  ],
};

interface EtcdAnswer {
  readonly header: { readonly revision: string; readonly member_id: string };
}

/** A free port. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** etcd, kube-apiserver and kube-controller-manager in a folder. */
export class FaultyControlPlane {
  /** The port of the API server, also after a restart. */
  readonly port: number;
  readonly server: string;
  readonly folder: string;
  readonly auditLog: string;
  readonly serverPair: KeyPair;
  readonly #home: string;
  readonly #ports: { readonly etcd: number; readonly peers: number; readonly controllers: number };
  readonly #key = newKey();
  readonly #authority: CertificateAuthority;
  /** The authority of the server's next certificate; of the same name, as after `kubeadm`. */
  readonly #nextAuthority = new CertificateAuthority(systemClock, newKey());
  #servesNext = false;
  readonly #running = new Map<Part, ChildProcess>();

  private constructor(home: string, folder: string, ports: readonly number[]) {
    const [port = 0, etcd = 0, peers = 0, controllers = 0] = ports;
    this.#home = home;
    this.folder = folder;
    this.port = port;
    this.server = `https://127.0.0.1:${port}`;
    this.#ports = { etcd, peers, controllers };
    this.auditLog = join(folder, "audit.log");
    this.#authority = new CertificateAuthority(systemClock, this.#key);
    this.serverPair = this.#authority.server(SERVER_NAMES);
  }

  /** Starts all three, and waits until the API server is ready. `home` has `bin/`. */
  static async start(home: string, folder: string): Promise<FaultyControlPlane> {
    const ports = [];
    for (let index = 0; index < 4; index++) ports.push(await freePort());
    const plane = new FaultyControlPlane(home, folder, ports);
    plane.#writeFiles();
    for (const part of ["etcd", "apiserver"] as const) plane.start(part);
    await plane.ready();
    plane.start("controllers");
    return plane;
  }

  /** The authority's certificate, PEM. */
  get ca(): string {
    return this.#authority.certificate;
  }

  /** The certificates of the server's present authority and of its next one, PEM. */
  get authorities(): { readonly present: string; readonly next: string } {
    const both = [this.ca, this.#nextAuthority.certificate];
    const [present = "", next = ""] = this.#servesNext ? both.reverse() : both;
    return { present, next };
  }

  /** Gives the API server a certificate of its next authority, by a restart or while it runs. */
  async rotateAuthority({ restarts = true } = {}): Promise<void> {
    this.#servesNext = !this.#servesNext;
    const authority = this.#servesNext ? this.#nextAuthority : this.#authority;
    const pair = authority.server(SERVER_NAMES);
    this.writePair("server", pair);
    if (restarts) {
      await this.signal("apiserver", "SIGKILL");
      this.start("apiserver");
      await this.ready();
      return;
    }
    const { fingerprint256 } = new X509Certificate(pair.certificate);
    const loaded = async (): Promise<void> => {
      if ((await servedFingerprint(this.port)) === fingerprint256) return;
      throw new Error("the API server has not loaded its certificate");
    };
    await eventually(loaded, { timeoutMs: 2 * START_MS, intervalMs: 500 });
  }

  /** A client certificate that ends `ttlMs` from now; ten years when absent. */
  clientPair(user: string, groups: readonly string[] = [], ttlMs?: number): KeyPair {
    if (ttlMs === undefined) return this.#authority.client(user, groups);
    // The authority issues from an hour ago for ten years: a clock that stands ten years back makes one that ends soon.
    const now = (): number => systemClock.now() + ttlMs - 10 * 365 * 24 * 3_600_000;
    const early = new CertificateAuthority({ ...systemClock, now }, this.#key, this.ca);
    return early.client(user, groups);
  }

  /** A client with all rights. */
  admin(): Client {
    const kubeconfig = join(this.folder, "admin.kubeconfig");
    return createClient(loadClusterConfig({ kubeconfig }), { name: "user" });
  }

  /** Starts a part that is not running. */
  start(part: Part): void {
    const log = openSync(join(this.folder, `${part}.log`), "a");
    const [program, args] = this.#command(part);
    const child = spawn(join(this.#home, "bin", program), args, { stdio: ["ignore", log, log] });
    this.#running.set(part, child);
  }

  /** Sends a signal to a part that runs; waits for its end when the signal ends it. */
  async signal(part: Part, signal: NodeJS.Signals): Promise<void> {
    const child = this.#running.get(part);
    if (!child) throw new Error(`${part} does not run`);
    // kube-controller-manager ends by itself when it cannot reach the API server for a while.
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    const exited = hasEnded ? undefined : once(child, "exit");
    child.kill(signal);
    if (signal !== "SIGKILL" && signal !== "SIGTERM") return;
    this.#running.delete(part);
    await exited;
  }

  /**
   * Waits until the API server is ready, and has the objects that kube-controller-manager reads at
   * its start.
   */
  async ready(): Promise<void> {
    const client = this.admin();
    const namespace = "kube-system";
    const made = async (): Promise<void> => {
      await client.get(ConfigMap, { namespace, name: "extension-apiserver-authentication" });
      const binding = "system::extension-apiserver-authentication-reader";
      await client.get(RoleBinding, { namespace, name: binding });
    };
    await eventually(made, { timeoutMs: START_MS, intervalMs: 200 });
  }

  /** Compacts etcd: earlier versions cannot be watched any more. */
  async compact(): Promise<void> {
    const { header } = await this.#etcd("kv/range", {
      key: Buffer.from("none").toString("base64"),
    });
    await this.#etcd("kv/compaction", { revision: header.revision, physical: true });
  }

  /** Raises or clears etcd's alarm of a full disk: it then refuses all writes. */
  async setFull(isFull: boolean): Promise<void> {
    const { header } = await this.#etcd("maintenance/status", {});
    const action = isFull ? "ACTIVATE" : "DEACTIVATE";
    await this.#etcd("maintenance/alarm", { action, memberID: header.member_id, alarm: "NOSPACE" });
  }

  async #etcd(path: string, body: object): Promise<EtcdAnswer> {
    const response = await fetch(`http://127.0.0.1:${this.#ports.etcd}/v3/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`etcd: ${await response.text()}`);
    return (await response.json()) as EtcdAnswer;
  }

  /** Ends all parts. */
  async stop(): Promise<void> {
    for (const part of [...this.#running.keys()]) await this.signal(part, "SIGKILL");
  }

  /** Kills all parts, for a process that exits. */
  kill(): void {
    for (const child of this.#running.values()) child.kill("SIGKILL");
  }

  /** A kubeconfig whose files may be rewritten while it is in use. */
  kubeconfig(
    user: object,
    server = this.server,
    authorityFile = this.#path("trusted.pem"),
  ): string {
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "real", cluster: { server, "certificate-authority": authorityFile } }],
      users: [{ name: "user", user }],
      contexts: [
        {
          name: "real",
          context: { cluster: "real", user: "user", namespace: ACCOUNT.namespace },
        },
      ],
      "current-context": "real",
    });
  }

  /** A token of the operator's account, as the API server issues them, that ends `ttlMs` from now. */
  token(accountUid: string, id: string, ttlMs = 24 * 3_600_000): string {
    const encode = (part: object): string =>
      Buffer.from(JSON.stringify(part)).toString("base64url");
    const seconds = Math.floor(systemClock.now() / 1000);
    const claims = {
      iss: ISSUER,
      aud: [ISSUER],
      sub: `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`,
      iat: seconds,
      nbf: seconds,
      exp: seconds + Math.round(ttlMs / 1000),
      jti: id,
      "kubernetes.io": {
        namespace: ACCOUNT.namespace,
        serviceaccount: { name: ACCOUNT.name, uid: accountUid },
      },
    };
    const text = `${encode({ alg: "RS256" })}.${encode(claims)}`;
    const signature = sign("sha256", Buffer.from(text), readFileSync(this.#path("sa.key")));
    return `${text}.${signature.toString("base64url")}`;
  }

  /**
   * Writes a pair into the folder, each file atomically, and returns the paths as fields of a
   * kubeconfig user.
   */
  writePair(name: string, { certificate, key }: KeyPair): object {
    replaceFile(this.#path(`${name}.pem`), certificate);
    replaceFile(this.#path(`${name}.key`), key);
    return {
      "client-certificate": this.#path(`${name}.pem`),
      "client-key": this.#path(`${name}.key`),
    };
  }

  #writeFiles(): void {
    mkdirSync(this.folder, { recursive: true });
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    writeFileSync(this.#path("ca.pem"), this.ca);
    writeFileSync(this.#path("trusted.pem"), this.ca + this.#nextAuthority.certificate);
    writeFileSync(this.#path("sa.key"), privateKey.export({ type: "pkcs1", format: "pem" }));
    writeFileSync(this.#path("sa.pub"), publicKey.export({ type: "spki", format: "pem" }));
    writeFileSync(this.#path("audit.json"), JSON.stringify(AUDIT_POLICY));
    this.writePair("server", this.serverPair);
    const users = {
      admin: this.clientPair("admin", ["system:masters"]),
      controllers: this.clientPair("system:kube-controller-manager"),
    };
    for (const [name, pair] of Object.entries(users)) {
      const kubeconfig = this.kubeconfig(this.writePair(name, pair));
      writeFileSync(this.#path(`${name}.kubeconfig`), kubeconfig);
    }
  }

  #command(part: Part): [string, string[]] {
    const etcd = `http://127.0.0.1:${this.#ports.etcd}`;
    const controllers = this.#path("controllers.kubeconfig");
    switch (part) {
      case "etcd":
        return [
          "etcd",
          [
            ...["--data-dir", this.#path("etcd"), "--log-level", "error", "--unsafe-no-fsync"],
            ...["--listen-client-urls", etcd, "--advertise-client-urls", etcd],
            ...["--listen-peer-urls", `http://127.0.0.1:${this.#ports.peers}`],
          ],
        ];
      case "apiserver":
        return [
          "kube-apiserver",
          [
            ...[`--etcd-servers=${etcd}`, `--secure-port=${this.port}`, "--bind-address=127.0.0.1"],
            `--cert-dir=${this.#path("certs")}`,
            `--tls-cert-file=${this.#path("server.pem")}`,
            `--tls-private-key-file=${this.#path("server.key")}`,
            `--client-ca-file=${this.#path("ca.pem")}`,
            `--service-account-issuer=${ISSUER}`,
            `--service-account-key-file=${this.#path("sa.pub")}`,
            `--service-account-signing-key-file=${this.#path("sa.key")}`,
            "--service-cluster-ip-range=10.96.0.0/16",
            ...["--authorization-mode=Node,RBAC", "--profiling=false"],
            `--audit-policy-file=${this.#path("audit.json")}`,
            `--audit-log-path=${this.auditLog}`,
          ],
        ];
      case "controllers":
        return [
          "kube-controller-manager",
          [
            `--kubeconfig=${controllers}`,
            `--authentication-kubeconfig=${controllers}`,
            `--authorization-kubeconfig=${controllers}`,
            `--service-account-private-key-file=${this.#path("sa.key")}`,
            `--root-ca-file=${this.#path("trusted.pem")}`,
            ...["--use-service-account-credentials=true", "--leader-elect=false"],
            ...["--kube-api-qps=200", "--kube-api-burst=400"],
            `--controllers=${CONTROLLERS.join(",")}`,
            ...[`--secure-port=${this.#ports.controllers}`, "--bind-address=127.0.0.1"],
            `--cert-dir=${this.#path("certs")}`,
          ],
        ];
    }
  }

  #path(name: string): string {
    return join(this.folder, name);
  }
}

/** The option of a program that starts a real control plane. */
export const HOME = {
  type: "text",
  required: true,
  about: "folder whose bin/ has etcd, kube-apiserver and kube-controller-manager",
} as const;

/** Runs work against a real control plane in a temporary folder, which also has the logs. */
export async function withFaultyControlPlane(
  { home, keep = false }: { readonly home: string; readonly keep?: boolean },
  work: (plane: FaultyControlPlane) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tsop-control-plane-"));
  const plane = await FaultyControlPlane.start(home, folder);
  process.once("exit", () => plane.kill());
  try {
    await work(plane);
  } finally {
    await plane.stop();
    if (keep) console.log(`logs: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

/** The fingerprint of the certificate that new connections to a port get. */
async function servedFingerprint(port: number): Promise<string | undefined> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  try {
    await once(socket, "secureConnect");
    return socket.getPeerX509Certificate()?.fingerprint256;
  } finally {
    socket.destroy();
  }
}

/** Replaces a file atomically: a reader sees the old or the new content. */
export function replaceFile(path: string, content: string): void {
  writeFileSync(`${path}.next`, content);
  renameSync(`${path}.next`, path);
}

function newKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;
}
