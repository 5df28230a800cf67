/** Answers as servers send them, and as broken ones do: over real sockets, a byte or a packet at a time. */
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { settlePromises, VirtualClock } from "../../../src/clock.ts";
import { AnswerParser, type AnswerHead } from "../../../src/runtime/transport/answer-parser.ts";
import { fixedCredentials } from "../../../src/runtime/transport/credentials/credentials.ts";
import { HttpsTransport } from "../../../src/runtime/transport/https-transport.ts";
import type { Body, TransportResponse } from "../../../src/runtime/transport/transport.ts";

interface Read {
  readonly head: AnswerHead | undefined;
  readonly body: string;
  readonly done: boolean;
  readonly keepsAlive: boolean;
}

/** What a parser makes of an answer that comes in pieces of that size. */
function parse(text: string, { size = text.length, method = "GET", ends = false } = {}): Read {
  let head: AnswerHead | undefined;
  const parts: Buffer[] = [];
  const parser = new AnswerParser(method, {
    head: (seen) => {
      head = seen;
    },
    data: (part) => {
      parts.push(Buffer.from(part));
    },
    end: () => undefined,
  });
  const bytes = Buffer.from(text, "latin1");
  // One memory for all of them, as a connection has it.
  const received = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    parser.push(received.subarray(0, bytes.copy(received, 0, at, at + size)));
  }
  if (ends) parser.ended();
  const { done, keepsAlive } = parser;
  return { head, body: Buffer.concat(parts).toString("latin1"), done, keepsAlive };
}

const OK = "HTTP/1.1 200 OK\r\n";

describe("AnswerParser", () => {
  it.each([
    ["a length", `${OK}Content-Length: 5\r\n\r\nhello`, "hello", true],
    ["equal lengths", `${OK}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`, "hello", true],
    ["a length of none", `${OK}Content-Length: 0\r\n\r\n`, "", true],
    ["no body by its status", "HTTP/1.1 204 No Content\r\n\r\n", "", true],
    ["no reason", "HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", "x", true],
    [
      "chunks with extensions and trailers",
      `${OK}Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n00A\r\n0123456789\r\n0\r\nExpires: never\r\n\r\n`,
      "hello0123456789",
      true,
    ],
    [
      "an end that is announced",
      `${OK}Connection: Close\r\nContent-Length: 1\r\n\r\nx`,
      "x",
      false,
    ],
    ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", "x", false],
    [
      "HTTP/1.0 that stays",
      "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx",
      "x",
      true,
    ],
    [
      "news before it",
      `${"HTTP/1.1 100 Continue\r\n\r\n".repeat(4)}HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n${OK}Content-Length: 1\r\n\r\nx`,
      "x",
      true,
    ],
  ])("reads an answer with %s, however it is cut", (_, text, body, keepsAlive) => {
    for (const size of [1, 2, 3, 7, text.length]) {
      expect(parse(text, { size })).toMatchObject({ body, keepsAlive, done: true });
    }
  });

  it("reads up to the end of the connection where nothing says how long the answer is", () => {
    expect(parse(`${OK}\r\nabc`)).toMatchObject({ body: "abc", done: false });
    expect(parse(`${OK}\r\nabc`, { ends: true })).toMatchObject({ done: true, keepsAlive: false });
    expect(parse(`${OK}Content-Length: 5\r\n\r\nabc`, { ends: true }).done).toBe(false);
    expect(parse(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nabc`, { ends: true }).done).toBe(
      false,
    );
  });

  it("expects no body of an answer to HEAD", () => {
    const read = parse(`${OK}Content-Length: 5\r\n\r\n`, { method: "HEAD" });
    expect(read).toMatchObject({ body: "", done: true });
  });

  it("gives headers in lower case, several of one name together", () => {
    const fields = "Warning: 299 a\r\nX-Empty:\r\nwarning:\t299 b \r\n__proto__: x\r\n";
    expect(parse(`HTTP/1.1 429 Too Many\r\n${fields}Content-Length: 0\r\n\r\n`).head).toEqual({
      status: 429,
      headers: { warning: "299 a, 299 b", "x-empty": "", "content-length": "0" },
    });
  });

  it.each([
    ["another protocol", "SSH-2.0-OpenSSH\r\n\r\n"],
    ["a status that is none", "HTTP/1.1 abc\r\n\r\n"],
    ["another version", "HTTP/2.0 200 OK\r\n\r\n"],
    ["a change of the protocol", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"],
    ["a header without a colon", `${OK}nothing\r\n\r\n`],
    ["a folded header", `${OK}a: b\r\n c: d\r\n\r\n`],
    ["a space before the colon", `${OK}Content-Length : 5\r\n\r\nhello`],
    ["different lengths", `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`],
    ["a length that is none", `${OK}Content-Length: 0x5\r\n\r\nhello`],
    ["different lengths of no body", "HTTP/1.1 204 No\r\nContent-Length: 5, 6\r\n\r\n"],
    [
      "chunks and a length",
      `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
    ],
    ["NUL in a value", `${OK}a: b\0c\r\nContent-Length: 0\r\n\r\n`],
    ["CR in a value", `${OK}a: b\rContent-Length: 9\r\nContent-Length: 0\r\n\r\n`],
    ["LF in a value", `${OK}a: b\nContent-Length: 9\r\nContent-Length: 0\r\n\r\n`],
    ["LF in the status line", "HTTP/1.1 200 OK\na: b\r\nContent-Length: 0\r\n\r\n"],
    ["a coding with VT behind it", `${OK}Transfer-Encoding: chunked\v\r\n\r\n0\r\n\r\n`],
    ["a length with FF behind it", `${OK}Content-Length: 1\f\r\n\r\nx`],
    ["CR in a chunk's extension", `${OK}Transfer-Encoding: chunked\r\n\r\n1;a\rb\r\nx\r\n`],
    ["NUL in a trailer", `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\na: \0\r\n\r\n`],
    ["a trailer without a colon", `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\na\r\n\r\n`],
    ["six answers before it", `${"HTTP/1.1 100 Continue\r\n\r\n".repeat(6)}${OK}\r\n`],
    [
      "trailers without an end",
      `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n${"a: b\r\n".repeat(80_000)}`,
    ],
    ["another coding", `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ["a chunk without a size", `${OK}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`],
    ["a chunk that is longer than it says", `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n`],
    ["a line without CR", `${OK}Transfer-Encoding: chunked\r\n\r\n1\nx\r\n`],
    ["a second answer", `${OK}Content-Length: 1\r\n\r\nx${OK}\r\n`],
    ["headers without an end", `${OK}${"a: b\r\n".repeat(50_000)}`],
    ["a line without an end", `${OK}Transfer-Encoding: chunked\r\n\r\n1;${"a".repeat(20_000)}`],
  ])("refuses %s", (_, text) => {
    expect(() => parse(text)).toThrow();
    expect(() => parse(text, { size: 4096 })).toThrow();
  });
});

describe("HttpsTransport, over its own connections", () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });

  /** A server that answers each request of a connection as `answer` says. */
  async function serve(
    answer: (socket: Socket, request: string, turn: number) => void,
    clock = new VirtualClock(),
  ): Promise<HttpsTransport> {
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => undefined);
      let turn = 0;
      socket.on("data", (bytes) => {
        answer(socket, bytes.toString(), turn++);
      });
    });
    servers.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const credentials = fixedCredentials({ basic: { username: "jo", password: "ß" } });
    const impersonate = { user: "jäne", groups: ["a", "b"], uid: "7" };
    return new HttpsTransport(
      { server: `http://127.0.0.1:${port}/`, namespace: "default", credentials, impersonate },
      "tests",
      clock,
    );
  }

  const answer = (body: string, head = ""): string =>
    `${OK}${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

  async function textOf({ body }: { readonly body: Body }): Promise<string> {
    return ((await body.whole?.()) ?? Buffer.alloc(0)).toString();
  }

  const get = (transport: HttpsTransport, path = "/"): Promise<TransportResponse> =>
    transport.request({ method: "GET", path });

  it("writes a request in one piece, with who it is for", async () => {
    let seen = "";
    const transport = await serve((socket, request) => {
      seen += request;
      socket.write(answer("{}"));
    });
    const headers = { "Content-Type": "application/json" };
    await transport.request({ method: "POST", path: "/a?b=c", headers, body: `{"name":"ö"}` });
    const login = Buffer.from("jo:ß").toString("base64");
    expect(seen.replace(/127.0.0.1:\d+/, "HOST").split("\r\n")).toEqual([
      "POST /a?b=c HTTP/1.1",
      "Host: HOST",
      "User-Agent: tests",
      `Authorization: Basic ${login}`,
      "Impersonate-User: jäne",
      "Impersonate-Uid: 7",
      "Content-Type: application/json",
      "Impersonate-Group: a",
      "Impersonate-Group: b",
      "Content-Length: 13",
      "",
      `{"name":"ö"}`,
    ]);
  });

  it.each([
    ["a path with a line in it", { method: "GET", path: "/a\r\nX: y" }],
    ["a path with a space in it", { method: "GET", path: "/a b" }],
    ["a header with a line in it", { method: "GET", path: "/", headers: { a: "b\r\nc: d" } }],
    ["a header's name with a colon", { method: "GET", path: "/", headers: { "a: b\r\nc": "d" } }],
  ])("does not send %s", async (_, request) => {
    const transport = await serve((socket) => socket.write(answer("{}")));
    await expect(transport.request(request)).rejects.toThrow(TypeError);
    expect(sockets).toHaveLength(0);
  });

  it("uses a connection for one request after the other, and never for two at a time", async () => {
    const transport = await serve((socket, request, turn) => {
      expect(request.match(/HTTP\/1.1/g)).toHaveLength(1);
      socket.write(answer(String(turn)));
    });
    const texts = [];
    for (let count = 0; count < 3; count++) texts.push(await textOf(await get(transport)));
    expect([texts, sockets.length]).toEqual([["0", "1", "2"], 1]);
    await Promise.all([get(transport).then(textOf), get(transport).then(textOf)]);
    expect(sockets).toHaveLength(2);
  });

  it("uses no connection again that the server ends, or is about to", async () => {
    const clock = new VirtualClock();
    const heads = ["Connection: close\r\n", "Keep-Alive: timeout=5\r\n", ""];
    const transport = await serve((socket) => socket.write(answer("{}", heads.shift())), clock);
    await textOf(await get(transport));
    await textOf(await get(transport));
    expect(sockets).toHaveLength(2);
    await clock.advance(4500);
    await textOf(await get(transport));
    expect(sockets).toHaveLength(3);
  });

  it("gives up a connection on which the server speaks without being asked", async () => {
    const transport = await serve((socket) => socket.write(answer("{}")));
    await textOf(await get(transport));
    const [first] = sockets;
    const closed = once(first!, "close");
    first!.write(answer("surprise"));
    await closed;
    expect(await textOf(await get(transport))).toBe("{}");
    expect(sockets).toHaveLength(2);
  });

  it("tells of an answer that breaks off, however it is read", async () => {
    const transport = await serve((socket) => {
      socket.end(`${OK}Content-Length: 10\r\n\r\nabc`);
    });
    const cut = { failure: "reset", reusedConnection: false };
    await expect(textOf(await get(transport))).rejects.toMatchObject(cut);
    const { body } = await get(transport);
    const pieces: string[] = [];
    const reading = async (): Promise<void> => {
      for await (const piece of body) pieces.push(Buffer.from(piece).toString());
    };
    await expect(reading()).rejects.toMatchObject(cut);
    expect(pieces.join("")).toBe("abc");
  });

  it("tells of what is no answer, and of a connection that ends before one", async () => {
    const transport = await serve((socket, request) => {
      if (request.startsWith("GET /none")) socket.end();
      else socket.write("SSH-2.0\r\n\r\n");
    });
    await expect(get(transport, "/none")).rejects.toMatchObject({ failure: "reset" });
    await expect(get(transport, "/ssh")).rejects.toMatchObject({
      failure: "answer",
      message: expect.stringContaining("SSH-2.0"),
    });
  });

  it("lets the server wait while nobody reads, and takes up all of it then", async () => {
    const total = 32 * 1024 * 1024;
    const transport = await serve((socket) => {
      socket.write(`${OK}Content-Length: ${total}\r\n\r\n`);
      socket.write(Buffer.alloc(total, "x"));
    });
    const { body } = await get(transport);
    for (let turn = 0; turn < 200; turn++) await settlePromises();
    expect(sockets[0]!.writableLength).toBeGreaterThan(0);
    expect((await body.whole?.())?.length).toBe(total);
  });

  it("ends the connection of an answer that is cancelled, or aborted in between, and no other one", async () => {
    const transport = await serve((socket, request) => {
      if (request.startsWith("GET /slow")) socket.write(`${OK}Content-Length: 10\r\n\r\nabc`);
      else socket.write(answer("{}"));
    });
    const cancelled = await get(transport, "/slow");
    const gone = once(sockets[0]!, "close");
    cancelled.cancel();
    await gone;
    const stop = new AbortController();
    const { signal } = stop;
    const aborted = await transport.request({ method: "GET", path: "/slow", signal });
    const reading = textOf(aborted);
    stop.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    const done = await get(transport);
    expect(await textOf(done)).toBe("{}");
    done.cancel();
    await textOf(await get(transport));
    expect(sockets).toHaveLength(3);
  });

  it("sends nothing when the last check fails, and leaves no connection behind", async () => {
    let requests = 0;
    const transport = await serve((socket) => {
      requests++;
      socket.write(answer("{}"));
    });
    await textOf(await get(transport));
    const lastCheck = (): void => {
      throw new Error("not any more");
    };
    const refused = transport.request({ method: "POST", path: "/", body: "{}", lastCheck });
    await expect(refused).rejects.toThrow("not any more");
    await textOf(await get(transport));
    expect(requests).toBe(2);
  });

  it("closes idle connections at once, and one in use with its answer", async () => {
    const transport = await serve((socket, request) => {
      if (!request.startsWith("GET /later")) socket.write(answer("{}"));
    });
    const later = get(transport, "/later");
    await textOf(await get(transport));
    const [used, idle] = [...sockets].sort((one, other) => one.bytesWritten - other.bytesWritten);
    const closed = once(idle!, "close");
    transport.close();
    await closed;
    const ended = once(used!, "close");
    used!.write(answer("late"));
    expect(await textOf(await later)).toBe("late");
    await ended;
  });
});
