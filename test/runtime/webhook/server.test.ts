/** Strangers, slow handlers, and the end of the process. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Clock, settlePromises, VirtualClock } from "../../../src/clock.ts";
import {
  ConversionWebhook,
  type Converter,
  CustomResource,
  MutatingWebhook,
  type Defaulter,
  Resource,
  type Review,
  ValidatingWebhook,
  type ValidationReview,
  type Validator,
  type Sent,
  type Unstored,
} from "../../../src/index.ts";
import { eventually } from "../../support/eventually.ts";
import { deferred } from "../../../src/runtime/deferred.ts";
import { certificateIn, reviewOf, serveWebhooks, type TestServer } from "./support.ts";

@Resource({ group: "shop.example.com", version: "v1" })
class Widget extends CustomResource<{ how?: string; text?: string; size?: number }> {}

@Resource({ group: "shop.example.com", version: "v1alpha1", kind: "Widget" })
class OldWidget extends CustomResource<{ width?: number }> {}

const signals: AbortSignal[] = [];
let gate = deferred();
/** How many reviews have come to the gate. */
let atGate = 0;

@ValidatingWebhook(Widget, { path: "/validate" })
class WidgetValidator implements Validator<Widget> {
  async validateCreate(
    { spec: { how } }: Unstored<Widget>,
    review: ValidationReview<Widget>,
  ): Promise<void> {
    if (how === "never") {
      signals.push(review.signal);
      await new Promise(() => undefined);
    }
    if (how !== "gate" && how !== "late") return;
    atGate++;
    await gate.promise;
    if (how === "late") throw new Error("too late to matter");
  }
}

@MutatingWebhook(Widget, { path: "/mutate" })
class WidgetDefaulter implements Defaulter<Widget> {
  default(_: Sent<Widget>, { signal }: Review<Widget>): void {
    expect(signal.aborted).toBe(false);
  }
}

@ConversionWebhook(Widget, OldWidget)
class WidgetConversion implements Converter<Widget, OldWidget> {
  toHub({ spec: { width } }: Sent<OldWidget>) {
    if (width === 13) throw new Error("not thirteen");
    return { spec: width === undefined ? {} : { size: width } };
  }

  fromHub({ spec: { size } }: Sent<Widget>) {
    return { spec: size === undefined ? {} : { width: size } };
  }
}

const widget = (spec: object) => ({
  apiVersion: "shop.example.com/v1",
  kind: "Widget",
  metadata: { name: "w" },
  spec,
});
const question = (spec: object = {}): object => reviewOf({ object: widget(spec) });
const UID = (question() as { request: { uid: string } }).request.uid;

let running: TestServer | undefined;
const sockets: Socket[] = [];
beforeEach(() => {
  gate = deferred();
  atGate = 0;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  gate.resolve();
  await running?.stop();
  running = undefined;
});

async function serve(clock?: Clock): Promise<TestServer> {
  const handlers = [new WidgetValidator(), new WidgetDefaulter(), new WidgetConversion()];
  return (running = await serveWebhooks(handlers, clock));
}

/** A connection without a word; errors of it are expected. */
async function silent({ port }: TestServer): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

async function secure({ port }: TestServer): Promise<TLSSocket> {
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
  socket.on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "secureConnect");
  return socket;
}

describe("the webhook server", () => {
  it("answers in time what a handler never will, and tells the handler", async () => {
    const clock = new VirtualClock({ startMs: Date.now() });
    const server = await serve(clock);
    const before = signals.length;
    const asked = server.ask("/validate?timeout=1s", question({ how: "never" }));
    await eventually(() => expect(signals.length).toBe(before + 1));
    await clock.advance(899);
    expect(signals.at(-1)?.aborted).toBe(false);
    await clock.advance(1);
    const answer = await asked;
    expect(answer.status).toBe(504);
    expect(answer.body).toMatchObject({
      kind: "Status",
      reason: "Timeout",
      message: "WidgetValidator did not answer within 0.9 s",
      response: { uid: UID, allowed: false },
    });
    expect(signals.at(-1)?.aborted).toBe(true);
    expect(server.lines.at(-1)).toBe("warn WidgetValidator did not answer within 0.9 s");
  });

  it("has nothing to say of what a handler does after that", async () => {
    const clock = new VirtualClock({ startMs: Date.now() });
    const server = await serve(clock);
    const asked = server.ask("/validate?timeout=200ms", question({ how: "late" }));
    await eventually(() => expect(atGate).toBe(1));
    await clock.advance(200);
    expect((await asked).status).toBe(504);
    const { length } = server.lines;
    gate.resolve();
    await settlePromises();
    expect((await server.ask("/validate", question())).body.response.allowed).toBe(true);
    expect(server.lines.slice(length)).toEqual([]);
  });

  it("tells a handler that whoever asked has hung up", async () => {
    const server = await serve();
    const socket = await secure(server);
    const body = JSON.stringify(question({ how: "never" }));
    const head = `POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const before = signals.length;
    socket.write(head + body);
    await eventually(() => expect(signals.length).toBe(before + 1));
    expect(signals.at(-1)?.aborted).toBe(false);
    socket.destroy();
    await eventually(() => expect(signals.at(-1)?.aborted).toBe(true));
  });

  it("refuses a body of 8 MiB, and takes one of 6", async () => {
    const server = await serve();
    const text = (mib: number): object => question({ text: "x".repeat(mib * 2 ** 20) });
    expect(await server.ask("/validate", text(8))).toMatchObject({
      status: 413,
      body: { message: "the body has more than 7340032 bytes", response: { uid: "" } },
    });
    expect((await server.ask("/mutate", text(6))).body.response).toEqual({
      uid: UID,
      allowed: true,
    });
  });

  it("answers beside a thousand connections that say nothing, or garbage", async () => {
    const server = await serve();
    await Promise.all(
      Array.from({ length: 1000 }, async (_, number) => {
        const socket = await silent(server);
        if (number % 3 === 0) socket.write("GET / HTTP/1.1\r\n\r\n");
        if (number % 3 === 1) socket.write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]));
      }),
    );
    expect((await server.ask("/validate", question())).status).toBe(200);
    await eventually(() =>
      expect(sockets.filter(({ closed }) => closed).length).toBeGreaterThanOrEqual(500),
    );
  });

  it("does not wait for connections on which no request has come, whoever reads them", async () => {
    const clock = new VirtualClock({ startMs: Date.now() });
    const server = await serve(clock);
    const connections = [await secure(server), await silent(server)];
    // Two looks later the first one is of node:http.
    for (let look = 0; look < 3; look++) await clock.advance(1000);
    connections.push(await secure(server));
    const closed = Promise.all(connections.map((socket) => once(socket, "close")));
    // The clock stands still: no limit of time ends them.
    await server.host.stop();
    await closed;
  });

  it("answers what was asked before it ends, and nothing after that", async () => {
    const server = await serve();
    const asked = server.ask("/validate", question({ how: "gate" }));
    await eventually(() => expect(atGate).toBe(1));
    const stopped = server.host.stop();
    const late = server.ask("/validate", question(), { agent: false, rejectUnauthorized: false });
    await expect(late).rejects.toThrow("ECONNREFUSED");
    gate.resolve();
    expect((await asked).body.response.allowed).toBe(true);
    await stopped;
  });

  it("is ready while its certificate is valid", async () => {
    const clock = new VirtualClock({ startMs: Date.now() });
    const server = await serve(clock);
    server.host.checkReady();
    await clock.advance(3_700_000);
    expect(() => {
      server.host.checkReady();
    }).toThrow(/^The certificate in .*tls\.crt expired on 20/);
    certificateIn(dirname(server.files.certFile), clock.now());
    await eventually(async () => {
      await clock.advance(10_000);
      server.host.checkReady();
    });
    await server.host.stop();
    expect(() => {
      server.host.checkReady();
    }).toThrow("the webhook server does not listen");
  });

  it("changes its certificate without a connection being lost", async () => {
    const clock = new VirtualClock({ startMs: Date.now() });
    const server = await serve(clock);
    const old = await secure(server);
    const first = old.getPeerCertificate().fingerprint;
    certificateIn(dirname(server.files.certFile), clock.now());
    await eventually(async () => {
      await clock.advance(10_000);
      expect((await secure(server)).getPeerCertificate().fingerprint).not.toBe(first);
    });
    old.write("GET /validate HTTP/1.1\r\nHost: a\r\n\r\n");
    const [answer] = (await once(old, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 405 /);
    // Files that do not fit together change nothing.
    writeFileSync(server.files.keyFile, "no key");
    await clock.advance(10_000);
    await eventually(() => expect(server.lines.join()).toContain("the old certificate stays"));
    expect((await server.ask("/validate", question())).status).toBe(200);
  });

  it("counts under controller-runtime's names, and only what has a handler", async () => {
    const server = await serve();
    await server.ask("/validate", question());
    await server.ask("/validate", "[]");
    await server.ask("/secret", question());
    const text = await server.registry.metrics();
    const [, counted] = /requests_total\{webhook="\/validate",code="200"\} (\d+)/.exec(text) ?? [];
    expect(counted).toBe("1");
    for (const series of [
      'controller_runtime_webhook_requests_total{webhook="/validate",code="400"} 1',
      'controller_runtime_webhook_requests_total{webhook="/mutate",code="500"} 0',
      'controller_runtime_webhook_requests_in_flight{webhook="/validate"} 0',
      'controller_runtime_webhook_latency_seconds_count{webhook="/validate"} 2',
      "controller_runtime_webhook_panics_total 0",
      "controller_runtime_conversion_webhook_panics_total 0",
    ]) {
      expect(text.split("\n")).toContain(series);
    }
    expect(text).not.toContain("/secret");
  });
});

describe("the server of conversions", () => {
  const review = (desiredAPIVersion: string, ...objects: unknown[]): object => ({
    kind: "ConversionReview",
    apiVersion: "apiextensions.k8s.io/v1",
    request: { uid: "u", desiredAPIVersion, objects },
  });
  const old = (width: number): object => ({
    apiVersion: "shop.example.com/v1alpha1",
    kind: "Widget",
    metadata: { name: `w-${width}`, uid: `uid-${width}` },
    spec: { width },
  });

  it("answers in the order of the objects, and with their failure when one fails", async () => {
    const server = await serve();
    const wanted = "shop.example.com/v1";
    const good = await server.ask(
      "/convert?timeout=30s",
      review(wanted, old(2), widget({}), old(1)),
    );
    expect(good.status).toBe(200);
    expect(good.body).toMatchObject({
      kind: "ConversionReview",
      apiVersion: "apiextensions.k8s.io/v1",
      response: { uid: "u", result: { status: "Success" } },
    });
    expect(good.body.response.convertedObjects).toEqual([
      { ...old(2), apiVersion: wanted, spec: { size: 2 } },
      widget({}),
      { ...old(1), apiVersion: wanted, spec: { size: 1 } },
    ]);
    const failed = await server.ask("/convert", review(wanted, old(2), old(13)));
    expect(failed).toMatchObject({
      status: 200,
      body: { response: { uid: "u", convertedObjects: [], result: { status: "Failure" } } },
    });
    expect(failed.body.response.result?.message).toContain("not thirteen");
    expect(server.lines.at(-1)).toContain("error the conversion failed: ");
  });

  it("logs a few failures a minute, however many there are", async () => {
    const server = await serve();
    for (let sent = 0; sent < 12; sent++) {
      await server.ask("/convert", review(`shop.example.com/v${sent + 10}`, old(sent)));
      const empty = Array.from({ length: sent }, () => old(1));
      await server.ask("/convert", review("shop.example.com/v1", ...empty, {}));
    }
    const about = (text: string) => server.lines.filter((line) => line.includes(text)).length;
    expect(about("the conversion failed")).toBe(5);
    expect(about("a request was refused")).toBe(5);
  });

  it("refuses what is no review", async () => {
    const server = await serve();
    const said = async (body: unknown): Promise<unknown> => {
      const { status, body: answer } = await server.ask("/convert", body);
      return [status, answer.message];
    };
    expect(await said(question())).toEqual([
      400,
      expect.stringContaining("not a ConversionReview"),
    ]);
    expect(await said(review(""))).toEqual([400, "the request has no desiredAPIVersion"]);
    expect(await said(review("v1", { kind: "Widget" }))).toEqual([
      400,
      "objects[0] has no apiVersion or kind",
    ]);
  });
});
