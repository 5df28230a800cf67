/**
 * A proxy between the operator and the API server that terminates TLS, and lets a function decide about each request.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request as tlsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import type { FaultyControlPlane } from "./control-plane.ts";

/** One request to the API server. */
interface ProxiedRequest {
  readonly url: URL;
  readonly isWatch: boolean;
  /** Its answer, to be changed or not. */
  readonly response: ServerResponse;
  /** Sends it on; `url` may be another one. The answer goes to `answered`, or is passed on when that is absent. */
  readonly forward: (url?: URL, answered?: (answer: IncomingMessage) => void) => void;
}

/** Decides about a request. */
export type Handling = (request: ProxiedRequest) => void;

/** Passes a request on as it is. */
export const PASS: Handling = (request) => request.forward();

/** Users need a token, because client certificates do not pass. */
export class RequestProxy {
  handling: Handling = PASS;
  readonly #target: number;
  readonly #ca: string;
  readonly #server;

  private constructor(plane: FaultyControlPlane) {
    this.#target = plane.port;
    this.#ca = plane.ca;
    const { certificate, key } = plane.serverPair;
    this.#server = createServer({ cert: certificate, key }, (request, response) => {
      this.#take(request, response);
    });
  }

  /** Listens on a free port. */
  static async start(plane: FaultyControlPlane): Promise<RequestProxy> {
    const proxy = new RequestProxy(plane);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get server(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends the proxy and its connections. */
  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", this.server);
    const isWatch = ["true", "1"].includes(url.searchParams.get("watch") ?? "");
    const forward = (to = url, answered = passTo(response)): void => {
      const { method, headers } = request;
      const path = `${to.pathname}${to.search}`;
      const target = { host: "127.0.0.1", port: this.#target, ca: this.#ca };
      const call = tlsRequest({ ...target, method, path, headers }, (answer) => {
        answer.on("error", () => response.destroy());
        answered(answer);
      });
      call.on("error", () => response.destroy());
      response.on("close", () => call.destroy());
      request.pipe(call);
    };
    this.handling({ url, isWatch, response, forward });
  }
}

function passTo(response: ServerResponse): (answer: IncomingMessage) => void {
  return (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    // Events of a watch must not wait for more.
    response.flushHeaders();
    answer.pipe(response);
  };
}

/** `busy`: 429 with Retry-After. `cut`: answers end in the middle. `garbage`: answers of 200 that are no JSON. */
export type HttpHarm = "busy" | "cut" | "garbage";

const RETRY_AFTER_SECONDS = 2;

/** The handling that harms requests. */
export const HARMS: Readonly<Record<HttpHarm, Handling>> = {
  busy({ response }) {
    response.writeHead(429, { "retry-after": String(RETRY_AFTER_SECONDS) });
    response.end("Too many requests, please try again later.");
  },
  garbage({ url, response, forward }) {
    forward(url, (answer) => {
      answer.resume();
      response.writeHead(answer.statusCode ?? 500, { "content-type": "application/json" });
      response.end(`{"kind":"${"\u0000<".repeat(2000)}`);
    });
  },
  cut({ url, response, forward }) {
    forward(url, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.once("data", (bytes: Buffer) => {
        response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
        answer.destroy();
      });
    });
  },
};
