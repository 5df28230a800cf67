/**
 * Servers that are not API servers, and those that want to harm their clients. Time stands
 * still unless a test advances it, so that no error here comes from a timeout.
 */
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { request as nodeRequest } from "node:http";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { type Clock, systemClock, VirtualClock } from "../../../src/clock.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { AnswerParser } from "../../../src/runtime/transport/answer-parser.ts";
import { fixedCredentials } from "../../../src/runtime/transport/credentials/credentials.ts";
import { HttpsTransport } from "../../../src/runtime/transport/https-transport.ts";

const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** A server that calls `answer` for each connection, with what was sent first. */
async function serve(
  answer: (socket: Socket, request: string) => void,
  clock: Clock = new VirtualClock(),
  { speaksFirst = false, scheme = "http" } = {},
): Promise<{ transport: HttpsTransport; rest: RestClient; port: number; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    if (speaksFirst) answer(socket, "");
    socket.on("data", (bytes) => {
      requests.push(bytes.toString("latin1"));
      if (!speaksFirst) answer(socket, bytes.toString("latin1"));
    });
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const credentials = fixedCredentials({ token: "secret" });
  const config = { server: `${scheme}://127.0.0.1:${port}`, namespace: "default", credentials };
  const transport = new HttpsTransport(config, "tests", clock);
  return { transport, rest: new RestClient(transport, clock), port, requests };
}

const GET = { method: "GET", path: "/api" } as const;
const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

describe("what is not HTTP", () => {
  it.each([
    ["a mail server", "220 mail.example.com ESMTP ready\r\n", '"220 mail.example.com ESMTP ready'],
    ["SSH", "SSH-2.0-OpenSSH_9.6\r\n", '"SSH-2.0-OpenSSH_9.6'],
    ["TLS", "\x15\x03\x01\x00\x02\x02\x46", '"\\x15\\x03\\x01\\x00\\x02\\x02F", which is TLS'],
    ["HTML without a head", "<html><body>502</body></html>", '"<html><body>502</body></html>"'],
    ["HTTP/2", "\x00\x00\x12\x04\x00\x00\x00\x00\x00", '"\\x00\\x00\\x12\\x04'],
    ["HTTP/0.9", "hello", '"hello"'],
    ["a status line without CR", "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", "ends without CR"],
    ["a head without CR", "HTTP/1.1 200 OK\r\nContent-Length: 2\n\n{}", "ends without CR"],
    ["an escape sequence", "\x1b[2J\x1b[31mroot", '"\\x1b[2J\\x1b[31mroot"'],
    ["noise", "\xff\xfe".repeat(500), '"\\xff\\xfe'],
  ])("fails at once with what was seen: %s", async (_, bytes, seen) => {
    for (const speaksFirst of [false, true]) {
      const { transport } = await serve(
        (socket) => socket.write(bytes, "latin1"),
        new VirtualClock(),
        { speaksFirst },
      );
      const failure = await transport.request(GET).catch((error: unknown) => error as Error);
      expect(failure).toMatchObject({ failure: "answer", code: "connection-answer" });
      const { message } = failure as Error;
      expect(message).toContain(seen);
      expect(message).toMatch(/^The answer from http:\/\/127\.0\.0\.1:\d+ cannot be used: /);
      expect(message.length).toBeLessThan(600);
      expect(message).toMatch(/^[\x20-\x7e]+$/);
    }
  });

  it("fails at once for streams of pods", async () => {
    const { transport } = await serve((socket) => socket.write("220 ready\r\n"));
    await expect(transport.upgrade(GET)).rejects.toMatchObject({ code: "connection-answer" });
  });

  it("says so for TLS to a port without it", async () => {
    const { transport } = await serve((socket) => socket.write("SSH-2.0\r\n"), systemClock, {
      scheme: "https",
    });
    await expect(transport.request(GET)).rejects.toMatchObject({ failure: "tls" });
  });

  it("is noticed at the first byte that no HTTP answer has", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
        const begins = Buffer.from(bytes).toString("latin1");
        const possible = "HTTP/1.".startsWith(begins.slice(0, 7));
        const sink = { head: () => undefined, data: () => undefined, end: () => undefined };
        const push = (): void => {
          new AnswerParser("GET", sink).push(Buffer.from(bytes));
        };
        if (possible) return;
        expect(push).toThrow(/not HTTP/);
      }),
      { numRuns: 1000 },
    );
  });

  it("is nothing: silence ends with the limit of the answer, for streams as well", async () => {
    const clock = new VirtualClock();
    const { transport } = await serve(() => undefined, clock);
    for (const ask of [() => transport.request(GET), () => transport.upgrade(GET)]) {
      const outcome = ask().catch((error: unknown) => error);
      await systemClock.sleep(50);
      await clock.advance(70_000);
      expect(await outcome).toMatchObject({ failure: "timeout" });
    }
  });
});

describe("a hostile server", () => {
  it("has one limit of time for a head, however slowly it comes", async () => {
    const clock = new VirtualClock();
    const { transport } = await serve((socket) => socket.write(OK), clock);
    const outcome = transport.request(GET).catch((error: unknown) => error);
    await systemClock.sleep(50);
    for (let minute = 0; minute < 3; minute++) {
      await clock.advance(30_000);
      sockets.at(-1)?.write(`X-${minute}: y\r\n`);
      await systemClock.sleep(20);
    }
    expect(await outcome).toMatchObject({ failure: "timeout" });
  });

  it("sends more between chunks than in them", async () => {
    const { transport } = await serve((socket) => {
      socket.write(CHUNKED + `1;${"x".repeat(8000)}\r\na\r\n`.repeat(5));
    });
    const { body } = await transport.request(GET);
    await expect(body.whole?.()).rejects.toThrow("more between its chunks than in them");
  });

  it("may send as many small chunks as it likes", async () => {
    const events = 10_000;
    const { transport } = await serve((socket) => {
      socket.end(`${CHUNKED}${"2\r\n{}\r\n".repeat(events)}0\r\n\r\n`);
    });
    const { body } = await transport.request(GET);
    expect((await body.whole?.())?.length).toBe(2 * events);
  });

  it.each([
    ["a length", `${OK}Content-Length: 100\r\n\r\nabc`, "97 bytes of its Content-Length"],
    ["chunks", `${CHUNKED}5\r\nabc`, "its last chunk is missing"],
  ])("closes in the middle of an answer with %s", async (_, text, missing) => {
    const { transport } = await serve((socket) => socket.end(text));
    const { body } = await transport.request(GET);
    const failure = await body.whole?.().catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ failure: "reset" });
    expect((failure as Error).message).toContain(missing);
    expect((failure as Error).message).toContain("The connection to the API server");
  });

  it("redirects elsewhere, and nothing follows with the credentials", async () => {
    const thief = await serve((socket) => socket.end(`${OK}Content-Length: 2\r\n\r\n{}`));
    for (const status of ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"]) {
      const location = `http://127.0.0.1:${thief.port}/login?token=1`;
      const { rest } = await serve((socket) =>
        socket.end(`HTTP/1.1 ${status}\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`),
      );
      const failure = rest.request({ ...GET }).catch((error: unknown) => (error as Error).message);
      expect(await failure).toContain(
        `redirects to http://127.0.0.1:${thief.port}, which is not followed`,
      );
    }
    expect(thief.requests).toEqual([]);
  });

  it.each(["-5", "-99999999999", "1e9", "99999999999999999999", "soon"])(
    "holds no request up with Retry-After: %s",
    async (value) => {
      let requests = 0;
      const { rest } = await serve((socket) => {
        requests += 1;
        socket.write(`HTTP/1.1 429 Busy\r\nRetry-After: ${value}\r\nContent-Length: 0\r\n\r\n`);
      });
      await expect(rest.request({ ...GET })).rejects.toMatchObject({ code: 429 });
      expect(requests).toBe(1);
    },
  );

  it.each([
    [
      "502 Bad Gateway",
      "text/html",
      `<html>\r\n<head><title>502 Bad Gateway</title><style>a{}</style></head>${"<p>nginx/1.25</p>".repeat(500)}</html>`,
    ],
    [
      "500 Error",
      "",
      `<!DOCTYPE html><script>alert(1)</script><h1>Blocked</h1>${"x".repeat(5000)}`,
    ],
  ])("shows of HTML only the first words: %s", async (status, type, html) => {
    const { rest } = await serve((socket) => {
      const head = `Content-Type: ${type}\r\nContent-Length: ${html.length}\r\n\r\n`;
      socket.write(`HTTP/1.1 ${status}\r\n${head}${html}`);
    });
    const failure = (await rest.request({ ...GET }).catch((error: unknown) => error)) as Error;
    expect(failure.message.length).toBeLessThan(300);
    expect(failure.message).not.toMatch(/[<>]|alert|a\{\}/);
    expect(failure.message).toMatch(/HTML of a proxy or another server: (502 Bad Gateway|Blocked)/);
  });

  it("sends JSON as deep as it likes", async () => {
    const depth = 200_000;
    const deep = `{"kind":"Pod","a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    const { rest } = await serve((socket) =>
      socket.write(`${OK}Content-Length: ${deep.length}\r\n\r\n${deep}`),
    );
    // As an object, or as an error that says what; the process goes on.
    const outcome = await rest.request({ ...GET }).then(
      (answer) => (answer as { kind: string }).kind,
      (error: unknown) => (error as Error).message,
    );
    expect(outcome).toMatch(/^Pod$|not JSON/);
  });
});

describe("heads, compared with Node's client", () => {
  const part = fc.oneof(
    fc.constantFrom(
      "HTTP/1.1 200 OK\r\n",
      "HTTP/1.0 404 Not Found\r\n",
      "HTTP/1.1 503\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n",
      "Content-Length: 2\r\n",
      "Content-Length: 3\r\n",
      "Transfer-Encoding: chunked\r\n",
      "Connection: close\r\n",
      "X-A: b\r\n",
      "X-A:\tc \r\n",
      "\r\n",
      "{}",
      "2\r\n{}\r\n0\r\n\r\n",
      "\n",
      " ",
      "\0",
    ),
    fc.string({ maxLength: 3 }),
  );

  it("accepts nothing that Node refuses, and reads the same", async () => {
    let text = "";
    const { transport, port } = await serve((socket) => socket.end(text, "latin1"));
    const ofNode = (): Promise<string> =>
      new Promise((resolve) => {
        const request = nodeRequest(
          { port, host: "127.0.0.1", path: "/", agent: false },
          (answer) => {
            let body = "";
            answer.on("data", (bytes: Buffer) => (body += bytes.toString("latin1")));
            answer.on("end", () => resolve(`${answer.statusCode} ${body}`));
            answer.on("error", () => resolve("error"));
          },
        );
        request.on("error", () => resolve("error"));
        request.end();
      });
    const own = async (): Promise<string> => {
      try {
        const { status, body } = await transport.request(GET);
        return `${status} ${(await body.whole?.())?.toString("latin1")}`;
      } catch {
        return "error";
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 7 }), async (parts) => {
        text = `HTTP/1.1 200 OK\r\n${parts.join("")}`;
        const mine = await own();
        if (mine === "error") return;
        // Bytes behind the end of an answer are an error for Node, and nothing to read for the other.
        let nodes = await ofNode();
        while (nodes === "error" && text !== "") {
          text = text.slice(0, -1);
          nodes = await ofNode();
        }
        expect(mine).toBe(nodes);
      }),
      {
        numRuns: 150,
        examples: [[["Content-Length: 2\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", ""]]],
      },
    );
  });
});
