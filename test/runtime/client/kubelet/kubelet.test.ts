/** Against a server that repeats the recorded answers of a real kubelet; kubectl is the judge of the exit codes. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createClient } from "../../../../src/runtime/client/create-client.ts";
import type { PodProcess } from "../../../../src/runtime/client/pods/pod-process.ts";
import { eventually } from "../../../support/eventually.ts";
import { type KubeletAnswer, kubeletAnswers } from "./kubelet-answers.ts";

const answers = kubeletAnswers();
const named = (about: string): KubeletAnswer => {
  const found = answers.find((answer) => answer.about === about);
  if (!found) throw new Error(`there is no recording of ${about}`);
  return found;
};

let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
  server = undefined;
});

/** Serves one answer; what was asked, and the bytes that came after it. */
async function serve(answer: KubeletAnswer) {
  const asked: { request?: IncomingMessage; received: Buffer } = { received: Buffer.alloc(0) };
  server = createServer();
  server.on("upgrade", (request: IncomingMessage, socket: Socket) => {
    sockets.push(socket);
    asked.request = request;
    socket.on("error", () => undefined);
    socket.on("data", (bytes: Buffer) => {
      asked.received = Buffer.concat([asked.received, bytes]);
    });
    const { status, body = "", protocol = "" } = answer;
    if (status !== 101) {
      const type = body.startsWith("{") ? "application/json" : "text/plain; charset=utf-8";
      socket.end(
        `HTTP/1.1 ${status} Refused\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      return;
    }
    const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
    );
    for (const message of answer.messages) socket.write(frame(0x82, Buffer.from(message, "hex")));
    if (answer.close === undefined) return;
    socket.end(frame(0x88, Uint8Array.of(answer.close >> 8, answer.close & 255)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { pods } = createClient({
    server: `http://127.0.0.1:${port}`,
    namespace: "default",
    credentials: { get: () => Promise.resolve({ token: "t" }), invalidate: () => undefined },
  });
  return { asked, pods };
}

function frame(first: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const head = length < 126 ? [first, length] : [first, 126, length >> 8, length & 255];
  return Buffer.concat([Uint8Array.from(head), payload]);
}

async function run(answer: KubeletAnswer) {
  const { asked, pods } = await serve(answer);
  const { pod, container, command = [], stdin, tty } = answer;
  const key = { namespace: "default", name: pod };
  const options = {
    ...(container === undefined ? {} : { container }),
    ...(stdin === undefined ? {} : { stdin }),
    ...(tty === undefined ? {} : { tty }),
  };
  const process: PodProcess =
    answer.subresource === "exec"
      ? await pods.exec(key, { ...options, command })
      : await pods.attach(key, options);
  return { asked, process, output: await process.output() };
}

/** What came on a channel, as text. */
const channel = (answer: KubeletAnswer, wanted: number): string =>
  answer.messages
    .map((message) => Buffer.from(message, "hex"))
    .filter(([first]) => first === wanted)
    .map((message) => message.subarray(1).toString())
    .join("");

describe("a command, by the recorded answers of a real kubelet", () => {
  const ended = answers.filter(({ subresource, messages }) => {
    const isExec = subresource === "exec";
    return (
      isExec && messages.some((message) => /"(NonZeroExitCode|Success)"/.test(decoded(message)))
    );
  });

  it.each(ended.map((answer): [string, KubeletAnswer] => [answer.about, answer]))(
    "ends as kubectl says: %s",
    async (_, answer) => {
      const { asked, output } = await run(answer);
      expect(output.stdout).toBe(channel(answer, 1));
      expect(output.stderr).toBe(channel(answer, 2));
      if (answer.kubectl !== undefined) expect(output.exitCode).toBe(answer.kubectl);
      expect(asked.request?.headers.accept).toBe("*/*");
    },
  );

  it("has the exit codes of the recording", () => {
    expect(ended.length).toBeGreaterThan(10);
    expect(new Set(ended.map(({ kubectl }) => kubectl))).toEqual(
      new Set([0, 1, 3, 4, 137, 143, 255, undefined]),
    );
  });

  const refused: [about: string, code: number, message: RegExp][] = [
    ["command not found", 500, /executable file not found/],
    ["command that is not executable", 500, /permission denied/],
    ["container that has exited", 500, /container not found \(\\?"has-exited/],
    ["no such container", 400, /container nope is not valid for pod/],
    ["several containers, none named", 400, /a container name must be specified/],
    ["no such pod", 404, /pods "nope" not found/],
    ["attach to a container that has exited", 500, /container has-exited not found/],
  ];

  it.each(refused)("that did not start is a StatusError: %s", async (about, code, message) => {
    await expect(run(named(about))).rejects.toMatchObject({
      name: "StatusError",
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  it("gets Ctrl-D at the end of a terminal's input, because closing it loses the output", async () => {
    const lost = named("a terminal whose input is closed");
    expect([lost.command?.at(-1), channel(lost, 1)]).toEqual(["sleep 1; echo out; exit 5", ""]);
    const answer = named("a terminal whose input ends by Ctrl-D");
    const open: KubeletAnswer = { ...answer, messages: [], close: undefined as never };
    const ends: [string, string][] = [
      ["", "0004"],
      ["hi\n", "0004"],
      ["hi", "000404"],
    ];
    for (const [input, last] of ends) {
      const { asked, pods } = await serve(open);
      const key = { namespace: "default", name: "web" };
      const process = await pods.exec(key, { command: ["sh"], stdin: true, tty: true });
      process.stdin.end(input);
      await eventually(() => {
        expect(unmasked(asked.received).at(-1)).toBe(last);
      });
      process.close();
      server?.close();
    }
  });
});

describe("a port, by the recorded answers of a real kubelet", () => {
  it("on which nothing listens, is an error with the kubelet's reason", async () => {
    const answer = named("a port on which nothing listens");
    const { pods } = await serve(answer);
    const connection = await pods.connect({ namespace: "default", name: answer.pod }, 9);
    connection.resume();
    const [error] = (await once(connection, "error")) as [Error];
    expect(error).toMatchObject({ name: "ConnectionError" });
    expect(error.message).toContain("connect: connection refused");
  });
});

const decoded = (message: string): string => Buffer.from(message, "hex").toString();

/** The messages of a client, in hexadecimal; short ones. */
function unmasked(bytes: Buffer): string[] {
  const messages: string[] = [];
  for (let at = 0; at + 6 <= bytes.length;) {
    const size = bytes.readUInt8(at + 1) & 127;
    const mask = bytes.subarray(at + 2, at + 6);
    const payload = Buffer.from(bytes.subarray(at + 6, at + 6 + size));
    payload.forEach((byte, index) => (payload[index] = byte ^ mask.readUInt8(index & 3)));
    messages.push(payload.toString("hex"));
    at += 6 + size;
  }
  return messages;
}
