/**
 * Admits only requests of users whom the cluster knows and allows them: a TokenReview identifies
 * the user, a SubjectAccessReview checks the right. Answers are kept for as long as
 * controller-runtime keeps them.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/metrics/filters
 */
import { createHash } from "node:crypto";
import type { Clock } from "../../clock.ts";
import type { SentObject } from "../../kube/object.ts";
import type { ResourceType } from "../../kube/resource.ts";
import type { Client } from "../client/client.ts";
import { LruMap } from "../lru.ts";

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

interface Kept<V> {
  readonly value: V;
  readonly untilMs: number;
}

/** Reviews requests by the API server. */
export class ReviewFilter {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #users = new LruMap<Kept<User | undefined>>(MOST_ANSWERS);
  readonly #verdicts = new LruMap<Kept<boolean>>(MOST_ANSWERS);

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Returns 200 to continue, 401 for an unknown user, 403 for one without the right.
   *
   * @param authorization - the header of the request
   * @throws StatusError, ConnectionError when the cluster cannot answer
   */
  async check(
    authorization: string | undefined,
    verb: string,
    path: string,
  ): Promise<200 | 401 | 403> {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return 401;
    const user = await this.#user(token);
    if (!user) return 401;
    return (await this.#mayDo(user, verb, path)) ? 200 : 403;
  }

  async #user(token: string): Promise<User | undefined> {
    // The token itself should not stay in memory.
    const key = createHash("sha256").update(token).digest("base64");
    const nowMs = this.#clock.monotonicMs();
    const kept = this.#users.get(key);
    if (kept && nowMs < kept.untilMs) return kept.value;
    const review = { spec: { token } };
    const { status } = await this.#client.create(TOKEN_REVIEW, review);
    const value = status?.authenticated === true ? (status.user ?? {}) : undefined;
    this.#users.set(key, { value, untilMs: nowMs + KNOWN_MS });
    return value;
  }

  async #mayDo(user: User, verb: string, path: string): Promise<boolean> {
    const { username, uid, groups, extra } = user;
    const spec = { user: username, uid, groups, extra, nonResourceAttributes: { path, verb } };
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
