/**
 * `/healthz`, `/readyz` and `/metrics`: what the kubelet and Prometheus ask.
 *
 * @module
 */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import { messageOf, TsopError } from "../../errors.ts";

/** Passes, or throws with what is wrong. */
export type HealthCheck = () => void | Promise<void>;

/** Named checks behind one path. */
export class HealthChecks {
  readonly #checks = new Map<string, HealthCheck>();

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
          return { healthy: true, line: `[+]${name} ok` };
        } catch (error) {
          return { healthy: false, line: `[-]${name} failed: ${messageOf(error)}` };
        }
      }),
    );
    return {
      healthy: outcomes.every(({ healthy }) => healthy),
      lines: outcomes.map(({ line }) => line),
    };
  }
}

/** Where a server of the manager listens. */
export interface Endpoint {
  /** 0: any free one. */
  readonly port: number;
  /** All addresses when absent, as the kubelet and Prometheus come from outside. */
  readonly host?: string;
}

/** A server that runs: its port, and how to end it. */
export interface RunningServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Serves `/healthz` and `/readyz`. @throws TsopError `port-in-use` */
export function serveHealth(
  endpoint: Endpoint,
  healthz: HealthChecks,
  readyz: HealthChecks,
): Promise<RunningServer> {
  return serve(endpoint, (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const checks = new Map([
      ["/healthz", healthz],
      ["/readyz", readyz],
    ]).get(url.pathname);
    if (!checks) {
      response.writeHead(404).end("404 page not found\n");
      return;
    }
    const exclude = new Set(url.searchParams.getAll("exclude"));
    void checks.run(exclude).then(({ healthy, lines }) => {
      const verbose = !healthy || url.searchParams.has("verbose");
      const name = url.pathname.slice(1);
      const body = verbose
        ? [...lines, `${name} check ${healthy ? "passed" : "failed"}`, ""].join("\n")
        : "ok";
      response.writeHead(healthy ? 200 : 500, { "Content-Type": "text/plain" }).end(body);
    });
  });
}

/** Serves `/metrics`. @throws TsopError `port-in-use` */
export function serveMetrics(endpoint: Endpoint, registry: Registry): Promise<RunningServer> {
  return serve(endpoint, (request, response) => {
    if (new URL(request.url ?? "/", "http://localhost").pathname !== "/metrics") {
      response.writeHead(404).end("404 page not found\n");
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { "Content-Type": registry.contentType }).end(text),
      (error: unknown) => response.writeHead(500).end(`${messageOf(error)}\n`),
    );
  });
}

function serve({ port, host }: Endpoint, listener: RequestListener): Promise<RunningServer> {
  const server = createServer(listener);
  return new Promise((resolve, reject) => {
    server.on("error", (error: NodeJS.ErrnoException) => {
      reject(
        new TsopError(
          error.code === "EADDRINUSE" ? "port-in-use" : "cannot-listen",
          `Cannot listen on port ${port}: ${error.message}.`,
          "End the other process, or choose another port (0 takes any free one).",
          { cause: error },
        ),
      );
    });
    server.listen(port, host, () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        stop: () =>
          new Promise((stopped) => {
            server.close(() => {
              stopped();
            });
            server.closeAllConnections();
          }),
      });
    });
  });
}
