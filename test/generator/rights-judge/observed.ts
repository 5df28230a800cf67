/** A transport that notes requests, and from where in the code they were made. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Manager } from "../../../src/index.ts";
import type {
  Transport,
  TransportRequest,
  TransportResponse,
  UpgradeAnswer,
} from "../../../src/runtime/transport/transport.ts";

/** A request as the server saw it. */
export interface Observed {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly status: number;
  /** The stack from which it was made. */
  readonly stack: string;
  /** The message of a refusal. */
  readonly message: string;
}

/** An owner of an object, by its resource. */
export interface ForeignRef {
  readonly group: string;
  readonly plural: string;
}

const FRAMES = 100;
/** Reads by which the runtime explains writes that repeat: a refusal changes nothing. */
const LOOKS_AROUND = /\bOwnWrites\.look\b/;

/** Notes all requests of a transport. */
export class ObservingTransport implements Transport {
  readonly requests: Observed[] = [];
  readonly #inner: Transport;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  get server(): string {
    return this.#inner.server;
  }

  get clock(): Transport["clock"] {
    return this.#inner.clock;
  }

  get isQuiet(): boolean | undefined {
    return this.#inner.isQuiet;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const stack = stackHere();
    const response = await this.#inner.request(request);
    if (LOOKS_AROUND.test(stack)) return response;
    if (response.status < 400) {
      this.#note(request, response.status, stack, "");
      return response;
    }
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body) pieces.push(Uint8Array.from(piece));
    const text = Buffer.concat(pieces);
    this.#note(request, response.status, stack, text.toString());
    const again = async function* (): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Uint8Array.from(text));
    };
    return { ...response, body: again(), cancel: () => undefined };
  }

  /** Asks for the same without another protocol: who may not is refused, and others get an error, too. */
  async upgrade(request: { readonly path: string }): Promise<UpgradeAnswer> {
    const { status, headers, body } = await this.request({ method: "GET", path: request.path });
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(Uint8Array.from(piece));
    return { status, headers, text: Buffer.concat(pieces).toString() };
  }

  close(): void {
    this.#inner.close();
  }

  #note(request: TransportRequest, status: number, stack: string, message: string): void {
    const { method, path: target, body = "" } = request;
    const { pathname: path, searchParams: query } = new URL(target, "http://server");
    const whole = `${stack}\n${callers.getStore() ?? ""}`;
    this.requests.push({ method, path, query, body, status, stack: whole, message });
  }
}

/** The stacks of the calls of a client: what a call does later has lost its own. */
const callers = new AsyncLocalStorage<string>();

/** Has each call of a manager's client remembered until its requests are made. */
export function rememberCalls(manager: Manager): Manager {
  const { client } = manager;
  for (const part of [client, client.live, client.status, client.live.status, client.pods]) {
    for (const name of Object.getOwnPropertyNames(part)) {
      const method = (part as unknown as Record<string, unknown>)[name];
      if (typeof method !== "function") continue;
      const remembering = (...given: unknown[]): unknown =>
        callers.run(stackHere(), () => (method as (...all: unknown[]) => unknown)(...given));
      Object.defineProperty(part, name, { value: remembering });
    }
  }
  return manager;
}

function stackHere(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const { stack = "" } = new Error("here");
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}
