/** What comes in over the wire and is no review, and whoever does not behave: the right answer, and the server lives. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { Registry } from "prom-client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { settlePromises, systemClock, VirtualClock } from "../../../src/clock.ts";
import {
  ConversionWebhook,
  type Converter,
  CustomResource,
  type Defaulter,
  MutatingWebhook,
  Resource,
  type Sent,
  type Unstored,
  ValidatingWebhook,
  type ValidationReview,
  type Validator,
} from "../../../src/index.ts";
import { selfSigned } from "../../../src/kube/x509/certificate.ts";
import { eventually } from "../../support/eventually.ts";
import type { ServedPath } from "../../../src/runtime/webhook/requests/served-path.ts";
import { WebhookMetrics } from "../../../src/runtime/webhook/requests/webhook-metrics.ts";
import { WebhookServer } from "../../../src/runtime/webhook/webhook-server.ts";
import { boundsOf, reviewOf, serveWebhooks, type TestServer } from "./support.ts";

@Resource({ group: "shop.example.com", version: "v1" })
class Widget extends CustomResource<Record<string, unknown>> {}

@Resource({ group: "shop.example.com", version: "v1alpha1", kind: "Widget" })
class OldWidget extends CustomResource<Record<string, unknown>> {}

const signals: AbortSignal[] = [];

@ValidatingWebhook(Widget, { path: "/validate" })
class WidgetValidator implements Validator<Widget> {
  async validateCreate(
    { spec }: Unstored<Widget>,
    review: ValidationReview<Widget>,
  ): Promise<void> {
    signals.push(review.signal);
    if (spec["how"] === "slow") await systemClock.sleep(300);
    if (spec["how"] === "never") await new Promise(() => undefined);
  }
}

@MutatingWebhook(Widget, { path: "/mutate" })
class WidgetDefaulter implements Defaulter<Widget> {
  default({ spec }: Sent<Widget>): void {
    spec["added"] = true;
  }
}

@ConversionWebhook(Widget, OldWidget)
class WidgetConversion implements Converter<Widget, OldWidget> {
  toHub = ({ spec }: Sent<OldWidget>) => ({ spec });
  fromHub = ({ spec }: Sent<Widget>) => ({ spec });
}

const widget = (spec: object, version = "v1") => ({
  apiVersion: `shop.example.com/${version}`,
  kind: "Widget",
  metadata: { name: "w" },
  spec,
});

let server: TestServer;
const sockets: Socket[] = [];
beforeAll(async () => {
  server = await serveWebhooks([
    new WidgetValidator(),
    new WidgetDefaulter(),
    new WidgetConversion(),
  ]);
});
afterAll(() => server.stop());
beforeEach(() => {
  signals.length = 0;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  // It lives, and nothing is left of what was begun.
  const answer = await server.ask("/validate", reviewOf({ object: widget({}) }));
  expect(answer.body.response.allowed).toBe(true);
  await eventually(async () => {
    const text = await server.registry.metrics();
    const inFlight = [...text.matchAll(/in_flight\{.*\} (\d+)/g)].map(([, count]) => count);
    expect(inFlight).toEqual(["0", "0", "0"]);
  });
});

/** A connection over TLS, and what comes over it. */
async function open(port = server.port): Promise<{
  socket: TLSSocket;
  said: () => string;
  closed: Promise<unknown>;
}> {
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
  socket.on("error", () => undefined);
  sockets.push(socket);
  let said = "";
  socket.on("data", (part: Buffer) => (said += part.toString()));
  // Also when it ends in a reset.
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await once(socket, "secureConnect");
  return { socket, said: () => said, closed };
}

function post(path: string, body: string | Buffer, ...headers: string[]): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: a",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), Buffer.from(body)]);
}

const question = (spec: object, uid = "u"): string =>
  JSON.stringify(reviewOf({ uid, object: widget(spec) }));

describe("the webhook server", () => {
  it("ends a connection that speaks HTTP without TLS", async () => {
    const socket = connect(server.port, "127.0.0.1");
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.write(post("/validate", question({})));
    await once(socket, "close");
  });

  it("ends a connection that speaks something else within TLS", async () => {
    const { socket, said, closed } = await open();
    socket.write(Buffer.from([0, 1, 2, 3, 0xff, 0x0d, 0x0a, 0x0d, 0x0a]));
    await closed;
    expect(said()).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("refuses 10,000 headers", async () => {
    const { socket, said, closed } = await open();
    const headers = Array.from({ length: 10_000 }, (_, number) => `X-${number}: y`);
    socket.write(post("/validate", question({}), ...headers));
    await closed;
    // It is ended while headers still come in: a reset may overtake the answer.
    expect(["HTTP/1.1 431", ""]).toContain(said().slice(0, 12));
  });

  it("answers requests that come in without waiting, in their order", async () => {
    const { socket, said } = await open();
    const asked = Array.from({ length: 50 }, (_, number) =>
      post("/validate", question({ how: number === 0 ? "slow" : "" }, `u-${number}`)),
    );
    socket.write(Buffer.concat(asked));
    await eventually(() => expect(said()).toContain('"uid":"u-49"'));
    const uids = [...said().matchAll(/"uid":"u-(\d+)","allowed":true/g)].map(([, uid]) => uid);
    expect(uids).toEqual(asked.map((_, number) => String(number)));
  });

  it("tells the handlers when whoever asked is gone, half-way too", async () => {
    for (const leave of ["end", "destroy"] as const) {
      const { socket, closed } = await open();
      const before = signals.length;
      socket.write(post("/validate", question({ how: "never" })));
      await eventually(() => expect(signals.length).toBe(before + 1));
      socket[leave]();
      await closed;
      await eventually(() => expect(signals.at(-1)?.aborted).toBe(true));
    }
  });

  it("forgets a request of which only half comes in", async () => {
    const { socket } = await open();
    socket.write(post("/validate", question({})).subarray(0, 300));
    await systemClock.sleep(50);
    socket.destroy();
    const { socket: other } = await open();
    // All of it, and gone at once.
    other.write(post("/mutate", question({})));
    other.destroy();
  });

  it("says that it wants a body as it is, not compressed", async () => {
    const { socket, said } = await open();
    socket.write(post("/validate", gzipSync(question({})), "Content-Encoding: gzip"));
    await eventually(() =>
      expect(said()).toContain("the body is encoded as gzip: send it without a content encoding"),
    );
    expect(said()).toMatch(/^HTTP\/1\.1 415 /);
  });

  it("asks for no handler at an odd timeout, and gives nobody more than a minute", async () => {
    for (const timeout of ["-1s", "9999h", "1e9s", "", "0s", "NaN"]) {
      const answer = await server.ask(
        `/validate?timeout=${timeout}`,
        reviewOf({ object: widget({}) }),
      );
      expect(answer.status).toBe(200);
    }
  });

  it.each([
    ["/validate", "objects", '{"a":', "1", "}"],
    ["/mutate", "objects", '{"a":', "1", "}"],
    ["/validate", "lists", "[", "1", "]"],
    ["/mutate", "lists", "[", "1", "]"],
  ])("answers at %s %s as deep as an API server decodes", async (path, _, start, middle, end) => {
    // The object and its spec are two levels.
    const levels = 10_000 - 2;
    const deep = start.repeat(levels) + middle + end.repeat(levels);
    const body = question({ deep: "DEEP" }).replace('"DEEP"', deep);
    const answer = await server.ask(path, body);
    expect(answer.status).toBe(200);
    expect(answer.body.response.allowed).toBe(true);
  });

  it.each([
    ["[", "]"],
    ['{"a":', "}"],
    ["[", ""],
  ])("refuses more levels than that before it parses them: %s", async (start, end) => {
    const levels = 500_000;
    const deep = start.repeat(levels) + (end === "" ? "" : `1${end.repeat(levels)}`);
    const answer = await server.ask(
      "/validate",
      question({ deep: "DEEP" }).replace('"DEEP"', deep),
    );
    expect(answer).toMatchObject({
      status: 400,
      body: { kind: "Status", message: "the body nests more than 10004 levels" },
    });
  });

  it("converts 10,000 objects in one request, and answers others meanwhile", async () => {
    const objects = Array.from({ length: 10_000 }, (_, size) => widget({ size }, "v1alpha1"));
    const request = { uid: "u", desiredAPIVersion: "shop.example.com/v1", objects };
    const review = { kind: "ConversionReview", apiVersion: "apiextensions.k8s.io/v1", request };
    const running = new Set(["conversion"]);
    const converting = server
      .ask("/convert?timeout=30s", review)
      .finally(() => running.delete("conversion"));
    let meanwhile = 0;
    while (running.size > 0) {
      const answer = await server.ask("/validate", reviewOf({ object: widget({}) }));
      expect(answer.status).toBe(200);
      meanwhile++;
    }
    const { body } = await converting;
    expect(body.response.result?.status).toBe("Success");
    expect(body.response.convertedObjects).toEqual(
      objects.map((one) => ({ ...one, apiVersion: "shop.example.com/v1" })),
    );
    expect(meanwhile).toBeGreaterThan(1);
  });
});

describe("a webhook server with short limits", () => {
  let taken = 0;
  const pathOf = (name: string, body: string): readonly [string, ServedPath] => [
    name,
    {
      name,
      metrics: new WebhookMetrics(new Registry(), systemClock).of(name),
      maxBytes: 1000,
      isForAll: false,
      growth: 1,
      defaultTimeoutMs: 1000,
      askedBy: () => ({ uid: "u", apiVersion: "v1", kind: "AdmissionReview" }),
      answer() {
        taken++;
        return { status: 200, body };
      },
      broken: () => undefined,
    },
  ];
  const paths = new Map([pathOf("/small", "{}"), pathOf("/large", "x".repeat(32 * 2 ** 20))]);
  const clock = new VirtualClock();

  async function limitedServer(options: Partial<ConstructorParameters<typeof WebhookServer>[3]>) {
    const now = Date.now();
    const validity = { from: now - 3_600_000, to: now + 3_600_000 };
    const { certificate, key } = selfSigned(["localhost"], validity);
    const pair = { cert: Buffer.from(certificate), key: Buffer.from(key) };
    const limited = new WebhookServer(clock, paths, pair, {
      ...boundsOf(clock),
      ...options,
    });
    return { limited, port: await limited.listen({ port: 0, host: "127.0.0.1" }) };
  }

  it.each([
    ["a head", "POST /small HTTP/1.1\r\nHost: a\r\n", "X: y\r\n"],
    ["a body", post("/small", "[".repeat(900)).subarray(0, 300).toString(), " "],
  ])(
    "does not wait for %s that comes in too slowly, and answers others",
    async (_, start, drip) => {
      // Those of node:http, which measures real time; strangers have 10 s for a head, and 30 s for all.
      const limits = { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 };
      const { limited, port } = await limitedServer({ limits });
      const { socket, said, closed } = await open(port);
      socket.write(start);
      const other = await open(port);
      other.socket.write(post("/small", "{}"));
      await eventually(() => expect(other.said()).toMatch(/^HTTP\/1\.1 200 /));
      const dripping = (async () => {
        for (;;) {
          // What it reads by itself goes to node:http after two looks.
          await clock.advance(2000);
          await systemClock.sleep(20);
          // What the server has said comes in before the next write can fail.
          await settlePromises();
          if (socket.destroyed) return;
          socket.write(drip);
        }
      })();
      await closed;
      await dripping;
      expect(said()).toMatch(/^HTTP\/1\.1 (408|400) /);
      limited.close();
    },
  );

  it("ends a connection on which nobody takes the answer, and does not keep it", async () => {
    const { limited, port } = await limitedServer({ stalledMs: 100 });
    const { socket } = await open(port);
    socket.pause();
    const before = taken;
    socket.write(post("/large", "{}"));
    await eventually(() => expect(taken).toBe(before + 1));
    // It ends although the answer was never taken: the minute of this clock does not pass.
    await limited.stop(60_000);
    socket.destroy();
  });
});
