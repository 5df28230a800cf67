/**
 * Admits only requests of users whom the cluster knows and allows them: a TokenReview identifies
 * the user, a SubjectAccessReview checks the right. Answers are kept for as long as
 * controller-runtime keeps them.
 *
 * Anybody can send any number of tokens, and each unknown one would be a request to the API server: reviews of those have a rate, one for each address and one
 * for all. A token that was good once is reviewed whatever others send.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/metrics/filters
 */
import { createHash } from "node:crypto";
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import type { SentObject } from "../../kube/object.ts";
import type { ResourceType } from "../../kube/resource.ts";
import type { Client } from "../client/client.ts";
import { LruMap } from "../lru.ts";
import { BucketRateLimiter } from "../queue/rate-limiters.ts";
import { cannotBeValid } from "./bearer-token.ts";
import { Refusals } from "./refusals.ts";

interface TokenReview extends SentObject {
  spec: { token: string };
  status?: { authenticated?: boolean; user?: User };
}

interface User {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface SubjectAccessReview extends SentObject {
  spec: object;
  status?: { allowed?: boolean };
}

const TOKEN_REVIEW: ResourceType<TokenReview> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenReview",
  plural: "tokenreviews",
  namespaced: false,
};

const ACCESS_REVIEW: ResourceType<SubjectAccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  namespaced: false,
};

const KNOWN_MS = 60_000;
const ALLOWED_MS = 300_000;
const DENIED_MS = 30_000;
const MOST_ANSWERS = 1000;
// A few scrapers, whose tokens change now and then, need less.
const UNKNOWN_PER_SECOND = 10;
const UNKNOWN_BURST = 20;
const OF_ADDRESS_PER_SECOND = 1;
const OF_ADDRESS_BURST = 5;

interface Kept<V> {
  readonly value: V;
  readonly untilMs: number;
}

/** The status for a request: 429 while too many unknown tokens come in. */
export type Verdict = 200 | 401 | 403 | 429;

/** What is asked about a request. */
export interface ReviewedRequest {
  /** The header. */
  readonly authorization: string | undefined;
  readonly remoteAddress: string | undefined;
  readonly path: string;
  /** The verb of the right; `get` when absent. */
  readonly verb?: string;
}

/** Reviews requests by the API server. */
export class ReviewFilter {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #refusals: Refusals;
  // Of different tokens, so that no flood of bad ones displaces the good ones.
  readonly #users = new LruMap<Kept<User>>(MOST_ANSWERS);
  readonly #unknown = new LruMap<Kept<true>>(MOST_ANSWERS);
  readonly #verdicts = new LruMap<Kept<boolean>>(MOST_ANSWERS);
  // By token: the same question is asked once at a time.
  readonly #reviews = new Map<string, Promise<User | undefined>>();
  readonly #rate: BucketRateLimiter;
  readonly #rateOf = new LruMap<BucketRateLimiter>(MOST_ANSWERS);

  constructor(client: Client, clock: Clock, log: Logger) {
    this.#client = client;
    this.#clock = clock;
    this.#refusals = new Refusals(clock, log);
    this.#rate = new BucketRateLimiter(clock, UNKNOWN_PER_SECOND, UNKNOWN_BURST);
  }

  /**
   * Returns 200 to continue, 401 for an unknown user, 403 for one who may not `get` the path, 429 for a token that cannot be reviewed now.
   *
   * @throws StatusError, ConnectionError when the cluster cannot answer
   */
  async check({
    authorization,
    remoteAddress,
    path,
    verb = "get",
  }: ReviewedRequest): Promise<Verdict> {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined || cannotBeValid(token, this.#clock.now())) return 401;
    const user = await this.#user(token, remoteAddress);
    if (user === "too many") return 429;
    if (!user) return 401;
    return (await this.#mayDo(user, verb, path)) ? 200 : 403;
  }

  async #user(token: string, address = ""): Promise<User | undefined | "too many"> {
    // The token itself should not stay in memory.
    const key = createHash("sha256").update(token).digest("base64");
    const nowMs = this.#clock.monotonicMs();
    const kept = this.#users.get(key);
    if (kept && nowMs < kept.untilMs) return kept.value;
    const bad = this.#unknown.get(key);
    if (bad && nowMs < bad.untilMs) return undefined;
    const open = this.#reviews.get(key);
    if (open) return open;
    if (!kept && !this.#mayReview(address)) return "too many";
    const review = this.#review(token, key).finally(() => this.#reviews.delete(key));
    this.#reviews.set(key, review);
    return review;
  }

  async #review(token: string, key: string): Promise<User | undefined> {
    const { status } = await this.#client.create(TOKEN_REVIEW, { spec: { token } });
    const untilMs = this.#clock.monotonicMs() + KNOWN_MS;
    if (status?.authenticated !== true) {
      this.#unknown.set(key, { value: true, untilMs });
      // It was good once, and is not any more.
      if (this.#users.get(key)) this.#users.delete(key);
      return undefined;
    }
    const value = status.user ?? {};
    this.#users.set(key, { value, untilMs });
    return value;
  }

  #mayReview(address: string): boolean {
    const rateOf =
      this.#rateOf.get(address) ??
      new BucketRateLimiter(this.#clock, OF_ADDRESS_PER_SECOND, OF_ADDRESS_BURST);
    this.#rateOf.set(address, rateOf);
    if (rateOf.allow() && this.#rate.allow()) return true;
    this.#refusals.tell({
      limit: "token-reviews",
      message: `A request with an unknown token from ${address} was answered with 429: more than ${OF_ADDRESS_PER_SECOND} a second come from there, or more than ${UNKNOWN_PER_SECOND} in all.`,
      fix: "Find out who sends them, and allow only the namespaces of scrapers in the NetworkPolicy. Tokens that were valid before are not affected.",
    });
    return false;
  }

  async #mayDo(user: User, verb: string, path: string): Promise<boolean> {
    const { username, uid, groups, extra } = user;
    const attributes = { path, verb };
    const spec = { user: username, uid, groups, extra, nonResourceAttributes: attributes };
    const key = JSON.stringify(spec);
    const nowMs = this.#clock.monotonicMs();
    const kept = this.#verdicts.get(key);
    if (kept && nowMs < kept.untilMs) return kept.value;
    const { status } = await this.#client.create(ACCESS_REVIEW, { spec });
    const value = status?.allowed === true;
    this.#verdicts.set(key, { value, untilMs: nowMs + (value ? ALLOWED_MS : DENIED_MS) });
    return value;
  }
}
