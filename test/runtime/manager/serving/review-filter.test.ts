/** Which tokens are reviewed by the API server, and how often. */
import { beforeEach, describe, expect, it } from "vitest";
import { settlePromises, VirtualClock } from "../../../../src/clock.ts";
import type { Client } from "../../../../src/runtime/client/client.ts";
import { cannotBeValid } from "../../../../src/runtime/serving/bearer-token.ts";
import { ReviewFilter } from "../../../../src/runtime/serving/review-filter.ts";
import type { Logger } from "../../../../src/log.ts";

let clock: VirtualClock;
let reviewed: string[];
let lines: string[];
let filter: ReviewFilter;
let valid: Set<string>;

beforeEach(() => {
  clock = new VirtualClock();
  reviewed = [];
  lines = [];
  valid = new Set(["scraper"]);
  const line = (_: object | string, message = ""): void => void lines.push(message);
  const log: Logger = { debug: line, info: line, warn: line, error: line, child: () => log };
  const client = {
    async create({ kind }: { kind: string }, { spec }: { spec: { token: string } }) {
      await settlePromises();
      if (kind === "SubjectAccessReview") return { status: { allowed: true } };
      reviewed.push(spec.token);
      return { status: { authenticated: valid.has(spec.token), user: { username: spec.token } } };
    },
  } as unknown as Client;
  filter = new ReviewFilter(client, clock, log);
});

const check = (token: string, remoteAddress = "10.0.0.1"): Promise<number> =>
  filter.check({ authorization: `Bearer ${token}`, remoteAddress, path: "/metrics" });

async function flood(addressOf: (at: number) => string): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (let at = 0; at < 3000; at++) {
    const status = await check(`unknown-${clock.now()}-${at}`, addressOf(at));
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

describe("reviews of tokens", () => {
  it("have a rate for each address, and the log tells it once", async () => {
    expect(await flood(() => "10.0.0.9")).toEqual({ 401: 5, 429: 2995 });
    expect(lines).toEqual([expect.stringMatching(/unknown token from 10\.0\.0\.9 .* with 429/)]);
    // Others are not kept out.
    expect(await check("scraper")).toBe(200);
    await clock.advance(10_000);
    expect(await flood(() => "10.0.0.9")).toEqual({ 401: 5, 429: 2995 });
  });

  it("have a rate for all addresses together", async () => {
    expect(await flood((at) => `10.1.${at >> 8}.${at & 255}`)).toEqual({ 401: 20, 429: 2980 });
    expect(reviewed.length).toBe(20);
  });

  it("go on for a token that was good, whatever comes in", async () => {
    expect(await check("scraper")).toBe(200);
    for (let minute = 0; minute < 5; minute++) {
      await flood((at) => `10.1.${at >> 8}.${at & 255}`);
      expect(await check("scraper")).toBe(200);
      await clock.advance(61_000);
    }
    await flood((at) => `10.1.${at >> 8}.${at & 255}`);
    expect(await check("scraper")).toBe(200);
    valid.delete("scraper");
    await clock.advance(61_000);
    expect(await check("scraper")).toBe(401);
    await flood(() => "10.0.0.1");
    // It is like any other from then on.
    await clock.advance(61_000);
    await flood(() => "10.0.0.1");
    expect(await check("scraper")).toBe(429);
  });

  it("are one for requests at the same time, and for later ones with the same token", async () => {
    const asked = Array.from({ length: 50 }, () => check("unknown"));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([401]));
    expect(await check("unknown")).toBe(401);
    expect(reviewed).toEqual(["unknown"]);
  });
});

describe("a token that no API server accepts", () => {
  const NOW_MS = Date.parse("2026-06-01T00:00:00Z");
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const jwt = (claims: unknown, header: unknown = { alg: "RS256" }, signature = "c2ln"): string =>
    `${part(header)}.${part(claims)}.${signature}`;
  const seconds = NOW_MS / 1000;

  it.each([
    ["one that has expired", jwt({ exp: seconds - 3600 })],
    ["one that is not valid yet", jwt({ nbf: seconds + 3600 })],
    ["one without a signature", jwt({ exp: seconds + 60 }, { alg: "RS256" }, "")],
    ["one that says that it has none", jwt({ exp: seconds + 60 }, { alg: "none" })],
    ["one without claims", `${part({ alg: "RS256" })}.e30x.c2ln`],
    ["one whose claims are a list", jwt([])],
  ])("is not reviewed: %s", async (_, token) => {
    expect(cannotBeValid(token, NOW_MS)).toBe(true);
    await clock.advance(NOW_MS - clock.now());
    expect(await check(token)).toBe(401);
    expect(reviewed).toEqual([]);
  });

  it.each([
    ["one that has just expired, by a clock that is fast", jwt({ exp: seconds - 60 })],
    ["one without times", jwt({ sub: "a" })],
    ["texts of other forms", "abcdef.0123456789abcdef"],
    ["a text with two dots", "a.b.c"],
    ["a text that begins as JSON", `${part({ a: 1 })}.b.c`],
  ])("is not taken for one: %s", (_, token) => {
    expect(cannotBeValid(token, NOW_MS)).toBe(false);
  });
});
