import { Client as AcmeClient, crypto, type Order } from "acme-client";
import {
  controllerFor,
  conditionOfType,
  createOrUpdateOwned,
  deleteOwned,
  findOwned,
  keyOf,
  metadataOf,
  secretData,
  secretText,
  setCondition,
  shortName,
  TsopError,
  type Client,
  type ConditionChange,
  type Dependents,
  type Manager,
  type NewObject,
  type ObjectKey,
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
import { sameHosts, validityOf, type Validity } from "./secrets.ts";

const ready = conditionOfType("Ready");
const issuing = conditionOfType("Issuing");
const ACCOUNT = "acme-account";
const POLL_MS = 5_000;
const MAX_POLL_MS = 900_000;
const HOUR_MS = 3_600_000;
/** How long a failed order is left alone: an hour, then two, then four, and a day and a half at most. */
const MAX_WAIT_MS = 36 * HOUR_MS;

type Status = StatusPatch<Certificate>;

/** A Certificate, what its Secret has, and what time it is. */
interface Seen {
  readonly certificate: Certificate;
  readonly validity: Validity | undefined;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/**
 * Makes the cluster match the spec of each Certificate, one step of an order at a time, so that whatever stops the
 * operator in between, the next one goes on with the same order and the same key.
 */
export class CertificateReconciler implements Reconciler<Certificate> {
  readonly #client: Client;
  readonly #solver: Dependents<Certificate>;
  readonly #options: AcmeOptions;
  /** URLs of accounts, by their keys. */
  readonly #accounts = new Map<string, string>();

  constructor(client: Client, solver: Dependents<Certificate>, options: AcmeOptions) {
    this.#client = client;
    this.#solver = solver;
    this.#options = options;
  }

  async reconcile({ key }: Request, { nowMs, signal }: ReconcileContext): Promise<Outcome> {
    const certificate = await this.#client.find(Certificate, key);
    if (!certificate) return;
    const { secretName, dnsNames } = certificate.spec;
    let seen: Seen = { certificate, validity: undefined, nowMs, signal };
    try {
      const name = { name: secretName };
      const secret = await findOwned(this.#client, Secret, name, { owner: certificate });
      seen = { ...seen, validity: secret && validityOf(secret, dnsNames) };
      const waitMs = untilRenewal(seen);
      if (waitMs > 0) return await this.#rest(seen, waitMs);
      const retryMs = untilRetry(seen);
      if (retryMs <= 0) return await this.#issue(seen);
      await this.#solver.reconcile(certificate, signal);
      return { requeueAfterMs: retryMs };
    } catch (error) {
      if (error instanceof TsopError && error.code === "not-owned") {
        // The Secret is watched: when it goes, this goes on.
        await this.#report(seen, issuing.false("SecretTaken", error.message));
        return;
      }
      if (error instanceof AcmeProblem && error.retryAfterMs !== undefined) {
        return this.#waitFor(seen, error.retryAfterMs, issuing.false("RateLimited", error.message));
      }
      throw error;
    }
  }

  async onError(certificate: Certificate, { message }: Error, { nowMs }: ReconcileContext) {
    await this.#client.status.patch(certificate, (status) => ({
      conditions: setCondition(status?.conditions, issuing.true("Error", message), nowMs),
    }));
  }

  /** Nothing has to be done until the renewal, and nothing of the order has to stay. */
  async #rest(seen: Seen, waitMs: number): Promise<Result> {
    const { certificate, signal } = seen;
    if (certificate.status?.order) {
      await deleteOwned(this.#client, Secret, keyName(certificate), { owner: certificate });
    }
    const issued = issuing.false("Issued", "Nothing is asked for until the renewal.");
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
    const ordered = issuing.true("Ordered", "The certificate is ordered.");
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
    const now = { ...seen, certificate };
    const waits = issuing.true("Waiting", `Waits for ${missing.join(", ")}.`);
    const proves = issuing.true("Proving", "The ACME server looks at the hosts.");
    await this.#report(now, missing.length > 0 ? waits : proves);
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
    const data = secretData({ "tls.key": await this.#nextKey(certificate), "tls.crt": chain });
    const validity = validityOf({ data }, dnsNames);
    if (!validity) return this.#giveUp(seen, "the certificate is not for these hosts and this key");
    await this.#write(certificate, { name: secretName }, { type: "kubernetes.io/tls", data });
    const now = { ...seen, validity };
    return this.#rest(now, Math.max(untilRenewal(now), POLL_MS));
  }

  /** An order came to nothing: the next one is made later, each time twice as late. */
  async #giveUp(seen: Seen, reason: string): Promise<Outcome> {
    const failures = (seen.certificate.status?.failures ?? 0) + 1;
    const waitMs = Math.min(HOUR_MS * 2 ** (failures - 1), MAX_WAIT_MS);
    const failed = issuing.false("Failed", `The order failed: ${reason}.`);
    return this.#waitFor(seen, waitMs, failed, { order: null, failures });
  }

  async #waitFor(seen: Seen, waitMs: number, why: ConditionChange, status: Status = {}) {
    const told = { ...status, retryAt: timeOf(seen.nowMs + waitMs) };
    await this.#solver.reconcile(await this.#report(seen, why, told), seen.signal);
    return { requeueAfterMs: waitMs };
  }

  #report({ certificate, validity, nowMs }: Seen, why: ConditionChange, status: Status = {}) {
    const isReady = readyOf(validity, nowMs);
    return this.#client.status.patch(certificate, (before) => ({
      ...status,
      observedGeneration: certificate.metadata.generation,
      notAfter: validity ? timeOf(validity.notAfterMs) : null,
      renewAt: validity ? timeOf(renewalOf(validity)) : null,
      conditions: setCondition(setCondition(before?.conditions, isReady, nowMs), why, nowMs),
    }));
  }

  /** The key of the next certificate: kept before the server hears of it, for an operator that comes after this one. */
  async #nextKey(certificate: Certificate): Promise<string> {
    const name = keyName(certificate);
    const kept = await findOwned(this.#client, Secret, name, { owner: certificate });
    const key = (kept && secretText(kept, "tls.key")) ?? (await newKey());
    await this.#write(certificate, name, { type: "Opaque", data: secretData({ "tls.key": key }) });
    return key;
  }

  async #write(owner: Certificate, key: ObjectKey, content: Pick<Secret, "type" | "data">) {
    const fill = (secret: NewObject<Secret>) => Object.assign(secret, content);
    await createOrUpdateOwned(this.#client, Secret, key, fill, { owner });
  }

  /** A client with the account of the namespace, which is made at first. */
  async #acmeFor({ metadata: { namespace } }: Certificate): Promise<AcmeClient> {
    const { directoryUrl, email } = this.#options;
    const key = { namespace, name: ACCOUNT };
    const account = await this.#client.find(Secret, key);
    const accountKey = account ? secretText(account, "tls.key") : await newKey();
    if (!accountKey)
      throw new Error(`Secret ${ACCOUNT} has no tls.key: delete it, and it is made anew`);
    const data = secretData({ "tls.key": accountKey });
    if (!account) await this.#client.create(Secret, { metadata: key, data });
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
async function openOrder({ spec, status }: Certificate, acme: AcmeClient) {
  if (!status?.order) return undefined;
  const { url } = status.order;
  try {
    // Of what it is given, the URL alone is read.
    const order = await acme.getOrder({ ...NONE, url });
    const hosts = order.identifiers.map(({ value }) => value);
    return sameHosts(hosts, spec.dnsNames) ? order : undefined;
  } catch (error) {
    if (error instanceof AcmeProblem && error.status === 404) return undefined;
    throw error;
  }
}

const NONE: Order = {
  url: "",
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
  if (!validity) return ready.false("NotIssued", "The Secret has no certificate for all hosts.");
  const until = timeOf(validity.notAfterMs);
  if (validity.notAfterMs <= nowMs) return ready.false("Expired", `It was valid until ${until}.`);
  return ready.true("Issued", `It is valid until ${until}.`);
}

const newKey = async (): Promise<string> => String(await crypto.createPrivateEcdsaKey());
const timeOf = (ms: number): string => new Date(ms).toISOString();
const keyName = ({ metadata }: Certificate): ObjectKey => ({
  name: shortName([metadata.name, "next-key"]),
});

/** Registers the Certificate controller with the manager. */
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
