import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { EventCorrelator, type CoreEvent } from "../../../src/runtime/events/correlator.ts";
import { EventBroadcaster } from "../../../src/runtime/events/recorder.ts";
import { describeShared, sharedPath } from "../../support/shared.ts";
import { printShare } from "../support/print-share.ts";
import {
  ScriptedTransport,
  type Reply,
} from "../../../src/runtime/transport/scripted-transport.ts";
import { asRead } from "../../support/as-read.ts";

interface Step {
  stepMs?: number;
  object?: string;
  type?: string;
  reason?: string;
  message?: string;
  result?: unknown;
}

function eventOf(step: Step, nowMs: number): CoreEvent {
  const timestamp = new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z");
  const name = step.object ?? "";
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name}.${nowMs.toString(16)}`, namespace: "d" },
    involvedObject: { apiVersion: "example.com/v1", kind: "Widget", namespace: "d", name },
    source: { component: "controller" },
    type: step.type ?? "",
    reason: step.reason ?? "",
    message: step.message ?? "",
    count: 1,
    firstTimestamp: timestamp,
    lastTimestamp: timestamp,
  };
}

describeShared("traces", "the correlator against client-go's, event by event", () => {
  const cases = JSON.parse(readFileSync(sharedPath("traces", "events.json"), "utf8")) as {
    name: string;
    steps: Step[];
  }[];

  let equal = 0;

  afterAll(() => {
    printShare("event traces", equal, cases.length);
  });

  it.each(cases)("$name", async ({ steps }) => {
    const clock = new VirtualClock();
    const correlator = new EventCorrelator(clock);
    for (const step of steps) {
      if (step.stepMs !== undefined) {
        await clock.advance(step.stepMs);
        continue;
      }
      const correlated = correlator.correlate(eventOf(step, clock.now()));
      if (!correlated) {
        expect(step.result).toBe("dropped");
        continue;
      }
      const { count, firstTimestamp, lastTimestamp, message } = correlated.event;
      expect({
        count,
        firstTimestamp,
        lastTimestamp,
        message,
        patched: correlated.patch !== undefined,
        ...(correlated.patch ? { patch: correlated.patch } : {}),
      }).toEqual(step.result);
    }
    equal++;
  });
});

describe("EventBroadcaster", () => {
  const web = asRead({
    apiVersion: "example.com/v1",
    kind: "Web",
    metadata: { name: "one", namespace: "d", uid: "u-1" },
  });
  const note = { type: "Normal", reason: "Made", message: "made it" } as const;
  const stored = (count: number): Reply => ({
    body: { ...eventOf({ object: "one" }, 0), count },
  });
  const gone: Reply = { status: 404, body: "404 page not found" };

  function build(replies: readonly Reply[]) {
    const clock = new VirtualClock();
    const transport = new ScriptedTransport(clock, replies);
    const client = new LiveClient(new RestClient(transport, clock), { fieldManager: "test" });
    return { clock, transport, events: new EventBroadcaster(client, clock, silentLogger) };
  }

  it("sends an event once, and counts it up when it comes again", async () => {
    const { clock, transport, events } = build([stored(1), stored(2)]);
    const recorder = events.recorder("web-controller");
    recorder.event(web, note);
    await clock.advance(1000);
    recorder.event(web, note);
    await clock.advance(1000);
    expect(transport.seen.map(({ method, body }) => [method, (body as CoreEvent).count])).toEqual([
      ["POST", 1],
      ["PATCH", 2],
    ]);
  });

  it("makes the event anew when the one to count up is gone", async () => {
    const { clock, transport, events } = build([stored(1), gone, stored(2)]);
    const recorder = events.recorder("web-controller");
    recorder.event(web, note);
    recorder.event(web, note);
    await clock.advance(1000);
    expect(transport.seen.map(({ method }) => method)).toEqual(["POST", "PATCH", "POST"]);
  });

  it("tries again while the server is away, and ends at once with the manager", async () => {
    const { clock, transport, events } = build([{ reset: true }, { reset: true }, { reset: true }]);
    events.recorder("web-controller").event(web, note);
    await clock.advance(10_000);
    expect(transport.seen.length).toBe(2);
    await events.flush();
    expect(transport.seen.length).toBe(3);
    expect(clock.pending).toBe(0);
  });
});
