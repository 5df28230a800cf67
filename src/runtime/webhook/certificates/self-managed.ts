/**
 * The certificate that an operator issues itself: shared by its replicas through a Secret, renewed
 * in time, and written into the webhook configurations. No leader is needed: each replica does the
 * work that is due, and the Secret's `resourceVersion` lets one of them win.
 */
import type { X509Certificate } from "node:crypto";
import { abortReason, type Clock } from "../../../clock.ts";
import { asSentence, messageOf, TsopError } from "../../../errors.ts";
import { CERTIFICATE_SECRET, WEBHOOK_SERVICE } from "../../../kube/webhooks/certificate-rights.ts";
import { isAlreadyExists, isConflict } from "../../../kube/status.ts";
import type { Logger } from "../../../log.ts";
import type { Client } from "../../client/client.ts";
import type { ReadingObserver, ServerCertificate } from "../../serving/certificate-files.ts";
import type { CertificateProvider } from "./certificate-provider.ts";
import { CaBundles } from "./ca-bundle.ts";
import { CertificateStore, type Stored } from "./certificate-store.ts";
import { AUTHORITY_VALIDITY_MS, SERVING_VALIDITY_MS } from "./issue.ts";
import { endsShortly, planKeyring, textsOf, type Validity } from "./keyring.ts";
import { certificateIn, certificatesIn, periodOf, periodProblem } from "../../serving/pem.ts";
import { type HandlerMarks, targetsOf } from "./targets.ts";

/** The periods of certificates, and the times between checks. */
export interface CertificateTimes extends Validity {
  /** The time between two checks of the Secret and its targets. */
  readonly lookMs: number;
  /**
   * How long a new authority must be in all bundles before it is used: API servers may lag behind.
   */
  readonly settleMs: number;
}

/** The parts of a self-managed certificate. */
export interface SelfManagedParts {
  /**
   * A client that is neither cached nor fenced: webhooks are served before this process leads or
   * its caches are ready.
   */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** The namespace of the Service and the Secret. */
  readonly namespace: string;
  readonly namePrefix: string;
  /** The markers of the handlers. */
  readonly marks: HandlerMarks;
  /** Counts the readings of the Secret, with the time when the served certificate expires. */
  readonly observe?: ReadingObserver;
  readonly times?: Partial<CertificateTimes>;
}

/** The served certificate. */
interface Served {
  readonly server: ServerCertificate;
  readonly certificate: X509Certificate;
  readonly authority: X509Certificate;
}

const TIMES: CertificateTimes = {
  servingMs: SERVING_VALIDITY_MS,
  authorityMs: AUTHORITY_VALIDITY_MS,
  lookMs: 30_000,
  settleMs: 300_000,
};
const FIRST_RETRY_MS = 500;
const JITTER = 0.2;

/** Issues the certificate of the webhook server, and renews it. */
export class SelfManaged implements CertificateProvider {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #times: CertificateTimes;
  readonly #names: readonly [string, ...string[]];
  readonly #store: CertificateStore;
  readonly #bundles: CaBundles;
  /** The authorities that all targets trust, each with the time when this was first seen. */
  readonly #trusted: { readonly authority: X509Certificate; readonly sinceMs: number }[] = [];
  readonly #observe: ReadingObserver;
  #renewed: (certificate: ServerCertificate) => void = () => undefined;
  #served: Served | undefined;
  #wasReady = false;
  #problem: string | undefined;
  #wasFaster = false;
  #told: readonly string[] = [];

  constructor(parts: SelfManagedParts) {
    const { client, clock, log, namespace, namePrefix, marks, observe, times } = parts;
    this.#observe = observe ?? (() => undefined);
    const service = { namespace, name: `${namePrefix}${WEBHOOK_SERVICE}` };
    const host = `${service.name}.${namespace}.svc`;
    this.#clock = clock;
    this.#log = log;
    this.#times = { ...TIMES, ...times };
    this.#names = [host, `${host}.cluster.local`];
    const name = `${namePrefix}${CERTIFICATE_SECRET}`;
    this.#store = new CertificateStore(client, { namespace, name, service: service.name });
    const targets = targetsOf(marks, namePrefix);
    this.#bundles = new CaBundles({ client, service, targets });
  }

  async start(
    renewed: (certificate: ServerCertificate) => void,
    signal: AbortSignal,
  ): Promise<ServerCertificate> {
    for (let failures = 1; ; failures++) {
      if (signal.aborted) throw abortReason(signal);
      await this.#look();
      if (this.#served) break;
      await this.#clock.sleep(this.#pauseMs(failures), signal);
    }
    this.#renewed = renewed;
    void this.#follow(signal);
    return this.#served.server;
  }

  checkReady(): void {
    const served = this.#served;
    if (!served) throw new Error(this.#problem ?? "There is no certificate yet.");
    const problem = periodProblem(served.certificate, this.#clock.now());
    if (problem !== undefined) {
      throw new Error(
        `${asSentence(`The webhook certificate ${problem}`)} ${this.#problem ?? ""}`.trim(),
      );
    }
    // A configuration that disappears later is only logged: an unready replica would make all other
    // webhooks fail as well.
    if (this.#wasReady) return;
    const { problems } = this.#bundles;
    if (problems.length > 0) throw new Error(problems.join(" "));
    if (!this.#bundles.trust(served.authority)) {
      throw new Error("The API server does not know the authority of the certificate yet.");
    }
    this.#wasReady = true;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    let failures = this.#isWell ? 0 : 1;
    while (!signal.aborted) {
      try {
        await this.#clock.sleep(this.#pauseMs(failures), signal);
      } catch {
        return;
      }
      try {
        await this.#look();
      } catch (error) {
        this.#problem = messageOf(error);
        this.#observe();
        this.#tell();
      }
      failures = this.#isWell ? 0 : failures + 1;
    }
  }

  get #isWell(): boolean {
    return this.#problem === undefined && !this.#wasFaster && this.#bundles.isWell;
  }

  /** The time until the next check: short after a failure, and different in each replica. */
  #pauseMs(failures: number): number {
    const { lookMs } = this.#times;
    const retryMs = FIRST_RETRY_MS * 2 ** Math.min(failures, 20);
    const pauseMs = failures === 0 ? lookMs : Math.min(retryMs, lookMs);
    return pauseMs * (1 - JITTER * this.#clock.random());
  }

  /**
   * Runs one check. The targets are read before the Secret, so that no replica overwrites a newer
   * bundle with an older one.
   *
   * @throws TsopError `certificate-secret-foreign`
   */
  async #look(): Promise<void> {
    await this.#bundles.read();
    this.#noteTrust([]);
    const texts = await this.#reconcileSecret();
    if (texts) {
      const bundle = texts["ca.crt"] ?? "";
      await this.#bundles.write(bundle);
      this.#noteTrust(certificatesIn(bundle));
      this.#adopt(texts);
    }
    this.#observe(texts && this.#served && periodOf(this.#served.certificate).toMs);
    this.#tell();
  }

  /**
   * The content of the Secret after all due changes; `undefined` when it is unknown or unusable.
   */
  async #reconcileSecret(): Promise<Readonly<Record<string, string>> | undefined> {
    this.#problem = undefined;
    this.#wasFaster = false;
    const where = this.#store.description;
    let stored: Stored;
    try {
      stored = await this.#store.read();
    } catch (error) {
      if (error instanceof TsopError && error.code === "certificate-secret-foreign") throw error;
      this.#problem = `The ${where} could not be read: ${messageOf(error)}`;
      return undefined;
    }
    const plan = planKeyring(stored, {
      names: this.#names,
      validity: this.#times,
      clock: this.#clock,
      isTrusted: (authority) => this.#isTrusted(authority),
      ...(this.#served ? { served: this.#served } : {}),
    });
    if (plan.problems.length === 0 && plan.changes.length === 0) return stored.texts;
    try {
      await this.#store.write(plan.keyring, stored);
    } catch (error) {
      this.#wasFaster = isConflict(error) || isAlreadyExists(error);
      if (!this.#wasFaster) {
        this.#problem = `The ${where} could not be written: ${messageOf(error)}`;
      }
      // A good stored content is only replaced by a better one.
      return plan.problems.length === 0 && stored.secret ? stored.texts : undefined;
    }
    for (const problem of plan.problems) this.#log.warn(`${where}: ${problem}`);
    for (const change of plan.changes) this.#log.info(`${where}: ${change}`);
    return textsOf(plan.keyring);
  }

  /**
   * Records the authorities that all targets trust, and removes those that a target does not trust.
   */
  #noteTrust(authorities: readonly X509Certificate[]): void {
    const sinceMs = this.#clock.monotonicMs();
    const known = this.#trusted.splice(0);
    const unknown = authorities
      .filter(({ raw }) => !known.some(({ authority }) => authority.raw.equals(raw)))
      .map((authority) => ({ authority, sinceMs }));
    const trusted = [...known, ...unknown].filter(({ authority }) =>
      this.#bundles.trust(authority),
    );
    this.#trusted.push(...trusted);
  }

  #isTrusted({ raw }: X509Certificate): boolean {
    const known = this.#trusted.find(({ authority }) => authority.raw.equals(raw));
    return known !== undefined && this.#clock.monotonicMs() - known.sinceMs >= this.#times.settleMs;
  }

  /**
   * Serves the stored certificate once the API server can verify it; at once when the served one is
   * not better.
   */
  #adopt(texts: Readonly<Record<string, string>>): void {
    const { "tls.crt": cert = "", "tls.key": key = "", "ca.crt": bundle = "" } = texts;
    const served = this.#served;
    if (served && served.server.cert.toString() === cert) return;
    const certificate = certificateIn(cert);
    const authority = certificatesIn(bundle).find((one) => certificate?.checkIssued(one));
    if (!certificate || !authority) return;
    const isUrgent = !served || endsShortly(served.certificate, this.#clock.now());
    const isKnown = served?.authority.raw.equals(authority.raw) === true;
    if (!isUrgent && !isKnown && !this.#isTrusted(authority)) return;
    const server = { cert: Buffer.from(cert), key: Buffer.from(key) };
    this.#served = { server, certificate, authority };
    this.#renewed(server);
    const until = certificate.validTo;
    this.#log.info({ until }, `the webhook certificate is valid until ${until}`);
  }

  /** Logs each problem when it arises, and when it is over. */
  #tell(): void {
    const problems = [
      ...(this.#problem === undefined ? [] : [this.#problem]),
      ...this.#bundles.problems,
    ];
    for (const problem of problems) {
      if (!this.#told.includes(problem)) this.#log.warn(problem);
    }
    if (this.#told.length > 0 && problems.length === 0) {
      this.#log.info("the problems with the webhook certificate are resolved");
    }
    this.#told = problems;
  }
}
