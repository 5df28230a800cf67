/** A webhook server of a test, and who asks it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request, type RequestOptions } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Registry } from "prom-client";
import { type Clock, systemClock } from "../../../src/clock.ts";
import { selfSigned } from "../../../src/kube/x509/certificate.ts";
import { type Logger, silentLogger } from "../../../src/log.ts";
import { conversionOf } from "../../../src/kube/webhooks/webhook-marks.ts";
import type { Client } from "../../../src/runtime/client/client.ts";
import type { CertificatePaths } from "../../../src/runtime/serving/certificate-files.ts";
import { present } from "../../../src/present.ts";
import type { ClientCertificates } from "../../../src/runtime/serving/client-certificates.ts";
import { Refusals } from "../../../src/runtime/serving/refusals.ts";
import { RequestMemory } from "../../../src/runtime/serving/request-memory.ts";
import { type ServerLimits, serverLimits } from "../../../src/runtime/serving/server-limits.ts";
import type { ServerBounds } from "../../../src/runtime/webhook/webhook-server.ts";
import type { WebhookHandler } from "../../../src/runtime/webhook/handlers.ts";
import { WebhookHost, type WebhookParts } from "../../../src/runtime/webhook/webhook-host.ts";

/** What the server answered. */
export interface Answer {
  readonly status: number;
  readonly body: AnswerBody;
}

interface AnswerBody {
  readonly apiVersion: string;
  readonly kind: string;
  readonly message?: string;
  readonly response: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly status?: { readonly code: number; readonly message: string; readonly reason?: string };
    readonly patch?: string;
    readonly patchType?: string;
    readonly warnings?: readonly string[];
    readonly auditAnnotations?: Readonly<Record<string, string>>;
    readonly convertedObjects?: readonly object[];
    readonly result?: { readonly status: string; readonly message?: string };
  };
}

/** A server that runs. */
export interface TestServer {
  readonly host: WebhookHost;
  readonly port: number;
  readonly registry: Registry;
  /** Lines of the log: level and message. */
  readonly lines: readonly string[];
  readonly files: CertificatePaths;
  /** Sends a body; objects as JSON. */
  ask(path: string, body: unknown, options?: RequestOptions): Promise<Answer>;
  stop(): Promise<void>;
}

/** Files with a certificate for localhost, valid from an hour ago for `forMs`. */
export function certificateIn(
  folder: string,
  nowMs = Date.now(),
  forMs = 3_600_000,
): CertificatePaths {
  const validity = { from: nowMs - 3_600_000, to: nowMs + forMs };
  const { certificate, key } = selfSigned(["localhost", "127.0.0.1"], validity);
  const files = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
  writeFileSync(files.certFile, certificate);
  writeFileSync(files.keyFile, key);
  return files;
}

/** A logger that keeps its lines. */
function keepingLogger(lines: string[]): Logger {
  const line =
    (level: string) =>
    (fields: object | string, message?: string): void => {
      lines.push(`${level} ${typeof fields === "string" ? fields : (message ?? "")}`);
    };
  const logger: Logger = {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    child: () => logger,
  };
  return logger;
}

/** Limits of a server that has as much memory as most machines of developers. */
export const LIMITS: ServerLimits = serverLimits({
  limit: 2 ** 33,
  used: 0,
  heapLimit: 2 ** 32,
  heapUsed: 0,
});

/** The bounds of a server with these limits. */
export function boundsOf(
  clock: Clock,
  { requestsBytes, connections }: ServerLimits = LIMITS,
  log: Logger = silentLogger,
): ServerBounds {
  const memory = new RequestMemory(requestsBytes, clock);
  const refusals = new Refusals(clock, log);
  return { memory, maxConnections: connections.webhooks, refusals };
}

/** A cluster as far as conversions ask it; files with certificates need none. */
export function clusterWith(handlers: readonly WebhookHandler[]): Client {
  const versions = handlers.flatMap((handler) => {
    const mark = conversionOf(handler);
    return mark ? [{ name: mark.hub.version, storage: true }] : [];
  });
  const definition = { metadata: { resourceVersion: "1" }, spec: { versions } };
  return {
    find: ({ kind }: { kind: string }) =>
      Promise.resolve(kind === "Secret" ? undefined : definition),
    get: () => Promise.resolve(definition),
    create: (_: object, secret: object) => Promise.resolve(secret),
  } as unknown as Client;
}

/** Serves handlers on a free port. */
export async function serveWebhooks(
  handlers: readonly WebhookHandler[],
  clock: Clock = systemClock,
  {
    limits = LIMITS,
    clients,
    drainMs,
    ...parts
  }: Pick<WebhookParts, "inCluster"> & {
    readonly limits?: ServerLimits;
    readonly clients?: ClientCertificates;
    readonly drainMs?: number;
  } = {},
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "tsop-webhooks-"));
  const files = certificateIn(folder, clock.now());
  const registry = new Registry();
  const lines: string[] = [];
  const host = new WebhookHost({
    options: { port: 0, host: "127.0.0.1", certificate: files, ...present({ clients, drainMs }) },
    registry,
    clock,
    log: keepingLogger(lines),
    namespace: "default",
    observe: () => undefined,
    client: clusterWith(handlers),
    ...parts,
  });
  for (const handler of handlers) host.add(handler);
  await host.start(limits);
  const port = host.port!;
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  return {
    host,
    port,
    registry,
    lines,
    files,
    ask: (path, body, options = {}) => ask(port, path, body, { agent, ...options }),
    async stop() {
      await host.stop();
      agent.destroy();
      rmSync(folder, { recursive: true });
    },
  };
}

function ask(port: number, path: string, body: unknown, options: RequestOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: "127.0.0.1",
      port,
      path,
      method: "POST",
      headers: { "content-type": "application/json" },
      ...options,
    });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      text(response).then(
        (said) => {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(said) as AnswerBody });
        },
        (error: unknown) => reject(error as Error),
      );
    });
    const isRaw = typeof body === "string" || Buffer.isBuffer(body);
    outgoing.end(isRaw ? body : JSON.stringify(body));
  });
}

/** What a review asks about; the rest is made up. */
export interface Question {
  readonly uid?: string;
  readonly apiVersion?: string;
  readonly operation?: string;
  readonly kind?: object;
  readonly name?: string;
  readonly object?: unknown;
  readonly oldObject?: unknown;
  readonly dryRun?: boolean;
  readonly userInfo?: object;
}

/** A review as the API server sends it. */
export function reviewOf(question: Question): object {
  const { apiVersion = "admission.k8s.io/v1", ...request } = question;
  const gvk = { group: "shop.example.com", version: "v1", kind: "Widget" };
  return {
    kind: "AdmissionReview",
    apiVersion,
    request: {
      uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
      kind: gvk,
      resource: { group: "shop.example.com", version: "v1", resource: "widgets" },
      requestKind: gvk,
      requestResource: { group: "shop.example.com", version: "v1", resource: "widgets" },
      name: "w",
      namespace: "default",
      operation: "CREATE",
      userInfo: { username: "jo", groups: ["system:authenticated"] },
      object: null,
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
      ...request,
    },
  };
}
