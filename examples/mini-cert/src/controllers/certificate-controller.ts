import { Client as AcmeClient, crypto, type Order } from "acme-client";
import {
  controllerFor,
  keyOf,
  metadataOf,
  setCondition,
  shortName,
  type Client,
  type ConditionChange,
  type Dependents,
  type Manager,
  type Outcome,
  type ReconcileContext,
  type Reconciler,
  type Request,
  type Result,
  type StatusPatch,
} from "tsop";
import { Secret } from "tsop/k8s";
import { Certificate, type Challenge } from "../api/v1/certificate.ts";
import { AcmeProblem, type AcmeOptions } from "./acme.ts";
import { KINDS, solverOf, urlOf } from "./children.ts";
import { sameHosts, Secrets, SecretTaken, validityOf, type Validity } from "./secrets.ts";

const ACCOUNT = "acme-account";
const POLL_MS = 5_000;
const MAX_POLL_MS = 900_000;
const HOUR_MS = 3_600_000;
/** How long a failed order is left alone: an hour, then two, then four, and a day and a half at most. */
const MAX_WAIT_MS = 36 * HOUR_MS;

/** A Certificate, what its Secret has, and what time it is. */
interface Seen {
  readonly certificate: Certificate;
  readonly validity: Validity | undefined;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/**
 * Makes the cluster match what each Certificate asks for: one step of an order each time, so that whatever ends the operator
 * in between, the next one goes on with the same order and the same key.
 */
export class CertificateReconciler implements Reconciler<Certificate> {
  readonly #client: Client;
  readonly #secrets: Secrets;
  readonly #solver: Dependents<Certificate>;
  readonly #options: AcmeOptions;
  /** URLs of accounts, by their keys. */
  readonly #accounts = new Map<string, string>();

  constructor(client: Client, solver: Dependents<Certificate>, options: AcmeOptions) {
    this.#client = client;
    this.#secrets = new Secrets(client);
    this.#solver = solver;
    this.#options = options;
  }

  async reconcile({ key }: Request, { nowMs, signal }: ReconcileContext): Promise<Outcome> {
    const certificate = await this.#client.find(Certificate, key);
    if (!certificate) return;
    const { secretName, dnsNames } = certificate.spec;
    let seen: Seen = { certificate, validity: undefined, nowMs, signal };
    try {
      const content = await this.#secrets.read(certificate, secretName);
      seen = { ...seen, validity: content && validityOf(content, dnsNames) };
      const waitMs = untilRenewal(seen);
      if (waitMs > 0) return await this.#rest(seen, waitMs);
      const retryMs = untilRetry(seen);
      if (retryMs <= 0) return await this.#issue(seen);
      await this.#solver.reconcile(certificate, signal);
      return { requeueAfterMs: retryMs };
    } catch (error) {
      if (error instanceof SecretTaken) {
        // The Secret is watched: when it goes, this goes on.
        await this.#report(seen, no("SecretTaken", error.message));
        return;
      }
      if (error instanceof AcmeProblem && error.retryAfterMs !== undefined) {
        return this.#waitFor(seen, error.retryAfterMs, no("RateLimited", error.message));
      }
      throw error;
    }
  }

  async onError(certificate: Certificate, { message }: Error, { nowMs }: ReconcileContext) {
    await this.#client.status.patch(certificate, (status) => ({
      conditions: setCondition(status?.conditions, yes("Error", message), nowMs),
    }));
  }

  /** Nothing has to be done until the renewal, and nothing of the order has to stay. */
  async #rest(seen: Seen, waitMs: number): Promise<Result> {
    const { certificate, signal } = seen;
    if (certificate.status?.order) await this.#secrets.delete(certificate, keyName(certificate));
    const issued = no("Issued", "Nothing is asked for until the renewal.");
    const done = { order: null, failures: null, retryAt: null };
    await this.#solver.reconcile(await this.#report(seen, issued, done), signal);
    return { requeueAfterMs: waitMs };
  }

  /** The next step of the order. */
  async #issue(seen: Seen): Promise<Outcome> {
    const { certificate } = seen;
    const acme = await this.#acmeFor(certificate);
    const order = (await openOrder(certificate, acme)) ?? (await this.#begin(seen, acme));
    switch (order.status) {
      case "pending":
        return this.#prove(seen, acme, order);
      case "ready": {
        const key = await this.#nextKey(certificate);
        const [, request] = await crypto.createCsr({ altNames: certificate.spec.dnsNames }, key);
        await acme.finalizeOrder(order, request);
        return again(seen);
      }
      case "processing":
        return again(seen);
      case "valid":
        return this.#store(seen, await acme.getCertificate(order));
      case "invalid":
        return this.#giveUp(seen, await reasonOf(order, acme));
    }
  }

  async #begin(seen: Seen, acme: AcmeClient): Promise<Order> {
    const { dnsNames } = seen.certificate.spec;
    const identifiers = dnsNames.map((value) => ({ type: "dns", value }));
    const order = await acme.createOrder({ identifiers });
    const ordered = yes("Ordered", "The certificate is ordered.");
    const since = timeOf(seen.nowMs);
    const status = { order: { url: order.url, since, challenges: [] }, retryAt: null };
    await this.#report(seen, ordered, status);
    return order;
  }

  /** Has the answers to all challenges served, looks at them as the ACME server will, and only then calls it. */
  async #prove(seen: Seen, acme: AcmeClient, order: Order): Promise<Outcome> {
    const authorizations = await acme.getAuthorizations(order);
    const open = authorizations.filter(({ status }) => status === "pending");
    const challenges: Challenge[] = [];
    const calls: (() => Promise<unknown>)[] = [];
    for (const { identifier, challenges: offered } of open) {
      const challenge = offered.find(({ type }) => type === "http-01");
      if (!challenge) return this.#giveUp(seen, `${identifier.value} cannot be proven over HTTP`);
      const answer = await acme.getChallengeKeyAuthorization(challenge);
      challenges.push({ host: identifier.value, token: challenge.token, answer });
      if (challenge.status === "pending") calls.push(() => acme.completeChallenge(challenge));
    }
    const { since = timeOf(seen.nowMs) } = seen.certificate.status?.order ?? {};
    const status = { order: { url: order.url, since, challenges } };
    const certificate = await this.#client.status.patch(seen.certificate, status);

    const { ready, waitingFor } = await this.#solver.reconcile(certificate, seen.signal);
    const missing = ready ? await this.#missing(challenges, seen.signal) : waitingFor;
    if (missing.length === 0) for (const call of calls) await call();
    const issuing =
      missing.length === 0
        ? yes("Proving", "The ACME server looks at the hosts.")
        : yes("Waiting", `Waits for ${missing.join(", ")}.`);
    const now = { ...seen, certificate };
    await this.#report(now, issuing);
    return again(now);
  }

  /** Where the ACME server would not find its answer yet; a failed proof counts against the account. */
  async #missing(challenges: Challenge[], signal: AbortSignal): Promise<string[]> {
    const { fetch: read = fetch } = this.#options;
    const found = challenges.map(async (challenge) => {
      const response = await read(urlOf(challenge), { signal }).catch(() => undefined);
      return response?.ok === true && (await response.text()).trim() === challenge.answer;
    });
    const isServed = await Promise.all(found);
    return challenges.filter((_, index) => !isServed[index]).map(urlOf);
  }

  async #store(seen: Seen, chain: string): Promise<Outcome> {
    const { certificate } = seen;
    const { secretName, dnsNames } = certificate.spec;
    const content = { "tls.key": await this.#nextKey(certificate), "tls.crt": chain };
    const validity = validityOf(content, dnsNames);
    if (!validity) return this.#giveUp(seen, "the certificate is not for these hosts and this key");
    await this.#secrets.write(certificate, secretName, content);
    const now = { ...seen, validity };
    return this.#rest(now, Math.max(untilRenewal(now), POLL_MS));
  }

  /** An order came to nothing: the next one is made later, each time twice as late. */
  async #giveUp(seen: Seen, reason: string): Promise<Outcome> {
    const failures = (seen.certificate.status?.failures ?? 0) + 1;
    const waitMs = Math.min(HOUR_MS * 2 ** (failures - 1), MAX_WAIT_MS);
    const failed = no("Failed", `The order failed: ${reason}.`);
    return this.#waitFor(seen, waitMs, failed, { order: null, failures });
  }

  async #waitFor(
    seen: Seen,
    waitMs: number,
    why: ConditionChange,
    status: StatusPatch<Certificate> = {},
  ): Promise<Result> {
    const told = { ...status, retryAt: timeOf(seen.nowMs + waitMs) };
    await this.#solver.reconcile(await this.#report(seen, why, told), seen.signal);
    return { requeueAfterMs: waitMs };
  }

  #report(
    { certificate, validity, nowMs }: Seen,
    issuing: ConditionChange,
    status: StatusPatch<Certificate> = {},
  ): Promise<Certificate> {
    const ready = readyOf(validity, nowMs);
    return this.#client.status.patch(certificate, (before) => ({
      ...status,
      observedGeneration: certificate.metadata.generation,
      notAfter: validity ? timeOf(validity.notAfterMs) : null,
      renewAt: validity ? timeOf(renewalOf(validity)) : null,
      conditions: setCondition(setCondition(before?.conditions, ready, nowMs), issuing, nowMs),
    }));
  }

  /** The key of the next certificate: kept before the server hears of it, for an operator that comes after this one. */
  async #nextKey(certificate: Certificate): Promise<string> {
    const name = keyName(certificate);
    const { "tls.key": kept } = (await this.#secrets.read(certificate, name)) ?? {};
    if (kept) return kept;
    const key = await newKey();
    await this.#secrets.write(certificate, name, { "tls.key": key });
    return key;
  }

  /** A client with the account of the namespace, which is made at first. */
  async #acmeFor(certificate: Certificate): Promise<AcmeClient> {
    const { directoryUrl, email } = this.#options;
    const accountKey = await this.#secrets.shared(certificate, ACCOUNT, newKey);
    const accountUrl = this.#accounts.get(accountKey);
    if (accountUrl) return new AcmeClient({ directoryUrl, accountKey, accountUrl });
    const acme = new AcmeClient({ directoryUrl, accountKey });
    const contact = email === undefined ? [] : [`mailto:${email}`];
    await acme.createAccount({ termsOfServiceAgreed: true, contact });
    this.#accounts.set(accountKey, acme.getAccountUrl());
    return acme;
  }
}

/** The order that is under way, unless it is for other hosts or gone. */
async function openOrder(
  { spec, status }: Certificate,
  acme: AcmeClient,
): Promise<Order | undefined> {
  if (!status?.order) return undefined;
  const { url } = status.order;
  try {
    // Of what it is given, the URL alone is read.
    const order = await acme.getOrder({ ...UNKNOWN, url });
    const hosts = order.identifiers.map(({ value }) => value);
    return sameHosts(hosts, spec.dnsNames) ? order : undefined;
  } catch (error) {
    if (error instanceof AcmeProblem && error.status === 404) return undefined;
    throw error;
  }
}

const UNKNOWN: Omit<Order, "url"> = {
  status: "pending",
  identifiers: [],
  authorizations: [],
  finalize: "",
};

/** Why an order failed: what it says itself, or the first of its challenges that failed. */
async function reasonOf(order: Order, acme: AcmeClient): Promise<string> {
  const challenges = (await acme.getAuthorizations(order)).flatMap(({ challenges }) => challenges);
  const errors = [order, ...challenges].map(({ error }): { detail?: string } => ({ ...error }));
  return errors.find(({ detail }) => detail)?.detail ?? "it has ended";
}

/** Looks at the order once more: soon while it is young, and every quarter of an hour where somebody has to mend something. */
function again({ certificate: { status }, nowMs }: Seen): Result {
  const ageMs = status?.order ? nowMs - Date.parse(status.order.since) : 0;
  return { requeueAfterMs: Math.min(Math.max(ageMs / 4, POLL_MS), MAX_POLL_MS) };
}

function renewalOf({ notBeforeMs, notAfterMs }: Validity): number {
  return notBeforeMs + ((notAfterMs - notBeforeMs) * 2) / 3;
}

function untilRenewal({ validity, nowMs }: Seen): number {
  return validity ? renewalOf(validity) - nowMs : 0;
}

/** How long the ACME server is to be left alone; not for a spec that it has not heard of. */
function untilRetry({ certificate: { metadata, status }, nowMs }: Seen): number {
  if (!status?.retryAt || status.observedGeneration !== metadata.generation) return 0;
  return Date.parse(status.retryAt) - nowMs;
}

function readyOf(validity: Validity | undefined, nowMs: number): ConditionChange {
  const type = "Ready";
  if (!validity) {
    const message = "The Secret has no certificate for all hosts.";
    return { type, status: "False", reason: "NotIssued", message };
  }
  const until = timeOf(validity.notAfterMs);
  return validity.notAfterMs > nowMs
    ? { type, status: "True", reason: "Issued", message: `It is valid until ${until}.` }
    : { type, status: "False", reason: "Expired", message: `It was valid until ${until}.` };
}

const yes = (reason: string, message: string): ConditionChange => ({
  type: "Issuing",
  status: "True",
  reason,
  message,
});
const no = (reason: string, message: string): ConditionChange => ({
  ...yes(reason, message),
  status: "False",
});
const newKey = async (): Promise<string> => String(await crypto.createPrivateEcdsaKey());
const timeOf = (ms: number): string => new Date(ms).toISOString();
const keyName = ({ metadata }: Certificate): string => shortName([metadata.name, "next-key"]);

/** Hands the controller of Certificate to the manager. */
export function setUpCertificate(manager: Manager, options: AcmeOptions): void {
  const { client } = manager;
  const builder = controllerFor(manager)
    .for(Certificate, { indexes: { secret: ({ spec }) => [spec.secretName] } })
    // Of Secrets names and versions alone: keys stay out of the memory.
    .watches(metadataOf(Secret), {
      map: async ({ metadata: { namespace, name } }) => {
        const index = { name: "secret", value: name };
        return (await client.list(Certificate, { namespace, index })).map(keyOf);
      },
    });
  const solver = builder.dependents({ kinds: KINDS, desired: solverOf });
  builder.complete(new CertificateReconciler(client, solver, options));
}
