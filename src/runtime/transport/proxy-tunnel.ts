/**
 * Tunnels through a proxy: `CONNECT` of HTTP proxies, and SOCKS 5.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#CONNECT
 * @see https://www.rfc-editor.org/rfc/rfc1928
 */
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { describeProxy, hostOf, portOf } from "./proxy.ts";

export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Calls `opened` when the tunnel to the target is open, or `failed`; at most one of them, and once.
 *
 * @returns the socket to the proxy; do not read it before
 */
export function openTunnel(
  proxy: URL,
  target: TunnelTarget,
  hooks: { opened(socket: Socket): void; failed(error: Error): void },
): Socket {
  const host = hostOf(proxy);
  const address = { host, port: portOf(proxy), noDelay: true, keepAlive: true };
  const overTls = proxy.protocol === "https:";
  const socket = overTls
    ? connectTls({ ...address, ...(isIP(host) === 0 ? { servername: host } : {}) })
    : connectTcp(address);
  let over = false;
  const fail = (error: Error): void => {
    if (over) return;
    over = true;
    socket.destroy();
    hooks.failed(error);
  };
  const hungUp = (): void => {
    fail(refusal(proxy, "closed the connection"));
  };
  socket.once("error", (error: NodeJS.ErrnoException) => {
    fail(new ProxyError(`the proxy ${describeProxy(proxy)}: ${error.message}`, error));
  });
  socket.once("close", hungUp);
  socket.once("end", hungUp);
  socket.once(overTls ? "secureConnect" : "connect", () => {
    const reader = new SocketReader(socket);
    const agreed = proxy.protocol.startsWith("socks5")
      ? askSocks(reader, proxy, target)
      : askHttp(reader, proxy, target);
    agreed.then(
      () => {
        if (over) return;
        over = true;
        reader.stop();
        socket.off("close", hungUp);
        socket.off("end", hungUp);
        hooks.opened(socket);
      },
      (error: unknown) => {
        fail(error as Error);
      },
    );
  });
  return socket;
}

/** The proxy refuses the tunnel. */
class ProxyError extends Error {
  override readonly name = "ProxyError";
  readonly code: string;

  constructor(message: string, cause?: NodeJS.ErrnoException) {
    super(message, { cause });
    this.code = cause?.code ?? "EPROXY";
  }
}

function refusal(proxy: URL, why: string): ProxyError {
  return new ProxyError(`the proxy ${describeProxy(proxy)} ${why}`);
}

/** The value of `Proxy-Authorization`; `undefined` for a proxy without a login. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === "" && proxy.password === "") return undefined;
  const login = `${decode(proxy.username)}:${decode(proxy.password)}`;
  return `Basic ${Buffer.from(login).toString("base64")}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function askHttp(
  reader: SocketReader,
  proxy: URL,
  { host, port }: TunnelTarget,
): Promise<void> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const login = proxyAuthorization(proxy);
  reader.socket.write(
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${login ? `Proxy-Authorization: ${login}\r\n` : ""}\r\n`,
  );
  const head = await reader.until("\r\n\r\n", MAX_HEAD_BYTES);
  const status = /^HTTP\/1\.[01] (\d{3})(?: ([\x20-\x7e]*))?\r\n/.exec(head);
  if (!status) throw refusal(proxy, "did not answer with HTTP");
  if (status[1] !== "200") {
    throw refusal(proxy, `answered ${status[1]} ${status[2] ?? ""}`.trimEnd());
  }
}

const SOCKS_REFUSALS: Readonly<Record<number, string>> = {
  1: "failed",
  2: "does not allow the connection",
  3: "cannot reach the network",
  4: "cannot reach the host",
  5: "was refused by the host",
  6: "reports that the TTL expired",
  7: "does not support the command",
  8: "does not support this type of address",
};

async function askSocks(
  reader: SocketReader,
  proxy: URL,
  { host, port }: TunnelTarget,
): Promise<void> {
  const { socket } = reader;
  const login = proxy.username !== "" || proxy.password !== "";
  socket.write(Buffer.from(login ? [5, 2, 0, 2] : [5, 1, 0]));
  const [version, method] = await reader.take(2);
  if (version !== 5) throw refusal(proxy, "does not speak SOCKS 5");
  if (method === 2 && login) {
    const user = Buffer.from(decode(proxy.username));
    const password = Buffer.from(decode(proxy.password));
    if (user.length > 255 || password.length > 255)
      throw refusal(proxy, "cannot take a user or password of more than 255 bytes");
    socket.write(
      Buffer.concat([
        Buffer.from([1, user.length]),
        user,
        Buffer.from([password.length]),
        password,
      ]),
    );
    const [, outcome] = await reader.take(2);
    if (outcome !== 0) throw refusal(proxy, "refused the user and password");
  } else if (method !== 0) throw refusal(proxy, "requires another authentication method");
  const portBytes = Buffer.from([port >> 8, port & 255]);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0]), socksAddress(host), portBytes]));
  const [, reply = 1, , kind] = await reader.take(4);
  if (reply !== 0) throw refusal(proxy, SOCKS_REFUSALS[reply] ?? `answered ${reply}`);
  const length = kind === 1 ? 4 : kind === 4 ? 16 : (await reader.take(1))[0];
  await reader.take((length ?? 0) + 2);
}

/** The name itself is sent to the proxy: perhaps only the proxy can resolve it. */
function socksAddress(host: string): Buffer {
  switch (isIP(host)) {
    case 4:
      return Buffer.from([1, ...host.split(".").map(Number)]);
    case 6:
      return Buffer.from([4, ...ipv6Bytes(host)]);
    default: {
      const name = Buffer.from(host).subarray(0, 255);
      return Buffer.concat([Buffer.from([3, name.length]), name]);
    }
  }
}

/** The 16 bytes of an IPv6 address in a URL: hexadecimal groups, with one run of zeros left out. */
function ipv6Bytes(host: string): number[] {
  const [head = "", tail] = host.split("::");
  const groups = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => parseInt(group, 16));
  const before = groups(head);
  const after = groups(tail ?? "");
  const zeros = new Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255]);
}

/** Reads the answers of a proxy, and no byte after them. */
class SocketReader {
  readonly socket: Socket;
  #arrived: (() => void) | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("readable", this.#readable);
  }

  readonly #readable = (): void => {
    this.#arrived?.();
  };

  /** Reads exactly `count` bytes. */
  async take(count: number): Promise<Buffer> {
    for (;;) {
      const bytes = this.socket.read(count) as Buffer | null;
      if (bytes) return bytes;
      await this.#more();
    }
  }

  /** Reads the text up to the mark, including the mark. */
  async until(mark: string, maxBytes: number): Promise<string> {
    let text = "";
    while (!text.endsWith(mark)) {
      if (text.length > maxBytes) throw new ProxyError("the answer of the proxy does not end");
      text += (await this.take(1)).toString("latin1");
    }
    return text;
  }

  stop(): void {
    this.socket.off("readable", this.#readable);
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }
}
