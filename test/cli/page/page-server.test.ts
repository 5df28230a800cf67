/** To whom the page is served, and what comes with it. */
import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { PageServer } from "../../../src/cli/page/page-server.ts";
import type { PageMessage } from "../../../src/cli/page/protocol.ts";
import { VirtualClock } from "../../../src/testing.ts";

const FILES = new URL("../../../src/page/", import.meta.url);
const STARTING: PageMessage = { type: "operator", operator: { state: "unknown" } };

let clock: VirtualClock;
let server: PageServer;
let looking: AbortSignal[];

beforeEach(async () => {
  clock = new VirtualClock();
  looking = [];
  server = new PageServer({
    files: FILES,
    clock,
    model: {
      look(listener, signal) {
        looking.push(signal);
        listener(STARTING);
      },
    },
  });
  await server.start();
});
afterEach(() => server.stop());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Of a stream, what comes first. */
  readonly text: string;
}

/** A request with headers that `fetch` does not let anybody set. */
function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(`${origin()}${path}`, { method, headers }, (response) => {
      response.once("data", (chunk: Buffer) => {
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, text: chunk.toString() });
        response.destroy();
      });
    });
    asked.on("error", reject).end();
  });
}

const origin = (): string => server.url.replace(/\/#.*/, "");
const secretOf = (url: string): string => url.replace(/.*#/, "");
const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });

describe("the page's server", () => {
  it("gives the files to a browser here, with a policy that lets nothing in from elsewhere", async () => {
    const { status, headers, text } = await ask("/");
    expect(status).toBe(200);
    expect(text).toContain('<div id="page">');
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
  });

  it("tells what it knows to who has the token, and to nobody else", async () => {
    expect((await ask("/stream")).status).toBe(401);
    expect((await ask("/stream", bearer("x".repeat(32)))).status).toBe(401);
    expect(looking).toEqual([]);
    const told = await ask("/stream", bearer(secretOf(server.url)));
    expect(told.status).toBe(200);
    expect(JSON.parse(told.text)).toEqual(STARTING);
  });

  it("has the token behind the # of its address, where no server and no referrer sees it", () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#[\w-]{32}$/);
  });

  it("ends what it tells of when nobody reads it any more", async () => {
    await ask("/stream", bearer(secretOf(server.url)));
    await eventually(() => expect(looking[0]?.aborted).toBe(true));
  });

  it("lets a ticket in once, and not after a minute", async () => {
    const ticket = secretOf(server.ticketUrl());
    expect((await ask("/stream", bearer(ticket))).status).toBe(401);
    const first = await ask("/session", bearer(ticket), "POST");
    expect(JSON.parse(first.text)).toEqual({ token: secretOf(server.url) });
    expect((await ask("/session", bearer(ticket), "POST")).status).toBe(401);
    const late = secretOf(server.ticketUrl());
    await clock.advance(60_000);
    expect((await ask("/session", bearer(late), "POST")).status).toBe(401);
    expect((await ask("/session", bearer(secretOf(server.url)), "POST")).status).toBe(200);
  });

  it.each([
    ["another name that resolves to here", { host: "evil.example" }],
    ["another port of here", { host: "127.0.0.1:1" }],
    ["a page of a stranger", { origin: "http://evil.example" }],
    ["a page of another port of here", { origin: "http://127.0.0.1:1" }],
    ["a page without an origin", { origin: "null" }],
  ])("refuses %s, even with the token", async (_who, headers: Record<string, string>) => {
    const sent = { ...bearer(secretOf(server.url)), ...headers };
    for (const path of ["/", "/page.css", "/stream"]) {
      expect((await ask(path, sent)).status).toBe(403);
    }
    expect((await ask("/session", sent, "POST")).status).toBe(403);
  });

  it("takes requests of its own page, by both names of this machine", async () => {
    const { port } = new URL(origin());
    const sent = { host: `localhost:${port}`, origin: `http://localhost:${port}` };
    expect((await ask("/stream", { ...bearer(secretOf(server.url)), ...sent })).status).toBe(200);
  });

  it("knows no other paths and methods", async () => {
    for (const path of ["/main.tsx", "/../package.json", "/%2e%2e/package.json", "/__proto__"]) {
      expect((await ask(path)).status).toBe(404);
    }
    const posted = await ask("/stream", bearer(secretOf(server.url)), "POST");
    expect(posted).toMatchObject({ status: 405, headers: { allow: "GET" } });
    expect((await ask("/session", bearer(secretOf(server.url)))).status).toBe(405);
  });
});
