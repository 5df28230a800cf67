import { expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import type { Logger } from "../../../src/log.ts";
import { TrustLog } from "../../../src/runtime/manager/trust-log.ts";
import { OperatorMetrics } from "../../../src/runtime/metrics/metrics.ts";

const DAY_MS = 24 * 3_600_000;

function build() {
  const clock = new VirtualClock();
  const lines: [level: string, fields: object, message: string][] = [];
  const line =
    (level: string) =>
    (first: object | string, second = ""): void => {
      if (typeof first === "string") lines.push([level, {}, first]);
      else lines.push([level, first, second]);
    };
  const log: Logger = {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    child: () => log,
  };
  const metrics = new OperatorMetrics(clock);
  const trust = new TrustLog({ log, metrics, clock, cluster: "" });
  const issue = (days: number, file = "/certs/client.crt") => ({
    what: "client-certificate" as const,
    file,
    validFromMs: clock.now(),
    validUntilMs: clock.now() + days * DAY_MS,
  });
  return { clock, lines, metrics, trust, issue };
}

it("logs and counts each renewal once, with what it is and until when it is valid", async () => {
  const { clock, lines, metrics, trust, issue } = build();
  trust.used(issue(100), false);
  expect(lines).toEqual([]);
  const next = issue(200);
  trust.used(next, true);
  const validUntil = new Date(next.validUntilMs).toISOString();
  expect(lines).toEqual([
    ["info", { file: "/certs/client.crt", validUntil }, "the client certificate was renewed"],
  ]);
  const text = await metrics.registry.metrics();
  expect(text).toContain('tsop_trust_renewals_total{what="client-certificate",cluster=""} 1');
  expect(text).toContain(
    `tsop_certificate_expiration_timestamp_seconds{certificate="client-certificate",cluster=""} ${(clock.now() + 200 * DAY_MS) / 1000}`,
  );
});

it("warns once of a certificate that expires soon and is not renewed", async () => {
  const { clock, lines, trust, issue } = build();
  trust.used(issue(100), false);
  await clock.advance(89 * DAY_MS);
  expect(lines).toEqual([]);
  await clock.advance(2 * DAY_MS);
  const [first] = lines;
  expect(first).toEqual([
    "warn",
    expect.objectContaining({ file: "/certs/client.crt" }),
    expect.stringMatching(
      /^the client certificate expires on .* and was not renewed: put a new one into \/certs\/client\.crt; it is read without a restart\.$/,
    ),
  ]);
  await clock.advance(20 * DAY_MS);
  expect(lines).toHaveLength(1);
  // The next one has a warning of its own.
  trust.used(issue(10), true);
  await clock.advance(9.5 * DAY_MS);
  expect(lines.map(([level]) => level)).toEqual(["warn", "info", "warn"]);
});

it("reports files that cannot be used, and when they can again", () => {
  const { lines, trust } = build();
  trust.unusable("/ca.crt does not exist");
  trust.unusable(undefined);
  expect(lines.map(([level, , message]) => [level, message])).toEqual([
    ["warn", expect.stringContaining("/ca.crt does not exist. The earlier content stays in use")],
    ["info", expect.stringContaining("can be used")],
  ]);
});
