/** Answers `/healthz`, `/readyz` and `/metrics`, for the kubelet and Prometheus. */
import type { InformerCache } from "../cache/cache.ts";
import { STATUS_CODES, type IncomingMessage, type RequestListener } from "node:http";
import type { Registry } from "prom-client";
import { messageOf } from "../../errors.ts";
import type { CertificateSource } from "./certificate-files.ts";
import type { ClientCertificates } from "./client-certificates.ts";
import {
  type BoundedEndpoint,
  type HttpTls,
  serveHttp,
  type RunningServer,
} from "./http-serving.ts";
import type { Endpoint } from "./listening.ts";
import type { ReviewFilter } from "./review-filter.ts";
import { SeriesWatch, type BoundlessMetric } from "../metrics/series-watch.ts";
import { getField } from "../../kube/json.ts";

/** Passes, or throws an error with the reason. */
export type HealthCheck = () => void | Promise<void>;

export class HealthChecks {
  readonly #checks = new Map<string, HealthCheck>();
  // The last failure of each check.
  readonly #reasons = new Map<string, string>();
  readonly #told: (name: string, reason: string) => void;

  /**
   * @param told - called with the reason why a check fails, once for each reason; the answer does
   *   not have it, because anybody may ask
   */
  constructor(told: (name: string, reason: string) => void = () => undefined) {
    this.#told = told;
  }

  /** Adds a check, or replaces the one of that name. */
  add(name: string, check: HealthCheck): void {
    this.#checks.set(name, check);
  }

  /** Runs all checks but the excluded ones; `lines` are in the API server's format. */
  async run(exclude: ReadonlySet<string>): Promise<{ healthy: boolean; lines: string[] }> {
    const outcomes = await Promise.all(
      [...this.#checks].map(async ([name, check]) => {
        if (exclude.has(name)) return { healthy: true, line: `[+]${name} excluded: ok` };
        try {
          await check();
          this.#reasons.delete(name);
          return { healthy: true, line: `[+]${name} ok` };
        } catch (error) {
          const reason = messageOf(error);
          if (this.#reasons.get(name) !== reason) this.#told(name, reason);
          this.#reasons.set(name, reason);
          return { healthy: false, line: `[-]${name} failed: reason withheld` };
        }
      }),
    );
    return {
      healthy: outcomes.every(({ healthy }) => healthy),
      lines: outcomes.map(({ line }) => line),
    };
  }
}

/** The endpoint of the metrics. */
export interface MetricsEndpoint extends Endpoint {
  /**
   * Answers only requests with a token whose user may `get` the path `/metrics`; all requests when
   * absent. The operator needs the right to create TokenReviews and SubjectAccessReviews.
   */
  readonly reviewed?: boolean;
  /**
   * Serves with TLS. When the files change, new connections get the new certificate. `self-signed`:
   * with a certificate that is made at the start; clients cannot verify it.
   */
  readonly tls?: CertificateSource;
  /** The clients that are answered, with TLS only; all when absent. */
  readonly clients?: ClientCertificates;
}

/** The answer to a probe: a status, and a text for people. */
export interface ProbeAnswer {
  readonly status: number;
  readonly body: string;
}

export const PATH_NOT_FOUND: ProbeAnswer = { status: 404, body: "404 page not found\n" };

const BASE = "http://localhost";

function parsedUrl(url: string): URL {
  return new URL(URL.canParse(url, BASE) ? url : "/", BASE);
}

export function probePathOf(url: string): string {
  return parsedUrl(url).pathname;
}

/** Runs the checks behind a path: `/healthz?verbose&exclude=disk`. */
export async function answerProbe(
  url: string,
  checksOf: Readonly<Record<string, HealthChecks>>,
): Promise<ProbeAnswer> {
  const { pathname, searchParams } = parsedUrl(url);
  const checks = getField(checksOf, pathname);
  if (!checks) return PATH_NOT_FOUND;
  const { healthy, lines } = await checks.run(new Set(searchParams.getAll("exclude")));
  const summary = `${pathname.slice(1)} check ${healthy ? "passed" : "failed"}`;
  const verbose = !healthy || searchParams.has("verbose");
  return {
    status: healthy ? 200 : 500,
    body: verbose ? [...lines, summary, ""].join("\n") : "ok",
  };
}

/** Serves `/healthz` and `/readyz`. @throws TsopError `port-in-use` */
export function serveProbes(
  endpoint: BoundedEndpoint,
  answer: (url: string) => Promise<ProbeAnswer>,
): Promise<RunningServer> {
  return serveHttp(endpoint, ({ url = "/" }, response) => {
    const send = ({ status, body }: ProbeAnswer): void => {
      response.writeHead(status, { "Content-Type": "text/plain" }).end(body);
    };
    answer(url).then(send, () => {
      send({ status: 500, body: "Internal Server Error\n" });
    });
  });
}

/** The access to the metrics, and their certificate. */
interface MetricsGuards {
  /** Called once for each metric with a label that has ever more values. */
  readonly boundless?: (metric: BoundlessMetric) => void;
  readonly filter?: ReviewFilter;
  readonly tls?: HttpTls;
  /** Called with the reason why a request could not be answered; the answer does not have it. */
  readonly failed?: (error: unknown) => void;
}

/**
 * Serves `/metrics` for the requests that the filter allows.
 *
 * @throws TsopError `port-in-use`, `certificate-unreadable`
 */
export async function serveMetrics(
  endpoint: BoundedEndpoint,
  registry: Registry,
  { filter, tls, failed, boundless }: MetricsGuards,
): Promise<RunningServer> {
  const watch = new SeriesWatch();
  const answer = async ({ headers, url, socket }: IncomingMessage): Promise<[number, string]> => {
    const path = probePathOf(url ?? "/");
    if (path !== "/metrics") return [404, "404 page not found\n"];
    const { authorization } = headers;
    const { remoteAddress } = socket;
    const verdict = filter ? await filter.check({ authorization, remoteAddress, path }) : 200;
    if (verdict !== 200) return [verdict, `${STATUS_CODES[verdict]}\n`];
    const text = await registry.metrics();
    for (const metric of watch.check(text)) boundless?.(metric);
    return [200, text];
  };
  const listener: RequestListener = (request, response) => {
    answer(request).then(
      ([status, text]) => {
        const type = status === 200 ? registry.contentType : "text/plain";
        response.writeHead(status, { "Content-Type": type }).end(text);
      },
      (error: unknown) => {
        failed?.(error);
        response.writeHead(500).end("Internal Server Error\n");
      },
    );
  };
  return serveHttp(endpoint, listener, tls);
}

/** @throws Error that names the kinds whose informers do not know everything */
export function checkInformers(cache: InformerCache): void {
  const bad = cache.health().filter(({ synced, problem }) => !synced || problem !== undefined);
  if (bad.length === 0) return;
  throw new Error(
    bad.map(({ resource, state, problem }) => problem ?? `${resource}: ${state}`).join("; "),
  );
}
