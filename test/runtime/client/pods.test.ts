/** Against a scripted server that speaks the protocol as kube-apiserver does; its frames are made here, by hand. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/clock.ts";
import { createClient } from "../../../src/runtime/client/create-client.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { FencedTransport } from "../../../src/runtime/transport/fenced-transport.ts";
import { HttpsTransport } from "../../../src/runtime/transport/https-transport.ts";
import { eventually } from "../../support/eventually.ts";

const KEY = { namespace: "d", name: "web-0" };
// As kubelets send it: without a kind.
const SUCCESS = JSON.stringify({ metadata: {}, status: "Success" });
const exited = (code: number) =>
  JSON.stringify({
    metadata: {},
    status: "Failure",
    reason: "NonZeroExitCode",
    message: `command terminated with non-zero exit code: exit status ${code}`,
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  });

/** The server's side of a stream: messages that came, and frames to send. */
class Peer {
  readonly request: IncomingMessage;
  readonly messages: Buffer[] = [];
  readonly opcodes: number[] = [];
  readonly #socket: Socket;
  #rest = Buffer.alloc(0);

  constructor(request: IncomingMessage, socket: Socket) {
    this.request = request;
    this.#socket = socket;
    socket.on("error", () => undefined);
    socket.on("data", (bytes: Buffer) => {
      this.#rest = Buffer.concat([this.#rest, bytes]);
      this.#read();
    });
  }

  frame(first: number, payload: Uint8Array): Buffer {
    const size = payload.length;
    const head =
      size < 126
        ? [first, size]
        : size < 65536
          ? [first, 126, size >> 8, size & 255]
          : [
              first,
              127,
              0,
              0,
              0,
              0,
              size >>> 24,
              (size >> 16) & 255,
              (size >> 8) & 255,
              size & 255,
            ];
    return Buffer.concat([Uint8Array.from(head), payload]);
  }

  raw(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  send(channel: number, text: string | Uint8Array): void {
    this.raw(this.frame(0x82, Buffer.concat([Uint8Array.of(channel), Buffer.from(text)])));
  }

  end(code = 1000): void {
    this.raw(this.frame(0x88, Uint8Array.of(code >> 8, code & 255)));
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(): void {
    for (;;) {
      if (this.#rest.length < 6) return;
      const short = this.#rest.readUInt8(1) & 127;
      expect(this.#rest.readUInt8(1) & 128, "masked").toBe(128);
      const size = short === 126 ? this.#rest.readUInt16BE(2) : short;
      const start = 6 + (short === 126 ? 2 : 0);
      if (this.#rest.length < start + size) return;
      const mask = this.#rest.subarray(start - 4, start);
      const payload = Buffer.from(this.#rest.subarray(start, start + size));
      payload.forEach((byte, index) => (payload[index] = byte ^ mask.readUInt8(index & 3)));
      const opcode = this.#rest.readUInt8(0) & 15;
      if (opcode === 2) this.messages.push(payload);
      else this.opcodes.push(opcode);
      this.#rest = this.#rest.subarray(start + size);
    }
  }
}

interface Scripted {
  readonly url: string;
  readonly peers: Peer[];
  readonly requests: string[];
}

const servers: Server[] = [];
const peers: Peer[] = [];

/** A server that hands each stream to `play`, with the first of the protocols that it speaks. */
async function scripted(
  play: (peer: Peer) => void,
  speaks: readonly string[] = ["v5.channel.k8s.io", "v4.channel.k8s.io"],
): Promise<Scripted> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    response.end("first\nsecond\n\nlast without an end");
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket) => {
    requests.push(request.url ?? "");
    // As kubelets do: they offer no JSON where they speak another protocol.
    if (request.headers.accept?.split(",").some((type) => type.trim() === "*/*") === false) {
      socket.end("HTTP/1.1 406 Not Acceptable\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    if (request.url?.includes("/none/")) {
      const body = JSON.stringify({
        kind: "Status",
        status: "Failure",
        reason: "NotFound",
        code: 404,
        message: 'pods "none" not found',
      });
      socket.end(`HTTP/1.1 404 Not Found\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      return;
    }
    const asked = request.headers["sec-websocket-protocol"]?.split(", ") ?? [];
    const protocol = asked.find((one) => speaks.includes(one)) ?? "";
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"] ?? ""}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    const peer = new Peer(request, socket);
    peers.push(peer);
    // The first frame comes with the head of the answer.
    socket.cork();
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
    );
    play(peer);
    socket.uncork();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, peers, requests };
}

const configOf = (url: string) => ({
  server: url,
  namespace: "d",
  credentials: { get: () => Promise.resolve({ token: "t" }), invalidate: () => undefined },
});

afterEach(() => {
  for (const peer of peers.splice(0)) peer.destroy();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe("a command in a pod", () => {
  it("gives what it wrote, and how it ended", async () => {
    const { url, requests, peers } = await scripted((peer) => {
      peer.send(1, "out ");
      peer.send(2, "err");
      // A message in three frames, with a ping in between.
      peer.raw(peer.frame(0x02, Buffer.concat([Uint8Array.of(1), Buffer.from("1")])));
      peer.raw(peer.frame(0x89, Buffer.from("?")));
      peer.raw(peer.frame(0x00, Buffer.from("2")));
      peer.raw(peer.frame(0x80, Buffer.from("3")));
      peer.send(1, Buffer.alloc(70_000, "x"));
      peer.send(3, exited(3));
      peer.end();
    });
    const { pods } = createClient(configOf(url));
    const command = ["sh", "-c", "echo 'a&b'"];
    const { exitCode, stdout, stderr } = await (
      await pods.exec(KEY, { command, container: "main" })
    ).output();
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: "err" });
    expect(stdout).toBe(`out 123${"x".repeat(70_000)}`);
    const asked = new URL(requests[0] ?? "", url);
    expect(asked.pathname).toBe("/api/v1/namespaces/d/pods/web-0/exec");
    expect(asked.searchParams.getAll("command")).toEqual(command);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      container: "main",
      stdin: "false",
      stdout: "true",
      stderr: "true",
      tty: "false",
    });
    expect(peers[0]?.request.headers).toMatchObject({
      authorization: "Bearer t",
      "sec-websocket-protocol": "v5.channel.k8s.io, v4.channel.k8s.io",
    });
  });

  it("reads its stdin to the end, and takes the size of its terminal", async () => {
    const { url, peers } = await scripted((peer) => {
      peer.send(1, "> ");
    });
    const { pods } = createClient(configOf(url));
    const process = await pods.exec(KEY, { command: ["cat"], stdin: true, tty: true });
    process.resize({ columns: 80, rows: 24 });
    process.stdin.write("hello ");
    process.stdin.end(Buffer.alloc(100_000, "y"));
    const [peer] = peers;
    await eventually(() => {
      expect(peer?.messages.at(-1)).toEqual(Buffer.from([0, 4, 4]));
    });
    const messages = peer?.messages ?? [];
    expect(messages[0]?.toString()).toBe('\u0004{"Width":80,"Height":24}');
    const stdin = messages.filter((message) => message[0] === 0).map((one) => one.subarray(1));
    expect(Buffer.concat(stdin).toString()).toBe(`hello ${"y".repeat(100_000)}\u0004\u0004`);
    peer?.send(3, SUCCESS);
    peer?.end();
    expect(await process.output()).toEqual({ exitCode: 0, stdout: "> ", stderr: "" });
  });

  it("reads its stdin to the end without a terminal", async () => {
    const { url, peers } = await scripted(() => undefined);
    const { pods } = createClient(configOf(url));
    const process = await pods.exec(KEY, { command: ["cat"], stdin: true });
    process.stdin.end("hello");
    const [peer] = peers;
    await eventually(() => {
      expect(peer?.messages).toEqual([Buffer.from("\0hello"), Buffer.from([255, 0])]);
    });
  });

  it("that cannot be begun is a StatusError, and one whose connection breaks a ConnectionError", async () => {
    const status = { status: "Failure", reason: "InternalError", code: 500 };
    const { url } = await scripted((peer) => {
      if (peer.request.url?.includes("missing")) {
        peer.send(3, JSON.stringify({ ...status, message: "no such file" }));
        peer.end();
      } else if (peer.request.url?.includes("unknown")) {
        peer.send(3, JSON.stringify({ metadata: {}, status: "Gone" }));
        peer.end();
      } else if (peer.request.url?.includes("violates")) peer.raw(Uint8Array.of(0xf2, 1, 0));
      else peer.destroy();
    });
    const { pods } = createClient(configOf(url));
    const none = { namespace: "d", name: "none" };
    await expect(pods.exec(none, { command: ["a"] })).rejects.toMatchObject({ code: 404 });
    const missing = await pods.exec(KEY, { command: ["missing"] });
    await expect(missing.exitCode).rejects.toMatchObject({ code: 500, message: "no such file" });
    const unknown = await pods.exec(KEY, { command: ["unknown"] });
    await expect(unknown.exitCode).rejects.toMatchObject({ code: 500 });
    for (const command of ["violates", "breaks"]) {
      await expect(
        pods.exec(KEY, { command: [command] }).then((process) => process.output()),
      ).rejects.toMatchObject({ code: "connection-reset" });
    }
    const unread = await pods.exec(KEY, { command: ["missing"] });
    expect(unread.stdin.write("x", () => undefined)).toBe(false);
  });

  it("is not begun where the server speaks another protocol", async () => {
    const { url } = await scripted(() => undefined, ["v4.channel.k8s.io"]);
    const { pods } = createClient(configOf(url));
    await expect(pods.exec(KEY, { command: ["cat"], stdin: true })).rejects.toThrow(
      "it speaks no protocol instead of v5.channel.k8s.io",
    );
    const without = await pods.exec(KEY, { command: ["ls"] });
    without.close();
  });

  it("is given up by its signal, and by a reader who closes it", async () => {
    const { url, peers } = await scripted((peer) => {
      peer.send(1, "begun");
    });
    const { pods } = createClient(configOf(url));
    const stop = new AbortController();
    const process = await pods.attach(KEY, { signal: stop.signal });
    stop.abort();
    await expect(process.exitCode).rejects.toThrow();
    const other = await pods.attach(KEY);
    other.close();
    await expect(other.exitCode).rejects.toMatchObject({ code: "connection-reset" });
    await eventually(() => {
      expect(peers[1]?.opcodes).toContain(8);
    });
  });

  it("ends by its own time limit with a timeout of that call, by an abort with that", async () => {
    const { url } = await scripted(() => undefined);
    const { pods } = createClient(configOf(url));
    const late = await pods.exec(KEY, { command: ["sleep"], signal: AbortSignal.timeout(30) });
    const timeout = {
      name: "TimeoutError",
      message: expect.stringMatching(/^GET .*\/pods\/web-0\/exec was ended by the time limit/),
    };
    await expect(late.exitCode).rejects.toMatchObject(timeout);
    await expect(late.output()).rejects.toMatchObject(timeout);
    const before = AbortSignal.abort(new DOMException("late", "TimeoutError"));
    await expect(pods.exec(KEY, { command: ["sleep"], signal: before })).rejects.toMatchObject(
      timeout,
    );
    const stop = new AbortController();
    const aborted = await pods.exec(KEY, { command: ["sleep"], signal: stop.signal });
    stop.abort();
    await expect(aborted.exitCode).rejects.toMatchObject({ name: "AbortError" });
    const own = new AbortController();
    const given = await pods.attach(KEY, { signal: own.signal });
    const reason = new Error("enough");
    own.abort(reason);
    await expect(given.exitCode).rejects.toBe(reason);
  });

  it("that breaks is not reported as a server that cannot be reached", async () => {
    const { url } = await scripted((peer) => void systemClock.after(20, () => peer.destroy()));
    const process = await createClient(configOf(url)).pods.exec(KEY, { command: ["x"] });
    await expect(process.exitCode).rejects.toMatchObject({
      code: "connection-reset",
      message: expect.stringMatching(/^The connection to the API server at .* broke: .*exec\)\.$/),
    });
  });

  it("is held up where nobody reads", async () => {
    const chunks = 400;
    const { url } = await scripted((peer) => {
      for (let index = 0; index < chunks; index++) peer.send(1, Buffer.alloc(10_000, "z"));
      peer.send(3, SUCCESS);
      peer.end();
    });
    const { pods } = createClient(configOf(url));
    const process = await pods.exec(KEY, { command: ["yes"] });
    await systemClock.sleep(50);
    expect(process.stdout.readableLength).toBeLessThan(chunks * 10_000);
    expect((await process.output()).stdout).toHaveLength(chunks * 10_000);
  });

  it("is neither run by a client that only tries nor by a process that lost the lead", async () => {
    const { url, requests } = await scripted(() => undefined);
    const trying = createClient(configOf(url), { dryRun: true });
    await expect(trying.pods.exec(KEY, { command: ["rm"] })).rejects.toMatchObject({
      code: "dry-run-impossible",
    });
    await expect(trying.pods.connect(KEY, 80)).rejects.toMatchObject({
      code: "dry-run-impossible",
    });
    const transport = new HttpsTransport(configOf(url), "test");
    let endsAtMs = systemClock.monotonicMs() - 1;
    const fenced = new FencedTransport(transport, systemClock, () => endsAtMs);
    const client = new LiveClient(new RestClient(fenced, systemClock), { fieldManager: "test" });
    await expect(client.pods.exec(KEY, { command: ["rm"] })).rejects.toMatchObject({
      code: "leadership-lost",
    });
    expect(requests).toEqual([]);
    endsAtMs = systemClock.monotonicMs() + 300;
    const process = await client.pods.exec(KEY, { command: ["sleep"] });
    await expect(process.exitCode).rejects.toThrow("no answer before the end of the term");
  });
});

describe("a port of a pod", () => {
  /** As a kubelet does: each channel begins with the port, then what came goes back. */
  const echo = (peer: Peer): void => {
    const port = Uint8Array.of(80, 0);
    peer.send(0, port);
    peer.send(1, port);
    let seen = 0;
    const timer = setInterval(() => {
      for (const message of peer.messages.slice(seen)) {
        peer.send(0, message.subarray(1).toString().toUpperCase());
      }
      seen = peer.messages.length;
      if (peer.opcodes.includes(8)) clearInterval(timer);
    }, 5);
  };

  it("is connected to", async () => {
    const { url, requests } = await scripted(echo);
    const connection = await createClient(configOf(url)).pods.connect(KEY, 80);
    connection.write("hello");
    const answer = await new Promise<Buffer>((resolve) => connection.once("data", resolve));
    expect(answer.toString()).toBe("HELLO");
    expect(requests).toEqual(["/api/v1/namespaces/d/pods/web-0/portforward?ports=80"]);
    connection.destroy();
  });

  it("that nothing listens on is an error of the connection", async () => {
    const { url } = await scripted((peer) => {
      peer.send(0, Uint8Array.of(80, 0));
      peer.send(1, Uint8Array.of(80, 0));
      peer.send(1, "connection refused");
    });
    const connection = await createClient(configOf(url)).pods.connect(KEY, 80);
    const error = await new Promise((resolve) => connection.once("error", resolve));
    expect(error).toMatchObject({
      message: expect.stringContaining("connection refused") as string,
    });
  });

  it("is one of this machine while it is forwarded", async () => {
    const { url, requests } = await scripted((peer) => {
      peer.send(0, Uint8Array.of(80, 0));
      peer.send(1, Uint8Array.of(80, 0));
      peer.send(0, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
    });
    const forward = await createClient(configOf(url)).pods.portForward(KEY, 80);
    const answer = await fetch(`http://127.0.0.1:${forward.port}/`);
    expect(await answer.text()).toBe("ok");
    expect(requests).toHaveLength(1);
    await forward.close();
    await expect(fetch(`http://127.0.0.1:${forward.port}/`)).rejects.toThrow();
  });
});

describe("a port that is forwarded", () => {
  it.each([
    ["refused by the API server", "none", (): void => undefined, "not found"],
    [
      "refused in the pod",
      "d",
      (peer: Peer): void => {
        peer.send(0, Uint8Array.of(80, 0));
        peer.send(1, Uint8Array.of(80, 0));
        peer.send(1, "dial tcp4 127.0.0.1:80: connect: connection refused");
      },
      "connection refused",
    ],
  ])("says why a connection is %s", async (_, namespace, play, why) => {
    const { url } = await scripted(play);
    const errors: string[] = [];
    const { pods } = createClient(configOf(url));
    const forward = await pods.portForward({ ...KEY, namespace }, 80, {
      onError: ({ message }) => errors.push(message),
    });
    await expect(fetch(`http://127.0.0.1:${forward.port}/`)).rejects.toThrow();
    await eventually(() => {
      expect(errors).toEqual([expect.stringContaining(why)]);
    });
    await forward.close();
  });

  it("reports no local program that hangs up", async () => {
    const { url, peers } = await scripted((peer) => {
      peer.send(0, Uint8Array.of(80, 0));
      peer.send(1, Uint8Array.of(80, 0));
    });
    const errors: Error[] = [];
    const { pods } = createClient(configOf(url));
    const forward = await pods.portForward(KEY, 80, { onError: (error) => errors.push(error) });
    const socket = connect(forward.port, "127.0.0.1");
    await eventually(() => {
      expect(peers).toHaveLength(1);
    });
    socket.resetAndDestroy();
    await systemClock.sleep(50);
    await forward.close();
    expect(errors).toEqual([]);
  });
});

describe("the log of a pod", () => {
  it("comes line by line", async () => {
    const { url, requests } = await scripted(() => undefined);
    const lines: string[] = [];
    const options = { container: "main", tailLines: 3, timestamps: true, previous: true };
    for await (const line of createClient(configOf(url)).pods.logs(KEY, options)) lines.push(line);
    expect(lines).toEqual(["first", "second", "", "last without an end"]);
    expect(requests).toEqual([
      "/api/v1/namespaces/d/pods/web-0/log?container=main&tailLines=3&timestamps=true&previous=true&follow=false",
    ]);
  });
});
