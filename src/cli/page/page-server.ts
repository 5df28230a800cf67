/**
 * Serves the page to a browser on this machine: its files to anybody here, its messages to those
 * who have the token.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock, Timer } from "../../clock.ts";
import { serveHttp, type RunningServer } from "../../runtime/serving/http-serving.ts";
import type { PageModel } from "./page-model.ts";
import type { PageMessage } from "./protocol.ts";
import { tableOf } from "../../table.ts";

const LOOPBACK = "127.0.0.1";
const FILES = tableOf<readonly [name: string, type: string]>({
  "/": ["index.html", "text/html; charset=utf-8"],
  "/page.js": ["page.js", "text/javascript; charset=utf-8"],
  "/page.css": ["page.css", "text/css; charset=utf-8"],
  "/icon.svg": ["icon.svg", "image/svg+xml"],
});
const SESSION = "/session";
const STREAM = "/stream";

/**
 * The headers of every answer. Nothing is loaded from elsewhere, nothing runs that is not in a file
 * of ours, nobody frames it.
 */
const HEADERS: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

const REFUSALS: Readonly<Record<number, string>> = {
  401: "The token of this session is missing: open the address that the terminal shows.\n",
  403: "Forbidden\n",
  404: "404 page not found\n",
  405: "Method Not Allowed\n",
};

const UNREADABLE =
  "A file of the page cannot be read: install tsop again, or run `npm run build` in a checkout of it.\n";

const SIGN_OF_LIFE_MS = 15_000;
/** A browser that takes longer was not opened. */
const TICKET_MS = 60_000;
/** The most bytes that wait for a slow reader: then it is disconnected; the page comes again by itself. */
const MOST_BUFFERED = 32 * 1024 * 1024;

export interface PageServerOptions {
  readonly model: Pick<PageModel, "look">;
  readonly clock: Clock;
  /** The folder of its files; that of this build when absent. */
  readonly files?: URL;
  /** The port; 0, any free one, when absent. */
  readonly port?: number;
}

/** A page that is served on this machine alone. */
export class PageServer {
  readonly #options: PageServerOptions;
  readonly #token = randomBytes(24).toString("base64url");
  /** The tickets. Each lets in once, so that other users, who see it in the list of processes, have no use for it. */
  readonly #tickets = new Map<string, number>();
  readonly #ended = new AbortController();
  #server: RunningServer | undefined;

  constructor(options: PageServerOptions) {
    this.#options = options;
  }

  /** Opens the port. @throws TsopError `port-in-use` */
  async start(): Promise<void> {
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      this.#answer(request, response).catch(() => {
        if (response.headersSent) response.destroy();
        else response.writeHead(500, HEADERS).end(UNREADABLE);
      });
    };
    this.#server = await serveHttp({ port: this.#options.port ?? 0, host: LOOPBACK }, listener);
  }

  /** The address that a person opens, as often as they like. The token is behind the `#`: browsers do not send that. */
  get url(): string {
    return `${this.#origin}/#${this.#token}`;
  }

  /** The address that a browser is started with: good once, within a minute. */
  ticketUrl(): string {
    const ticket = randomBytes(24).toString("base64url");
    this.#tickets.set(ticket, this.#options.clock.monotonicMs() + TICKET_MS);
    return `${this.#origin}/#${ticket}`;
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#server?.stop();
  }

  get #origin(): string {
    return `http://${LOOPBACK}:${this.#server?.port ?? 0}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "/").replace(/\?.*$/s, "");
    const status = this.#verdict(request, path);
    if (status !== 200) {
      const allow = status === 405 ? { Allow: path === SESSION ? "POST" : "GET" } : {};
      response.writeHead(status, { ...HEADERS, ...allow, "Content-Type": "text/plain" });
      response.end(REFUSALS[status]);
    } else if (path === SESSION) {
      response.writeHead(200, { ...HEADERS, "Content-Type": "application/json" });
      response.end(JSON.stringify({ token: this.#token }));
    } else if (path === STREAM) this.#stream(response);
    else await this.#file(path, response);
  }

  #verdict({ headers, method }: IncomingMessage, path: string): number {
    if (!this.#isOurs(headers)) return 403;
    const isFile = FILES.has(path);
    if (!isFile && path !== SESSION && path !== STREAM) return 404;
    if (method !== (path === SESSION ? "POST" : "GET")) return 405;
    if (isFile) return 200;
    const given = /^Bearer ([\w-]+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
    if (isSame(given, this.#token)) return 200;
    return path === SESSION && this.#takeTicket(given) ? 200 : 401;
  }

  /** A page of a stranger reaches this port, too: by a name of its own that resolves to here, or by a request to here. */
  #isOurs({ host, origin }: IncomingMessage["headers"]): boolean {
    const port = this.#server?.port ?? 0;
    if (host !== `${LOOPBACK}:${port}` && host !== `localhost:${port}`) return false;
    return origin === undefined || origin === `http://${host}`;
  }

  #takeTicket(given: string): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    for (const [ticket, endMs] of this.#tickets) {
      if (nowMs >= endMs) this.#tickets.delete(ticket);
      else if (isSame(given, ticket)) return this.#tickets.delete(ticket);
    }
    return false;
  }

  async #file(path: string, response: ServerResponse): Promise<void> {
    const [name = "", type = ""] = FILES.get(path) ?? [];
    const folder = this.#options.files ?? new URL("../../page/", import.meta.url);
    const text = await readFile(new URL(name, folder));
    response.writeHead(200, { ...HEADERS, "Content-Type": type }).end(text);
  }

  #stream(response: ServerResponse): void {
    const { model, clock } = this.#options;
    const gone = new AbortController();
    const signal = AbortSignal.any([gone.signal, this.#ended.signal]);
    response.writeHead(200, { ...HEADERS, "Content-Type": "application/x-ndjson" });
    const send = (message: PageMessage): void => {
      response.write(`${JSON.stringify(message)}\n`);
      if (response.writableLength > MOST_BUFFERED) response.destroy();
    };
    model.look(send, signal);
    let timer: Timer | undefined;
    const giveSignOfLife = (): void => {
      const say = (): void => {
        response.write("\n");
        giveSignOfLife();
      };
      timer = clock.after(SIGN_OF_LIFE_MS, say, { unref: true });
    };
    giveSignOfLife();
    response.once("close", () => {
      timer?.cancel();
      gone.abort();
    });
  }
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
