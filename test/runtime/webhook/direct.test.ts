/** What the webhook server reads by itself, and what it leaves to `node:http`. */
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock, VirtualClock } from "../../../src/clock.ts";
import {
  CustomResource,
  Resource,
  type Unstored,
  ValidatingWebhook,
  type ValidationReview,
  type Validator,
} from "../../../src/index.ts";
import { deferred } from "../../../src/runtime/deferred.ts";
import { requestHeadOf } from "../../../src/runtime/webhook/direct/request-head.ts";
import { eventually } from "../../support/eventually.ts";
import { NodeRequests } from "../../support/node-requests.ts";
import { reviewOf, serveWebhooks, type TestServer } from "./support.ts";

@Resource({ group: "shop.example.com", version: "v1" })
class Widget extends CustomResource<Record<string, unknown>> {}

const gate = deferred();
const storage = new AsyncLocalStorage<string>();
/** What each handler found in the storage. */
const left: string[] = [];

@ValidatingWebhook(Widget, { path: "/validate" })
class WidgetValidator implements Validator<Widget> {
  validateCreate(
    { spec }: Unstored<Widget>,
    review: ValidationReview<Widget>,
  ): void | Promise<void> {
    left.push(storage.getStore() ?? "nothing");
    if (spec["how"] === "enter") storage.enterWith("a review");
    if (spec["how"] === "later") return gate.promise;
    if (spec["how"] === "deny") review.deny("dénié");
  }
}

/** The head as Go's client writes it for a kube-apiserver 1.36. */
const HEAD = [
  "POST /validate?timeout=10s HTTP/1.1",
  "Host: shop-webhook-service.shop-system.svc:443",
  "User-Agent: kube-apiserver-admission",
  "Content-Length: 2",
  "Accept: application/json, */*",
  "Content-Type: application/json",
  "Accept-Encoding: gzip",
];

const bytesOf = (lines: readonly string[], body = "{}"): Buffer =>
  Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), Buffer.from(body)]);

const question = (spec: object): Buffer => {
  const object = {
    apiVersion: "shop.example.com/v1",
    kind: "Widget",
    metadata: { name: "w" },
    spec,
  };
  const body = JSON.stringify(reviewOf({ object }));
  return bytesOf(HEAD.with(3, `Content-Length: ${Buffer.byteLength(body)}`), body);
};

describe("requestHeadOf", () => {
  it("recognises what an API server sends", () => {
    const bytes = bytesOf(HEAD);
    expect(requestHeadOf(bytes)).toEqual({
      method: "POST",
      pathname: "/validate",
      query: "timeout=10s",
      headers: {
        host: "shop-webhook-service.shop-system.svc:443",
        "user-agent": "kube-apiserver-admission",
        "content-length": "2",
        accept: "application/json, */*",
        "content-type": "application/json",
        "accept-encoding": "gzip",
      },
      bodyAt: bytes.length - 2,
      bodyBytes: 2,
    });
  });

  it.each([
    ["another method", ["PUT /validate HTTP/1.1", ...HEAD.slice(1)]],
    ["another version", ["POST /validate HTTP/1.0", ...HEAD.slice(1)]],
    ["a whole URL", ["POST https://a/validate HTTP/1.1", ...HEAD.slice(1)]],
    ["an escaped path", ["POST /%76alidate HTTP/1.1", ...HEAD.slice(1)]],
    ["no host", HEAD.toSpliced(1, 1)],
    ["no length", HEAD.toSpliced(3, 1)],
    ["no content type", HEAD.toSpliced(5, 1)],
    ["another content type", HEAD.with(5, "Content-Type: application/json; charset=utf-8")],
    ["no body", HEAD.with(3, "Content-Length: 0")],
    ["a signed length", HEAD.with(3, "Content-Length: +2")],
    ["two lengths", [...HEAD, "content-length: 2"]],
    ["a length beyond all limits", HEAD.with(3, "Content-Length: 9999999999")],
    ["chunks", [...HEAD, "Transfer-Encoding: chunked"]],
    ["a compressed body", [...HEAD, "Content-Encoding: gzip"]],
    ["a wait for 100", [...HEAD, "Expect: 100-continue"]],
    ["an upgrade", [...HEAD, "Upgrade: h2c"]],
    ["an end of the connection", [...HEAD, "Connection: close"]],
    ["a header that nobody thought of", [...HEAD, "X-Forwarded-For: a"]],
    ["a header that all objects have", [...HEAD, "constructor: a"]],
    ["a folded line", [...HEAD, " gzip"]],
    ["a space before a colon", HEAD.with(4, "Accept : a")],
    ["a tab", HEAD.with(4, "Accept: a\tb")],
    ["what is not ASCII", HEAD.with(4, "Accept: é")],
    ["a line that ends in a line feed alone", HEAD.with(4, "Accept: a\nHost: b")],
    ["a carriage return in a value", HEAD.with(4, "Accept: a\rb")],
    ["more than 4 kB", HEAD.with(4, `Accept: ${"a".repeat(4096)}`)],
  ])("leaves it to node:http: %s", (_, lines) => {
    expect(requestHeadOf(bytesOf(lines))).toBeUndefined();
  });

  it("leaves half a head to node:http, wherever it ends", () => {
    const bytes = bytesOf(HEAD, "");
    for (let end = 0; end < bytes.length; end++) {
      expect(requestHeadOf(bytes.subarray(0, end))).toBeUndefined();
    }
  });
});

describe("a connection of the webhook server", () => {
  let server: TestServer;
  const sockets: TLSSocket[] = [];
  let requests: NodeRequests;
  beforeAll(async () => {
    server = await serveWebhooks([new WidgetValidator()]);
    requests = new NodeRequests();
  });
  afterAll(async () => {
    requests.stop();
    await server.stop();
  });
  afterEach(() => {
    requests.read.length = 0;
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  async function dial(port = server.port): Promise<{
    socket: TLSSocket;
    said: () => string;
    closed: Promise<unknown>;
  }> {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
    socket.setNoDelay(true).on("error", () => undefined);
    sockets.push(socket);
    let said = "";
    socket.on("data", (part: Buffer) => (said += part.toString()));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await once(socket, "secureConnect");
    return { socket, said: () => said, closed };
  }

  const answers = (said: string): number => said.split("HTTP/1.1 200 OK").length - 1;

  it("is not read by node:http, as long as all is as an API server sends it", async () => {
    const { socket, said } = await dial();
    for (let asked = 1; asked <= 3; asked++) {
      socket.write(question({}));
      await eventually(() => expect(answers(said())).toBe(asked));
    }
    expect(requests.read).toEqual([]);
    expect(said()).toMatch(
      /^HTTP\/1\.1 200 OK\r\nContent-Type: application\/json\r\nContent-Length: \d+\r\nDate: [^\r]+ GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=95\r\n\r\n\{/,
    );
  });

  it("is read so by the pieces of a large body, too, and the answer may be any text", async () => {
    const { socket, said } = await dial();
    const bytes = question({ how: "deny", text: "é".repeat(100_000) });
    socket.write(bytes.subarray(0, 1000));
    await systemClock.sleep(20);
    socket.write(bytes.subarray(1000));
    await eventually(() => expect(said()).toContain("dénié"));
    const [, length, body = ""] =
      /Content-Length: (\d+)\r\n[^]*?\r\n\r\n([^]*)$/.exec(said()) ?? [];
    expect(Buffer.byteLength(body)).toBe(Number(length));
    expect(requests.read).toEqual([]);
  });

  it("takes nothing from one handler to the next", async () => {
    const { socket, said } = await dial();
    left.length = 0;
    for (const how of ["enter", ""]) {
      const before = answers(said());
      socket.write(question({ how }));
      await eventually(() => expect(answers(said())).toBe(before + 1));
    }
    expect(left).toEqual(["nothing", "nothing"]);
  });

  it("is node:http's for good, with nothing lost, once anything is in doubt", async () => {
    const { socket, said } = await dial();
    const odd = Buffer.from(question({}).toString().replace("Accept:", "X-Odd:"));
    socket.write(question({}));
    await eventually(() => expect(answers(said())).toBe(1));
    socket.write(odd);
    await eventually(() => expect(answers(said())).toBe(2));
    socket.write(question({}));
    await eventually(() => expect(answers(said())).toBe(3));
    expect(requests.read.map(({ headers }) => headers["x-odd"])).toEqual([
      "application/json, */*",
      undefined,
    ]);
  });

  it("is node:http's when its head comes in two pieces", async () => {
    const { socket, said } = await dial();
    const bytes = question({});
    socket.write(bytes.subarray(0, 100));
    await systemClock.sleep(20);
    socket.write(bytes.subarray(100));
    await eventually(() => expect(answers(said())).toBe(1));
    expect(requests.read.length).toBe(1);
  });

  it("is node:http's when half a body waits for the rest", async () => {
    const clock = new VirtualClock({ startMs: Date.now() });
    const waiting = await serveWebhooks([new WidgetValidator()], clock);
    const { socket, said } = await dial(waiting.port);
    const bytes = question({});
    socket.write(bytes.subarray(0, bytes.length - 10));
    await eventually(async () => {
      await clock.advance(1000);
      expect(requests.read.length).toBe(1);
    });
    socket.write(bytes.subarray(bytes.length - 10));
    await eventually(() => expect(answers(said())).toBe(1));
    await waiting.stop();
  });

  it("answers what comes in while a handler is at work behind its answer", async () => {
    const { socket, said } = await dial();
    socket.write(question({ how: "later" }));
    await systemClock.sleep(20);
    socket.write(question({ how: "deny" }));
    socket.write(question({}));
    await systemClock.sleep(20);
    expect(said()).toBe("");
    gate.resolve();
    await eventually(() => expect(answers(said())).toBe(3));
    expect([...said().matchAll(/"allowed":(\w+)/g)].map(([, allowed]) => allowed)).toEqual([
      "true",
      "false",
      "true",
    ]);
  });

  it("that ends within a body is counted as a request that failed", async () => {
    const { socket, said, closed } = await dial();
    socket.end(question({}).subarray(0, 400));
    await closed;
    expect(said()).toBe("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    await eventually(async () => {
      const text = await server.registry.metrics();
      expect(text).toContain('webhook_requests_total{webhook="/validate",code="400"} 1');
    });
  });

  it("ends with the answer that is under way when the server stops, and at once when there is none", async () => {
    // A clock that stands still: nothing ends because a limit has passed.
    const clock = new VirtualClock({ startMs: Date.now() });
    const stopping = await serveWebhooks([new WidgetValidator()], clock);
    const port = stopping.port;
    const idle = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
    sockets.push(idle);
    idle.write(question({}));
    await once(idle, "data");
    const closed = once(idle, "close");
    await stopping.stop();
    await closed;
  });
});
