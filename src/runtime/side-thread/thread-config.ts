/** The side thread's configuration, whose files the main thread follows. */
import type { Clock } from "../../clock.ts";
import { sameJson } from "../../kube/json.ts";
import { deferred, type Deferred } from "../deferred.ts";
import type { ClusterConfig, ConfigSource } from "../transport/cluster-config.ts";
import { credentialsFrom } from "../transport/credentials/credential-recipe.ts";
import type { ThreadAccess } from "./protocol.ts";

// A quarter of client-go's shortest time to renew a Lease; the main thread may be blocked.
const WAIT_MS = 500;
const ASK_EVERY_MS = 5000;

/** Requests the configuration from the main thread now and then, and when the server refused. */
export class ThreadConfig implements ConfigSource {
  readonly problem = undefined;
  readonly first: ClusterConfig;
  readonly #clock: Clock;
  readonly #ask: (isStale: boolean) => void;
  #access: ThreadAccess;
  #present: ClusterConfig;
  #askedAtMs: number;
  #isStale = false;
  #answer: Deferred<void> | undefined;

  /**
   * @param ask - requests the access, which is passed to `received`; `isStale` if the server
   *   refused the present one
   */
  constructor(
    { cluster, credentials }: ThreadAccess,
    clock: Clock,
    ask: (isStale: boolean) => void,
  ) {
    const access = { cluster, credentials };
    this.#access = access;
    this.#clock = clock;
    this.#ask = ask;
    this.#askedAtMs = clock.monotonicMs();
    this.first = this.#present = configOf(access, clock);
  }

  received(access: ThreadAccess): void {
    if (!sameJson(this.#access, access)) {
      const isSameUser = sameJson(this.#access.credentials, access.credentials);
      const config = configOf(access, this.#clock);
      const { credentials } = this.#present;
      this.#present = isSameUser ? { ...config, credentials } : config;
      this.#access = access;
    }
    this.#answer?.resolve();
  }

  async get(): Promise<ClusterConfig> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#isStale) {
      this.#answer ??= this.#request(nowMs, true);
      await this.#answer.promise;
    } else if (nowMs - this.#askedAtMs >= ASK_EVERY_MS) this.#request(nowMs, false);
    return this.#present;
  }

  invalidate(): void {
    this.#isStale = true;
  }

  #request(nowMs: number, isStale: boolean): Deferred<void> {
    this.#askedAtMs = nowMs;
    this.#isStale = false;
    const answer = deferred();
    const late = this.#clock.after(
      WAIT_MS,
      () => {
        answer.resolve();
      },
      { unref: true },
    );
    void answer.promise.then(() => {
      late.cancel();
      this.#answer = undefined;
    });
    this.#ask(isStale);
    return (this.#answer = answer);
  }
}

function configOf({ cluster, credentials }: ThreadAccess, clock: Clock): ClusterConfig {
  return { ...cluster, credentials: credentialsFrom(credentials, clock) };
}
