/** Ways to a server that hang, and ways through proxies, over real sockets. */
import { once } from "node:events";
import { createServer as createHttp, type Server as HttpServer } from "node:http";
import { createServer as createHttps } from "node:https";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTls } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { settlePromises, VirtualClock } from "../../../src/clock.ts";
import type { ClusterConfig } from "../../../src/runtime/transport/cluster-config.ts";
import { fixedCredentials } from "../../../src/runtime/transport/credentials/credentials.ts";
import { HttpsTransport } from "../../../src/runtime/transport/https-transport.ts";
import chains from "../kubeconfig/client-go/trust.json" with { type: "json" };

const { pool: CA = "", chain: CERT = "", key: KEY = "" } = chains[0] ?? {};
const credentials = fixedCredentials({ token: "secret" });

const servers: (Server | HttpServer)[] = [];
const sockets = new Set<Socket>();

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server | HttpServer): Promise<number> {
  servers.push(server);
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function transportTo(server: string, more: Partial<ClusterConfig> = {}, clock?: VirtualClock) {
  const config = { server, namespace: "default", credentials, ca: CA, ...more };
  return new HttpsTransport(config, "test", clock);
}

/** Lets real bytes arrive while the clock stands still. */
async function turns(until: () => boolean): Promise<void> {
  for (let turn = 0; turn < 5000 && !until(); turn++) await settlePromises();
  expect(until()).toBe(true);
}

const GET = { method: "GET", path: "/api" };

async function textOf(transport: HttpsTransport, path = "/api"): Promise<string> {
  const { body, status } = await transport.request({ method: "GET", path });
  let text = `${status} `;
  for await (const part of body) text += Buffer.from(part).toString();
  transport.close();
  return text;
}

describe("A server that says nothing", () => {
  it("has ten seconds for the TLS handshake", async () => {
    const clock = new VirtualClock();
    let connected = false;
    const port = await listen(createServer(() => (connected = true)));
    const asked = transportTo(`https://127.0.0.1:${port}`, {}, clock).request(GET);
    asked.catch(() => undefined);
    await turns(() => connected);
    for (let turn = 0; turn < 100; turn++) await settlePromises();
    await clock.advance(10_000);
    await expect(asked).rejects.toMatchObject({
      code: "connection-timeout",
      message: expect.stringContaining("the TLS handshake did not end within 10 s"),
    });
  });

  it("has 70 seconds for an answer, or as long as the config says", async () => {
    for (const [answerTimeoutMs, limitMs] of [
      [undefined, 70_000],
      [5000, 5000],
    ] as const) {
      const clock = new VirtualClock();
      let asked = false;
      const port = await listen(createHttp(() => (asked = true)));
      const more = answerTimeoutMs === undefined ? {} : { answerTimeoutMs };
      const request = transportTo(`http://127.0.0.1:${port}`, more, clock).request(GET);
      let outcome: unknown;
      request.catch((error: unknown) => (outcome = error));
      await turns(() => asked);
      await clock.advance(limitMs - 1);
      expect(outcome).toBeUndefined();
      await clock.advance(1);
      expect(outcome).toMatchObject({
        code: "connection-timeout",
        message: expect.stringContaining(`nothing came within ${limitMs / 1000} s.`),
      });
    }
  });

  it("may take any time for a long list that moves on, and fails where it stops", async () => {
    const clock = new VirtualClock();
    let write: (text: string) => void = () => undefined;
    const port = await listen(
      createHttp((_request, response) => {
        write = (text) => response.write(text);
        write("[");
      }),
    );
    const { body } = await transportTo(`http://127.0.0.1:${port}`, {}, clock).request(GET);
    const pieces: string[] = [];
    let failure: unknown;
    const reading = (async () => {
      for await (const part of body) pieces.push(Buffer.from(part).toString());
    })().catch((error: unknown) => (failure = error));
    for (let count = 1; count <= 5; count++) {
      await turns(() => pieces.join("").length === count);
      await clock.advance(60_000);
      write("1");
    }
    await turns(() => pieces.join("") === "[11111");
    expect(failure).toBeUndefined();
    await clock.advance(70_000);
    await reading;
    expect(failure).toMatchObject({ code: "connection-timeout" });
  });

  it("may be silent in a watch that it has answered", async () => {
    const clock = new VirtualClock();
    const port = await listen(createHttp((_request, response) => response.flushHeaders()));
    const transport = transportTo(`http://127.0.0.1:${port}`, {}, clock);
    const response = await transport.request({ ...GET, mayPause: true });
    let over = false;
    const reading = (async () => {
      for await (const part of response.body) expect(part).toBeDefined();
    })().catch(() => (over = true));
    await clock.advance(3_600_000);
    expect(over).toBe(false);
    response.cancel();
    await reading;
  });

  it.each(["a request", "a watch"])(
    "that no longer answers %s on an open connection is asked on a new one, not on those beside it",
    async (silent) => {
      const clock = new VirtualClock();
      const deaf = new Set<Socket>();
      const waiting: (() => void)[] = [];
      let asked = 0;
      const server = createHttp((request, response) => {
        asked++;
        if (request.url === "/together") waiting.push(() => response.end("{}"));
        else if (request.url === "/watch") response.flushHeaders();
        else if (!deaf.has(request.socket)) response.end("{}");
      });
      // As an API server, it does not tell how long it keeps a connection.
      server.keepAliveTimeout = 0;
      const port = await listen(server);
      const transport = transportTo(`http://127.0.0.1:${port}`, {}, clock);
      const read = async (path: string, signal?: AbortSignal): Promise<void> => {
        const { body } = await transport.request({ method: "GET", path, signal, mayPause: true });
        for await (const part of body) expect(part).toBeDefined();
      };
      // Three connections, of which two are idle afterwards.
      const stop = new AbortController();
      const watching = read("/watch", stop.signal).catch(() => undefined);
      const together = [read("/together"), read("/together")];
      await turns(() => waiting.length === 2 && asked === 3);
      for (const end of waiting) end();
      await Promise.all(together);
      // The way to the server is cut, and neither side hears of it.
      for (const socket of sockets) deaf.add(socket);
      const lost = silent === "a request" ? read("/lost").catch(() => undefined) : watching;
      if (silent === "a request") await turns(() => asked === 4);
      await clock.advance(70_000);
      if (silent === "a watch") stop.abort(new Error("the watch went silent"));
      await lost;
      await expect(read("/next")).resolves.toBeUndefined();
      stop.abort();
      await watching;
    },
  );

  it("keeps nobody who gives up", async () => {
    let connected = false;
    const port = await listen(createServer(() => (connected = true)));
    const stop = new AbortController();
    const { signal } = stop;
    const asked = transportTo(`https://127.0.0.1:${port}`).request({ ...GET, signal });
    asked.catch(() => undefined);
    await turns(() => connected);
    stop.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
  });
});

describe("A proxy", () => {
  const api = () =>
    createHttps({ cert: CERT, key: KEY }, (request, response) =>
      response.end(`${request.url} ${request.headers.authorization}`),
    );

  /** A proxy that connects, and notes what it was asked. */
  function connecting(seen: string[], secure = false): HttpServer {
    const server = secure ? createHttps({ cert: CERT, key: KEY }) : createHttp();
    server.on("connect", (request, socket: Socket) => {
      seen.push(`${request.url} ${request.headers["proxy-authorization"] ?? "-"}`);
      const [host, port] = (request.url ?? "").split(":");
      const onward = connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        socket.pipe(onward).pipe(socket);
      });
      onward.on("error", () => socket.destroy());
      socket.on("error", () => onward.destroy());
    });
    return server;
  }

  it("is asked to connect, with its user and password, and sees nothing of the requests", async () => {
    const seen: string[] = [];
    const port = await listen(api());
    const proxyPort = await listen(connecting(seen));
    const proxy = `http://us%40er:pa%3Ass@127.0.0.1:${proxyPort}`;
    const text = await textOf(transportTo(`https://127.0.0.1:${port}`, { proxy }));
    expect(text).toBe("200 /api Bearer secret");
    const login = Buffer.from("us@er:pa:ss").toString("base64");
    expect(seen).toEqual([`127.0.0.1:${port} Basic ${login}`]);
  });

  it("may itself be reached over TLS", async () => {
    const seen: string[] = [];
    const port = await listen(api());
    const proxyPort = await listen(connecting(seen, true));
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      const proxy = `https://127.0.0.1:${proxyPort}`;
      const text = await textOf(transportTo(`https://127.0.0.1:${port}`, { proxy }));
      expect(text).toBe("200 /api Bearer secret");
      expect(seen).toHaveLength(1);
    } finally {
      delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    }
  });

  it("gets requests to a server without TLS itself", async () => {
    const seen: (string | undefined)[] = [];
    const proxyPort = await listen(
      createHttp((request, response) => {
        seen.push(request.url, request.headers.host, request.headers["proxy-authorization"]);
        response.end("through");
      }),
    );
    const proxy = `http://a:b@127.0.0.1:${proxyPort}`;
    expect(await textOf(transportTo("http://api.example:8080/base", { proxy }))).toBe(
      "200 through",
    );
    expect(seen).toEqual([
      "http://api.example:8080/base/api",
      "api.example:8080",
      `Basic ${Buffer.from("a:b").toString("base64")}`,
    ]);
  });

  it("says what it refused, and not its password", async () => {
    const proxyPort = await listen(
      createServer((socket) => {
        socket.on("error", () => undefined);
        socket.once("data", () => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
      }),
    );
    const proxy = `http://user:hidden@127.0.0.1:${proxyPort}`;
    const asked = transportTo("https://api.example:6443", { proxy }).request(GET);
    await expect(asked).rejects.toMatchObject({
      message: `The API server at https://api.example:6443 cannot be reached: the proxy http://127.0.0.1:${proxyPort} answered 407 Proxy Authentication Required.`,
    });
  });

  it.each([
    ["closes", (socket: Socket) => void socket.end()],
    [
      "answers with something else",
      (socket: Socket) => void socket.end("220 smtp.example\r\n\r\n"),
    ],
    [
      "answers for ever",
      (socket: Socket) => void socket.write("HTTP/1.1 200 OK\r\nX: ".padEnd(40_000, "x")),
    ],
  ])("that %s is an error", async (_, behave) => {
    const proxyPort = await listen(
      createServer((socket) => {
        socket.on("error", () => undefined);
        socket.once("data", () => behave(socket));
      }),
    );
    const proxy = `http://127.0.0.1:${proxyPort}`;
    const asked = transportTo("https://api.example:6443", { proxy }).request(GET);
    await expect(asked).rejects.toMatchObject({ message: expect.stringContaining("proxy") });
  });

  it("that never answers has 30 seconds", async () => {
    const clock = new VirtualClock();
    let connected = false;
    const proxyPort = await listen(createServer(() => (connected = true)));
    const proxy = `http://127.0.0.1:${proxyPort}`;
    const asked = transportTo("https://api.example:6443", { proxy }, clock).request(GET);
    asked.catch(() => undefined);
    await turns(() => connected);
    await clock.advance(30_000);
    await expect(asked).rejects.toThrow("no connection through the proxy within 30 s");
  });

  /** SOCKS 5 as RFC 1928 has it, with a login when one is given. */
  function socks(seen: string[], login?: string): Server {
    return createServer((socket) => {
      socket.on("error", () => undefined);
      let step = 0;
      socket.on("data", function take(bytes: Buffer) {
        if (step === 0) {
          step = login === undefined ? 2 : 1;
          socket.write(Buffer.from([5, login === undefined ? 0 : 2]));
        } else if (step === 1) {
          const user = bytes.subarray(2, 2 + (bytes[1] ?? 0)).toString();
          const password = bytes.subarray(3 + (bytes[1] ?? 0)).toString();
          step = 2;
          socket.write(Buffer.from([1, `${user}:${password}` === login ? 0 : 1]));
        } else {
          socket.off("data", take);
          const named = bytes[3] === 3;
          const host = named ? bytes.subarray(5, -2).toString() : bytes.subarray(4, -2).join(".");
          const port = bytes.readUInt16BE(bytes.length - 2);
          seen.push(`${named ? "name" : "address"} ${host}`);
          const onward = connect(port, "127.0.0.1", () => {
            socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
            socket.pipe(onward).pipe(socket);
          });
          onward.on("error", () => socket.destroy());
        }
      });
    });
  }

  it("may speak SOCKS 5, with a login or without", async () => {
    const port = await listen(api());
    for (const login of [undefined, "me:secret"]) {
      const seen: string[] = [];
      const proxyPort = await listen(socks(seen, login));
      const proxy = `socks5://${login === undefined ? "" : `${login}@`}127.0.0.1:${proxyPort}`;
      const text = await textOf(transportTo(`https://127.0.0.1:${port}`, { proxy }));
      expect(text).toBe("200 /api Bearer secret");
      expect(seen).toEqual(["address 127.0.0.1"]);
    }
  });

  it("of SOCKS 5 looks names up itself, also for a server without TLS", async () => {
    const seen: string[] = [];
    const port = await listen(
      createHttp((_request, response) => response.end("x".repeat(100_000))),
    );
    const proxyPort = await listen(socks(seen));
    const transport = transportTo(`http://api.example:${port}`, {
      proxy: `socks5://127.0.0.1:${proxyPort}`,
    });
    expect(await textOf(transport)).toHaveLength(100_004);
    expect(seen).toEqual(["name api.example"]);
  });

  it("of SOCKS 5 that refuses the login says so", async () => {
    const proxyPort = await listen(socks([], "me:secret"));
    const proxy = `socks5://me:wrong@127.0.0.1:${proxyPort}`;
    const asked = transportTo("https://api.example:6443", { proxy }).request(GET);
    await expect(asked).rejects.toThrow("refused the user and password");
  });
});

describe("The address of a server", () => {
  it("means HTTPS when it has no scheme", async () => {
    const secure = createTls({ cert: CERT, key: KEY }, (socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")),
    );
    const port = await listen(secure);
    expect(await textOf(transportTo(`127.0.0.1:${port}`))).toBe("200 ok");
  });

  it.each([
    "ftp://example.com",
    "file:///etc/passwd",
    "example.com/path",
    "https://",
    "https:///path",
    "http://user:hidden@example.com",
    "https://example.com?x=1",
    "https://exa mple.com",
    "https:\\\\example.com",
    "",
  ])("is refused: %j", (server) => {
    let refused: Error | undefined;
    try {
      transportTo(server);
    } catch (error) {
      refused = error as Error;
    }
    expect(refused).toMatchObject({ code: "server-address" });
    expect(refused?.message).not.toContain("hidden");
  });
});
