/** Chooses the way of each request: follows the configuration and the credentials. */
import type { Clock } from "../../clock.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { withRenewed } from "./config-source.ts";
import type { CredentialRecipe, Credentials } from "./credentials/credentials.ts";
import { Route } from "./route.ts";
import type { TrustObserver } from "./trust-observer.ts";
import { TrustReporter } from "./trust-reporter.ts";

/** A route, and the credentials of a request that takes it. */
export interface Way {
  readonly route: Route;
  readonly credentials: Credentials;
}

// The interval at which the files are examined although no request is sent, while a watch is open.
const LOOK_EVERY_MS = 60_000;

export class Routes {
  readonly #config: ClusterConfig;
  readonly #clock: Clock;
  readonly #reporter: TrustReporter;
  #route: Route;
  #retired: readonly Route[] = [];
  // The configuration of the source for which `#merged` was made.
  #renewed: ClusterConfig;
  #merged: ClusterConfig;
  #isLooking = false;

  /** @throws TsopError `server-address`, `proxy-unusable` */
  constructor(config: ClusterConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
    this.#reporter = new TrustReporter();
    this.#renewed = config.source?.first ?? config;
    this.#merged = config;
    this.#route = new Route(config, undefined, clock);
  }

  /** The server of the last request. */
  get server(): string {
    return this.#route.server;
  }

  observe(observer: TrustObserver): void {
    this.#reporter.observe(observer);
  }

  /**
   * The way for a request that is sent now.
   *
   * @throws TsopError if there are no credentials, or a renewed address cannot be used
   */
  async find(signal: AbortSignal | undefined): Promise<Way> {
    const now = this.#config.source?.get();
    const config = this.#mergedWith(now instanceof Promise ? await now : now);
    const credentials = await config.credentials.get(signal);
    const route = this.#routeFor(config, credentials.certificate);
    this.#reporter.saw(config, credentials);
    this.#keepLooking();
    return { route, credentials };
  }

  /** Notes that the server refused the credentials, or that it cannot be reached. */
  invalidate({ route }: Way, what: "credentials" | "connection"): void {
    this.#config.source?.invalidate();
    if (what === "credentials") route.config.credentials.invalidate();
  }

  close(): void {
    this.#route.pool.close();
    this.#route = new Route(this.#route.config, undefined, this.#clock);
  }

  #mergedWith(now: ClusterConfig | undefined): ClusterConfig {
    const { source } = this.#config;
    if (source && now && now !== this.#renewed) {
      this.#renewed = now;
      this.#merged = withRenewed(this.#config, source.first, now);
    }
    return this.#merged;
  }

  #routeFor(config: ClusterConfig, certificate: Credentials["certificate"]): Route {
    const before = this.#route;
    if (before.config === config && before.certificate === certificate) return before;
    const route = new Route(config, certificate, this.#clock, before);
    if (route.pool !== before.pool) {
      // Each change decides again about the watches that outlived earlier ones.
      this.#retired = [...this.#retired.filter(({ pool }) => pool.isBusy), before];
      for (const old of this.#retired) old.retireFor(route);
    }
    this.#route = route;
    return route;
  }

  /** Without requests, nothing else would notice that an open watch has outlived its trust. */
  #keepLooking(): void {
    if (this.#isLooking || !canChange(this.#config)) return;
    this.#isLooking = true;
    const look = async (): Promise<void> => {
      this.#isLooking = false;
      if (![this.#route, ...this.#retired].some(({ pool }) => pool.isBusy)) return;
      // The next request reports a failure.
      await this.#look().catch(() => undefined);
      this.#keepLooking();
    };
    this.#clock.after(LOOK_EVERY_MS, () => void look(), { unref: true });
  }

  async #look(): Promise<void> {
    const config = this.#mergedWith(await this.#config.source?.get());
    const { credentials } = config;
    // A program that gives credentials runs only for a request.
    const runs = hasKind(credentials.recipe, "exec");
    const { certificate } = this.#route;
    const known = runs ? { ...(certificate && { certificate }) } : await credentials.get();
    this.#routeFor(config, known.certificate);
    this.#reporter.saw(config, known);
  }
}

/** Whether files can change the way. */
function canChange({ source, credentials }: ClusterConfig): boolean {
  return source !== undefined || hasKind(credentials.recipe, "certificate-files");
}

function hasKind(recipe: CredentialRecipe | undefined, kind: CredentialRecipe["kind"]): boolean {
  if (recipe?.kind === "combined") return recipe.parts.some((part) => hasKind(part, kind));
  return recipe?.kind === kind;
}
