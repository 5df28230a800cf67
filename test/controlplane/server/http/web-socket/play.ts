/** Plays requests for upgrades against an API server, over a socket, and describes its answers. */
import { once } from "node:events";
import { type RequestOptions, request } from "node:https";
import { text as textOf } from "node:stream/consumers";
import { type TLSSocket, connect } from "node:tls";
import { CLOSE, CONFIG_MAPS, type ClientFrame, NAME, type Scenario, WATCH } from "./scenarios.ts";

/** The server, and the credentials of an administrator, PEM. */
export interface Server {
  readonly url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A frame of the server; events of watches by type, kind and name. */
interface ServerFrame {
  readonly opcode: number;
  readonly text: string;
}

export interface PlayedAnswer {
  readonly about: string;
  /** The first line, without the protocol. */
  readonly status: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of an answer that is not an upgrade. */
  readonly body?: string;
  /** Whether the server answered another request on the connection. */
  readonly stays?: boolean;
  readonly frames?: readonly ServerFrame[];
}

const KEY = "dGhlIHNhbXBsZSBub25jZQ==";
const HEADERS = /^(connection|upgrade|sec-websocket-.*|content-type|cache-control)$/;
const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
const ACCOUNT = `system:serviceaccount:default:${NAME}`;

/** Sends one request as the administrator. @returns the body's JSON */
async function call(server: Server, method: string, path: string, body?: object): Promise<unknown> {
  const { url, ...credentials } = server;
  const options: RequestOptions = {
    method,
    ...credentials,
    headers: { "content-type": "application/json" },
    agent: false,
  };
  const sent = request(new URL(path, url), options);
  sent.end(body && JSON.stringify(body));
  const [answer] = (await once(sent, "response")) as [NodeJS.ReadableStream];
  return JSON.parse(await textOf(answer));
}

/** Creates the objects that the scenarios name. @returns the token of an account that can read ConfigMaps */
export async function prepare(server: Server): Promise<string> {
  for (const [name, size] of [
    [NAME, 1],
    [`${NAME}-large`, 100_000],
  ] as const) {
    await call(server, "POST", CONFIG_MAPS, { metadata: { name }, data: { x: "x".repeat(size) } });
  }
  await call(server, "POST", ACCOUNTS, { metadata: { name: NAME } });
  const apiGroup = "rbac.authorization.k8s.io";
  await call(server, "POST", `/apis/${apiGroup}/v1/clusterroles`, {
    metadata: { name: NAME },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] }],
  });
  await call(server, "POST", `/apis/${apiGroup}/v1/clusterrolebindings`, {
    metadata: { name: NAME },
    roleRef: { apiGroup, kind: "ClusterRole", name: NAME },
    subjects: [{ kind: "User", apiGroup, name: ACCOUNT }],
  });
  const answer = await call(server, "POST", `${ACCOUNTS}/${NAME}/token`, { spec: {} });
  return (answer as { status: { token: string } }).status.token;
}

/** Plays a scenario until the server closes the connection. */
export async function play(
  server: Server,
  token: string,
  scenario: Scenario,
): Promise<PlayedAnswer> {
  const { hostname, port } = new URL(server.url);
  const { ca, cert, key } = server;
  const credentials = scenario.certificate === false ? {} : { cert, key };
  const socket = connect({ host: hostname, port: Number(port), ca, ...credentials });
  await once(socket, "secureConnect");
  const received = new Received(socket);
  socket.write(headOf(scenario, token, hostname) + (scenario.body ?? ""));
  const head = await received.until("\r\n\r\n");
  const [first = "", ...lines] = head.toString("latin1").trimEnd().split("\r\n");
  const headers = headersOf(lines);
  const status = first.replace(/^HTTP\/1\.1 /, "");
  const shown = Object.fromEntries(
    // Go leaves the usual `keep-alive` out.
    Object.entries(headers).filter(([name, value]) => HEADERS.test(name) && value !== "keep-alive"),
  );
  const answer = { about: scenario.about, status, headers: shown };
  if (status.startsWith("101")) {
    return { ...answer, frames: await framesOf(received, socket, scenario) };
  }
  return { ...answer, ...(await plainRest(received, socket, headers)) };
}

function headOf(scenario: Scenario, token: string, host: string): string {
  const { method = "GET", target = WATCH, headers = {}, body } = scenario;
  const all: Readonly<Record<string, string | undefined>> = {
    Host: host,
    Connection: "Upgrade",
    Upgrade: "websocket",
    Origin: `https://${host}`,
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": KEY,
    ...(body === undefined ? {} : { "Content-Length": String(body.length) }),
    ...headers,
  };
  const encoded = Buffer.from(token).toString("base64url");
  const lines = Object.entries(all)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value = ""]) =>
        `${name}: ${value.replaceAll("TOKEN", encoded).replace("PLAIN", token)}`,
    );
  return [`${method} ${target} HTTP/1.1`, ...lines, "", ""].join("\r\n");
}

const headersOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );

/** The rest of an answer, and whether the connection serves one more request. */
async function plainRest(
  received: Received,
  socket: TLSSocket,
  headers: Readonly<Record<string, string>>,
): Promise<Pick<PlayedAnswer, "body" | "stays">> {
  const body =
    headers["transfer-encoding"] === "chunked"
      ? withoutChunks((await received.until("0\r\n\r\n")).toString("utf8"))
      : headers["content-length"] === undefined
        ? (await received.rest()).toString("utf8")
        : (await received.take(Number(headers["content-length"]))).toString("utf8");
  if (!socket.destroyed)
    socket.write("GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const rest = (await received.rest()).toString("latin1");
  return { body: described(body), stays: rest.startsWith("HTTP/1.1 200") };
}

const withoutChunks = (text: string): string => text.replace(/(^|\r\n)[0-9a-f]+\r\n/g, "");

async function framesOf(
  received: Received,
  socket: TLSSocket,
  { frames = [CLOSE], messages = 2 }: Scenario,
): Promise<ServerFrame[]> {
  const found: ServerFrame[] = [];
  for (let next = await frameOf(received); next; next = await frameOf(received)) {
    found.push(next);
    if (found.length === messages) for (const frame of frames) socket.write(bytesOf(frame));
  }
  return found;
}

async function frameOf(received: Received): Promise<ServerFrame | undefined> {
  const head = await received.take(2);
  if (head.length < 2) return undefined;
  const short = head.readUInt8(1);
  const size =
    short === 127
      ? Number((await received.take(8)).readBigUInt64BE())
      : short === 126
        ? (await received.take(2)).readUInt16BE()
        : short;
  const payload = await received.take(size);
  const opcode = head.readUInt8(0);
  // A close has a code, then a text.
  const text = opcode === 0x88 && size >= 2 ? closeText(payload) : payload.toString("utf8");
  return { opcode, text: described(text) };
}

const closeText = (payload: Buffer): string =>
  `${payload.readUInt16BE()} ${payload.subarray(2).toString("utf8")}`.trim();

function bytesOf({ opcode, text = "", flags = 0x80, code, bare }: ClientFrame): Buffer {
  const start = Buffer.alloc(code === undefined ? 0 : 2);
  if (code !== undefined) start.writeUInt16BE(code);
  const payload = Buffer.concat([start, Buffer.from(text)]);
  const size = payload.length;
  const mask = bare ? 0 : 0x80;
  const head = Buffer.alloc(size > 0xffff ? 10 : size > 125 ? 4 : 2);
  head[0] = flags | opcode;
  head[1] = mask | (size > 0xffff ? 127 : size > 125 ? 126 : size);
  if (size > 0xffff) head.writeBigUInt64BE(BigInt(size), 2);
  else if (size > 125) head.writeUInt16BE(size, 2);
  // A mask of zeros leaves the payload unchanged.
  return Buffer.concat([head, Buffer.alloc(bare ? 0 : 4), payload]);
}

/** A text with every event as type, kind and name, and other JSON by its kind, reason and message. */
function described(text: string): string {
  const whole = text.startsWith("{\n") ? `${JSON.stringify(JSON.parse(text))}\n` : text;
  if (!whole.startsWith("{")) return text.replace(/\d+ \(\d+\)/, "N (N)").replaceAll(NAME, "NAME");
  return whole
    .split("\n")
    .map((line) => (line.startsWith("{") ? lineText(line) : line))
    .join("\n");
}

interface Shown {
  readonly type?: string;
  readonly object?: Shown;
  readonly kind?: string;
  readonly message?: string;
  readonly metadata?: { readonly name?: string; readonly annotations?: object };
  readonly columnDefinitions?: readonly unknown[];
  readonly rows?: readonly { readonly object?: Shown }[];
  readonly items?: readonly unknown[];
}

function lineText(line: string): string {
  let value: Shown;
  try {
    value = JSON.parse(line) as Shown;
  } catch {
    return line;
  }
  const { type, object = value } = value;
  const { kind, message, metadata, columnDefinitions, rows, items } = object;
  const parts = [
    type,
    kind,
    message?.replace(/\d+ \(\d+\)/, "N (N)"),
    metadata?.name,
    metadata?.annotations && JSON.stringify(metadata.annotations),
    columnDefinitions && `${columnDefinitions.length} columns`,
    rows && `${rows.length} rows`,
    items && `${items.length} items`,
  ];
  return parts.filter((part) => part !== undefined).join(" ");
}

/** The bytes of a connection; reads end early when the server closes it. */
class Received {
  #bytes = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(socket: TLSSocket) {
    socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    const end = (): void => {
      this.#ended = true;
      this.#wake();
    };
    socket.on("close", end).on("error", end);
  }

  async take(length: number): Promise<Buffer> {
    while (this.#bytes.length < length && !this.#ended) await this.#more();
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  async until(mark: string): Promise<Buffer> {
    while (!this.#bytes.includes(mark) && !this.#ended) await this.#more();
    const at = this.#bytes.indexOf(mark);
    return this.take(at < 0 ? this.#bytes.length : at + mark.length);
  }

  async rest(): Promise<Buffer> {
    while (!this.#ended) await this.#more();
    return this.take(this.#bytes.length);
  }

  #more(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }
}
