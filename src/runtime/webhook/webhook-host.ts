/** The webhooks of a manager: their handlers, the server, and its certificate. */
import type { Registry } from "prom-client";
import { TsopError } from "../../errors.ts";
import { WEBHOOK_SERVICE } from "../../kube/webhooks/certificate-rights.ts";
import { CONVERSION_PATH } from "../../kube/webhooks/webhook-marks.ts";
import type { ResourceInfo } from "../../kube/resource.ts";
import { announce } from "../../logging/safe-logger.ts";
import { present } from "../../present.ts";
import { bindMethods } from "../bind-methods.ts";
import type { ServerCertificate } from "../serving/certificate-files.ts";
import { ClientAuthorities } from "../serving/client-certificates.ts";
import { Refusals } from "../serving/refusals.ts";
import { RequestMemory } from "../serving/request-memory.ts";
import type { ServerLimits } from "../serving/server-limits.ts";
import type { Tracing } from "../tracing/tracing.ts";
import {
  OPERATOR_NAMESPACE_VARIABLE,
  WEBHOOKS_SERVED,
  WEBHOOK_HOST_VARIABLE,
  type WebhookServerOptions,
} from "./certificate.ts";
import type { CertificateProvider } from "./certificates/certificate-provider.ts";
import { ClusterTrust, conversionAccess } from "./cluster-trust.ts";
import { HubConversion } from "./conversion/hub-conversion.ts";
import { type WebhookHandler, WebhookHandlers } from "./handlers.ts";
import type { PlannedAccess } from "../client/access.ts";
import type { HandlerMarks } from "./certificates/targets.ts";
import { plannedFor, providerFor, type ProviderParts } from "./provider.ts";
import { outOfMemory } from "./requests/request-limits.ts";
import type { ServedPath } from "./requests/served-path.ts";
import { admissionPath, conversionPath } from "./served-paths.ts";
import { WebhookMetrics } from "./requests/webhook-metrics.ts";
import { WebhookServer } from "./webhook-server.ts";

/** The handlers of the reviews that the API server sends. */
export interface Webhooks {
  /**
   * Adds what answers a webhook, before `manager.start`: an object whose class wears `@MutatingWebhook`,
   * `@ValidatingWebhook` or `@ConversionWebhook`.
   *
   * @throws TsopError `webhook-without-marker`, `webhook-without-method`, `webhook-method-not-asked`,
   *   `webhook-without-path`, `webhook-path-taken`, `conversion-exists`, `conversion-with-two-hubs`,
   *   `webhook-too-late`
   */
  add(handler: WebhookHandler): void;
}

export interface WebhookParts extends Omit<ProviderParts, "marks"> {
  /** Nothing is served when absent. */
  readonly options: WebhookServerOptions | undefined;
  readonly registry: Registry;
  /** Whether a Service may lead to this process, which then is drained at its end; false when absent. */
  readonly inCluster?: boolean;
  /** Makes a span of each review; none when absent. */
  readonly tracing?: Tracing | undefined;
}

// As controller-runtime's.
const LAST_ANSWERS_MS = 60_000;
const DRAIN_MS = 15_000;

/** The share of the memory for a request that kept fields can have: an answer has them several times, as text. */
const KEPT_SHARE = 0.25;

export class WebhookHost implements Webhooks {
  readonly #handlers = new WebhookHandlers();
  readonly #parts: WebhookParts;
  readonly #ended = new AbortController();
  #provider: CertificateProvider | undefined;
  #trust: ClusterTrust | undefined;
  #server: WebhookServer | undefined;
  #port: number | undefined;
  #memory: RequestMemory | undefined;
  #served: ReadonlyMap<string, ServedPath> = new Map();
  #isStarted = false;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
    bindMethods(this, WebhookHost);
  }

  /** Where reviews are answered, once it listens. */
  get port(): number | undefined {
    return this.#port;
  }

  /** The served paths, once it listens. */
  get served(): ReadonlyMap<string, ServedPath> {
    return this.#served;
  }

  /** The memory of the requests that are under way, once it listens. */
  get memory(): RequestMemory | undefined {
    return this.#memory;
  }

  add(handler: WebhookHandler): void {
    if (this.#isStarted) {
      throw new TsopError(
        "webhook-too-late",
        `${handler.constructor.name} was added after the manager was started, when the API server might already have called it.`,
        "Call manager.webhooks.add(...) before manager.start(...).",
      );
    }
    this.#handlers.add(handler);
  }

  /** The access that a certificate and conversions need. */
  planned(): PlannedAccess[] {
    const { options, namespace } = this.#parts;
    if (this.#handlers.isEmpty || !options) return [];
    return [
      ...plannedFor(options.certificate, this.#marks, namespace),
      ...conversionAccess(this.#hubs, this.#namespace),
    ];
  }

  get #hubs(): readonly ResourceInfo[] {
    return this.#marks.conversions.map(({ hub }) => hub);
  }

  /** Where the operator is deployed. */
  get #namespace(): string {
    const { options, namespace } = this.#parts;
    const certificate = options?.certificate;
    const own = certificate && "selfManaged" in certificate ? certificate.selfManaged : undefined;
    return own?.namespace ?? process.env[OPERATOR_NAMESPACE_VARIABLE] ?? namespace;
  }

  /** In front of the webhooks; known if the operator issues the certificate for it. */
  get #service(): string | undefined {
    const certificate = this.#parts.options?.certificate;
    if (!certificate || !("selfManaged" in certificate)) return undefined;
    return `${certificate.selfManaged.namePrefix}${WEBHOOK_SERVICE}`;
  }

  get #marks(): HandlerMarks {
    return {
      webhooks: [...this.#handlers.routes.values()].map(({ mark }) => mark),
      conversions: this.#handlers.conversions.map(({ mark }) => mark),
    };
  }

  /** Opens the server, if there is anything to serve. @throws TsopError what keeps it from having a certificate or a port */
  async start({ requestsBytes, connections }: ServerLimits): Promise<void> {
    this.#isStarted = true;
    const { options, log } = this.#parts;
    if (this.#handlers.isEmpty) return;
    if (!options) {
      log.info("webhooks are not served: createManager was given no options for them");
      return;
    }
    this.#provider = providerFor(options.certificate, {
      ...this.#parts,
      marks: this.#marks,
    });
    this.#followTrust();
    const renewed = (certificate: ServerCertificate): void => this.#server?.renew(certificate);
    const certificate = await this.#provider.start(renewed, this.#ended.signal);
    if (this.#ended.signal.aborted) return;
    const { clock, tracing } = this.#parts;
    const authorities = options.clients && new ClientAuthorities(options.clients, clock, log);
    const ca = await authorities?.read();
    const memory = new RequestMemory(requestsBytes, clock);
    this.#memory = memory;
    this.#served = this.#paths(memory);
    this.#server = new WebhookServer(clock, this.#served, certificate, {
      tracing,
      memory,
      maxConnections: connections.webhooks,
      refusals: new Refusals(clock, log),
      clients: authorities && ca && { authorities, ca },
    });
    if (authorities && ca) {
      const changed = (now: Buffer): void => this.#server?.renewClientCa(now);
      void authorities.follow(ca, changed, this.#ended.signal);
    }
    const host = options.host ?? process.env[WEBHOOK_HOST_VARIABLE];
    this.#port = await this.#server.listen({ port: options.port, ...present({ host }) });
    announce(log, { port: this.#port }, WEBHOOKS_SERVED);
    options.listening?.(this.#port);
  }

  /** Behind `/readyz`. @throws Error why reviews are not answered */
  checkReady(): void {
    if (this.#handlers.isEmpty || !this.#parts.options) return;
    if (!this.#server?.isListening) throw new Error("the webhook server does not listen");
    this.#provider?.checkReady();
    this.#trust?.checkReady();
  }

  /**
   * Answers on until reviews go to another process: the endpoint of this one is only being removed, and connections
   * are kept. Resolves at once where no Service leads to this process.
   *
   * @param graceMs - the time that the whole operator has for its end
   */
  async drain(graceMs: number): Promise<void> {
    const { options, log, inCluster = false } = this.#parts;
    const isBehindService = inCluster && process.env[WEBHOOK_HOST_VARIABLE] === undefined;
    const wantedMs = options?.drainMs ?? (isBehindService ? DRAIN_MS : 0);
    const drainMs = Math.min(wantedMs, graceMs / 2);
    if (drainMs <= 0 || !this.#server?.isListening || this.#ended.signal.aborted) return;
    log.info({ drainMs }, "webhooks are still answered, until requests go to another replica");
    if (!(await this.#server.drain(drainMs, this.#ended.signal))) return;
    log.warn(
      { drainMs },
      "webhook requests still come in at the end of the drain; later ones fail. Raise drainMs if other replicas are ready.",
    );
  }

  /** Resolves when all that was asked is answered; no more than a minute is given for that. */
  async stop(): Promise<void> {
    await this.#server?.stop(LAST_ANSWERS_MS);
    this.close();
  }

  /** Ends it at once. */
  close(): void {
    this.#ended.abort();
    this.#server?.close();
  }

  #followTrust(): void {
    const [first] = this.#handlers.conversions;
    if (!first) return;
    const { client, clock, log } = this.#parts;
    this.#trust = new ClusterTrust({
      ...{ client, clock, log, namespace: this.#namespace, service: this.#service },
      hubs: this.#hubs,
      keepsPath: process.env[WEBHOOK_HOST_VARIABLE] !== undefined,
      loadCheck: first.mark.loadCheck,
    });
    void this.#trust.follow(this.#ended.signal);
  }

  #paths(memory: RequestMemory): ReadonlyMap<string, ServedPath> {
    const { registry, clock, log } = this.#parts;
    const { largestBytes } = memory;
    const told = { clock, log, metrics: new WebhookMetrics(registry, clock), largestBytes };
    const paths = new Map<string, ServedPath>();
    for (const [path, route] of this.#handlers.routes) paths.set(path, admissionPath(route, told));
    const { conversions } = this.#handlers;
    if (conversions.length === 0) return paths;
    const trust = this.#trust;
    const conversion = new HubConversion({
      clock,
      log,
      keptMaxBytes: largestBytes * KEPT_SHARE,
      busy: () => outOfMemory(memory),
      ...(trust && { trustOf: trust.trustOf, untilKnown: (signal) => trust.untilKnown(signal) }),
    });
    for (const { converter } of conversions) conversion.add(converter);
    const unanswered = (path: string): void => trust?.unanswered(path);
    const route = conversionPath(CONVERSION_PATH, conversion, { ...told, unanswered });
    return paths.set(CONVERSION_PATH, route);
  }
}
