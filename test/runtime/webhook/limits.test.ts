/** What clients can make the webhook server keep in memory, and how it says that it is too much. */
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock, VirtualClock } from "../../../src/clock.ts";
import {
  ConversionWebhook,
  type Converter,
  CustomResource,
  Resource,
  type Sent,
  type Unstored,
  ValidatingWebhook,
  type Validator,
} from "../../../src/index.ts";
import { deferred } from "../../../src/runtime/deferred.ts";
import { eventually } from "../../support/eventually.ts";
import { LIMITS, reviewOf, serveWebhooks, type TestServer } from "./support.ts";

@Resource({ group: "shop.example.com", version: "v1" })
class Widget extends CustomResource<{ how?: string; size?: number }> {}

@Resource({ group: "shop.example.com", version: "v1alpha1", kind: "Widget" })
class OldWidget extends CustomResource<{ width?: number }> {}

let gate = deferred();
let calls = 0;

@ValidatingWebhook(Widget, { path: "/validate" })
class WidgetValidator implements Validator<Widget> {
  validateCreate({ spec: { how } }: Unstored<Widget>): Promise<void> | void {
    calls++;
    if (how === "later") return gate.promise;
  }
}

@ConversionWebhook(Widget, OldWidget)
class WidgetConversion implements Converter<Widget, OldWidget> {
  toHub({ spec: { width } }: Sent<OldWidget>) {
    return { spec: width === undefined ? {} : { size: width } };
  }

  fromHub({ spec: { size } }: Sent<Widget>) {
    return { spec: size === undefined ? {} : { width: size } };
  }
}

const MIB = 2 ** 20;
const MEMORY =
  "Raise the memory limit of the container, which the heap follows in the scaffolded image, or set serverMemoryBytes of createManager.";

let server: TestServer;
const sockets: TLSSocket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  gate.resolve();
  gate = deferred();
  await server.stop();
});

async function serve(clock?: VirtualClock): Promise<void> {
  const limits = { ...LIMITS, requestsBytes: 8 * MIB };
  server = await serveWebhooks([new WidgetValidator(), new WidgetConversion()], clock, { limits });
  calls = 0;
}

const widget = (spec: object, version = "v1") => ({
  apiVersion: `shop.example.com/${version}`,
  kind: "Widget",
  metadata: { name: "w" },
  spec,
});
const question = (spec: object = {}): string => JSON.stringify(reviewOf({ object: widget(spec) }));
const conversion = (count: number): string => {
  const objects = Array.from({ length: count }, (_, width) => widget({ width }, "v1alpha1"));
  const request = { uid: "u", desiredAPIVersion: "shop.example.com/v1", objects };
  return JSON.stringify({
    kind: "ConversionReview",
    apiVersion: "apiextensions.k8s.io/v1",
    request,
  });
};

async function open(): Promise<{ socket: TLSSocket; said: () => string }> {
  const { port } = server;
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  socket.setNoDelay(true).on("error", () => undefined);
  sockets.push(socket);
  let said = "";
  socket.on("data", (part: Buffer) => (said += part.toString()));
  await once(socket, "secureConnect");
  return { socket, said: () => said };
}

const post = (path: string, body: string, ...headers: string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: a",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    "",
    body,
  ].join("\r\n");

const allows = async (): Promise<void> => {
  const answer = await server.ask("/validate", question());
  expect(answer.body.response.allowed).toBe(true);
};

describe("a body that is small, and large in memory", () => {
  const wide = (unit: string): string => `[${unit.repeat(2_000_000 / unit.length)}1]`;

  it.each([
    ["/validate", "{},"],
    ["/convert", "{},"],
    ["/validate", "[],"],
    ["/validate", '{"a":{}},'],
    ["/convert", '{"499":1},'],
  ])("is refused at %s before it is parsed: %s", async (path, unit) => {
    await serve();
    const shapes = [wide(unit), question({ how: "WIDE" }).replace('"WIDE"', wide(unit))];
    for (const body of shapes) {
      const answer = await server.ask(path, body);
      expect(answer).toMatchObject({
        status: 413,
        body: {
          kind: "Status",
          reason: "RequestEntityTooLarge",
          message: expect.stringMatching(
            /^the body of 200\d{4} bytes would take about \d+ MiB of memory, and one request can have 6 MiB$/,
          ) as string,
        },
      });
      await allows();
    }
    expect(calls).toBe(2);
    const [line, ...others] = server.lines.filter((one) => one.startsWith("warn"));
    expect(line).toContain(`A request to ${path} was refused: the body of 200`);
    expect(line).toContain(MEMORY);
    expect(others).toEqual([]);
  });

  it("is not unpacked when it is compressed", async () => {
    await serve();
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const answer = await server.ask("/validate", gzipSync("x".repeat(50 * MIB)), { headers });
    expect(answer.status).toBe(415);
    await allows();
  });

  it("of more bytes than fit is refused by its length, with the setting that changes it", async () => {
    await serve();
    const answer = await server.ask("/convert", conversion(30_000));
    expect(answer).toMatchObject({
      status: 413,
      body: { message: "the body has more than 2097152 bytes" },
    });
    expect(server.lines.at(-1)).toContain(MEMORY);
    expect((await server.ask("/convert", conversion(1500))).status).toBe(200);
  });
});

describe("the memory of all requests", () => {
  // About a megabyte each, as long as the handler is at work.
  const large = question({ how: "later" }).replace(
    '"later"',
    `"later","text":"${"x".repeat(350_000)}"`,
  );

  it.each([
    ["reads it itself", []],
    ["leaves it to node:http", ["X-Odd: a"]],
  ])(
    "that is taken is said so with a 503 that API servers repeat, when the server %s",
    async (_, headers) => {
      await serve();
      const connections = await Promise.all(Array.from({ length: 12 }, open));
      for (const { socket } of connections) socket.write(post("/validate", large, ...headers));
      await eventually(() => {
        const refused = connections.filter(({ said }) => said() !== "");
        expect(refused.length + calls).toBe(12);
      });
      const refused = connections.filter(({ said }) => said() !== "");
      expect(calls).toBe(5);
      for (const { said } of refused) {
        expect(said()).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
        expect(said()).toMatch(/\r\nRetry-After: 1\r\n/i);
        expect(said()).toContain("the requests that are under way take all 8 MiB");
      }
      expect(server.lines.filter((line) => line.startsWith("warn"))).toEqual([
        expect.stringContaining("the requests that are under way take all 8 MiB"),
      ]);
      // Small ones have memory of their own.
      await allows();
      gate.resolve();
      await eventually(() =>
        expect(connections.filter(({ said }) => said().includes('"allowed":true')).length).toBe(5),
      );
      gate = deferred();
      const [{ socket, said } = connections[0]!] = refused;
      const before = said().length;
      gate.resolve();
      socket.write(post("/validate", large, ...headers));
      await eventually(() => expect(said().slice(before)).toContain('"allowed":true'));
    },
  );

  it("that half bodies hold is given to others after a while", async () => {
    const clock = new VirtualClock({ startMs: Date.now() });
    await serve(clock);
    const half = post("/convert", "x".repeat(2_000_000)).slice(0, 1_500_000);
    const held = await Promise.all(Array.from({ length: 6 }, open));
    for (const { socket } of held) socket.write(half);
    await eventually(async () => {
      // Those of the direct path are left to node:http.
      await clock.advance(1000);
      const answer = await server.ask("/convert", conversion(3000));
      expect(answer.status).toBe(200);
    });
    await allows();
  });

  it("that answers hold which nobody takes is given to others after a while", async () => {
    const clock = new VirtualClock({ startMs: Date.now() });
    await serve(clock);
    const held = await Promise.all(Array.from({ length: 8 }, open));
    for (const { socket } of held) {
      socket.removeAllListeners("data").pause();
      // Much more than the kernel keeps of it.
      const asked = post("/convert", conversion(3000));
      for (let again = 0; again < 20; again++) socket.write(asked);
    }
    await systemClock.sleep(200);
    await eventually(async () => {
      await clock.advance(1000);
      expect((await server.ask("/convert", conversion(3000))).status).toBe(200);
    });
    await allows();
  });

  it("is all given back", async () => {
    await serve();
    for (const body of [question(), "[", "{}", large, conversion(2000), "x".repeat(3 * MIB)]) {
      for (const path of ["/validate", "/convert", "/nowhere"]) {
        const { socket, said } = await open();
        gate.resolve();
        socket.write(post(path, body, ...(path === "/convert" ? ["X-Odd: a"] : [])));
        await eventually(() => expect(said()).toMatch(/^HTTP\/1\.1 \d/));
        const { socket: gone } = await open();
        gone.write(post(path, body).slice(0, 200_000));
        gone.destroy();
      }
    }
    for (const socket of sockets) socket.destroy();
    // All that one request can have.
    await eventually(async () => {
      expect((await server.ask("/convert", conversion(3000))).status).toBe(200);
      expect(server.host.memory?.takenBytes).toBe(0);
    });
  });
});
