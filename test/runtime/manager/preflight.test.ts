import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger, type Logger } from "../../../src/log.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { Preflight } from "../../../src/runtime/manager/preflight.ts";
import {
  ScriptedTransport,
  type Reply,
} from "../../../src/runtime/transport/scripted-transport.ts";
import { refusal, WIDGETS } from "../support/widgets.ts";

const allowed = (is: boolean): Reply => ({ body: { status: { allowed: is } } });
const served: Reply = {
  body: { resources: [{ name: "widgets", kind: "Widget", namespaced: true }] },
};

function start(replies: readonly Reply[]) {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport(clock, replies);
  const lines: string[] = [];
  const log: Logger = {
    ...silentLogger,
    error: (line: object | string) => void lines.push(line as string),
    info: (line: object | string) => void lines.push(line as string),
  };
  const preflight = new Preflight({
    client: new LiveClient(new RestClient(transport, clock), { fieldManager: "test" }),
    clock,
    log,
    planned: () => [{ resource: WIDGETS, namespace: "d", verbs: ["list", "watch"] }],
  });
  const stop = new AbortController();
  return { clock, transport, lines, preflight, stop, running: preflight.start(stop.signal) };
}

describe("the preflight", () => {
  it("names the missing right and the rule to add, and ends when it is given", async () => {
    const { clock, transport, lines, preflight, running } = start([
      ...[allowed(true), allowed(false), served],
      ...[allowed(true), allowed(true)],
    ]);
    await clock.advance(1);
    expect(transport.seen[0]?.body).toMatchObject({
      kind: "SelfSubjectAccessReview",
      spec: {
        resourceAttributes: {
          verb: "list",
          group: "example.com",
          resource: "widgets",
          namespace: "d",
        },
      },
    });
    expect(lines).toEqual([
      expect.stringMatching(
        /^The operator is not allowed to watch widgets\.example\.com in d\. Put @Rbac\(\{ groups: \["example\.com"\], resources: \["widgets"\], verbs: \["list", "watch"\] \}\)/,
      ),
    ]);
    await clock.advance(15_000);
    await running;
    expect(lines.at(-1)).toBe("nothing is missing any more");
    await preflight.check();
    expect(clock.pending).toBe(0);
  });

  it("names a kind that is not served; who asks for the readiness learns at once that it is there", async () => {
    const { clock, lines, preflight, stop, running } = start([
      ...[allowed(true), allowed(true), refusal(404, "NotFound")],
      ...[allowed(true), allowed(true), refusal(404, "NotFound")],
      ...[allowed(true), allowed(true), served],
    ]);
    await clock.advance(1);
    expect(lines).toEqual([
      expect.stringContaining(
        "does not serve Widget of example.com/v1. Check the spelling, and install the CRD",
      ),
    ]);
    await expect(preflight.check()).rejects.toThrow("does not serve Widget");
    await preflight.check();
    stop.abort();
    await running;
  });

  it("has no opinion where the server gives no answer", async () => {
    const { clock, lines, preflight, running } = start([
      refusal(403, "Forbidden"),
      refusal(500, "InternalError"),
    ]);
    await clock.advance(1);
    await running;
    expect(lines).toEqual([]);
    await preflight.check();
  });
});
