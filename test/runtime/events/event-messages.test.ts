/** Events are for people who may not read what they are about: short, and without values. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { TsopError } from "../../../src/errors.ts";
import { failure } from "../../../src/kube/status.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { Client } from "../../../src/runtime/client/client.ts";
import { EventBroadcaster } from "../../../src/runtime/events/recorder.ts";
import { asRead } from "../../support/as-read.ts";
import { keptLog } from "../../logging/support.ts";

const WEB = asRead<KubeObject>({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    namespace: "d",
    name: "web",
    uid: "1",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
});

/** Events at a server that answers so. */
function start(answer: (event: { message: string }) => Promise<unknown>) {
  const sent: string[] = [];
  const create = (_: unknown, event: { message: string }): Promise<unknown> => {
    sent.push(event.message);
    return answer(event);
  };
  const { log, entries } = keptLog("json", "info");
  const patch = (_: unknown, key: unknown, { body }: { body: { message: string } }) =>
    create(key, body);
  const client = { create, patch } as unknown as Client;
  return { events: new EventBroadcaster(client, new VirtualClock(), log), sent, entries };
}

describe("an event", () => {
  it("is cut at 1 kB, with a mark of how much was cut", async () => {
    const { events, sent } = start((event) => Promise.resolve(event));
    for (let count = 0; count < 12; count++) {
      const message = `${count} ${"ß".repeat(5000)}`;
      events.recorder("web").event(WEB, { type: "Warning", reason: "Broken", message });
    }
    await events.flush();
    expect(sent).toHaveLength(12);
    for (const message of sent) expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
    expect(sent.at(-1)).toMatch(
      /^\(combined from similar events\): .*\.\.\. \(4\d{3} more characters\)$/,
    );
  });

  it("that cannot be sent is told, hundreds of them on a few lines", async () => {
    const { events, entries } = start(() => Promise.reject(failure(403, "Forbidden", "no")));
    for (let count = 0; count < 500; count++) {
      const object = {
        ...WEB,
        metadata: { ...WEB.metadata, name: `web-${count}`, uid: `${count}` },
      };
      events.recorder("web").event(object, { type: "Normal", reason: "Done", message: "done" });
    }
    await events.flush();
    expect(entries().length).toBeGreaterThan(0);
    expect(entries().length).toBeLessThanOrEqual(5);
  });
});

describe("the message of a failure", () => {
  it.each([
    [
      'data[.a]: Invalid value: "hunter2": must be a key',
      "data[.a]: Invalid value: (hidden): must be a key",
    ],
    [
      '[data.a: Invalid value: "hun\\"ter2": no, type: Unsupported value: "hunter2": supported values: "Opaque"]',
      '[data.a: Invalid value: (hidden): no, type: Unsupported value: (hidden): supported values: "Opaque"]',
    ],
    ['data: Invalid value: {"a":"hunter2"}: no', "data: Invalid value: (hidden): no"],
  ])("of a Secret has no refused values: %s", (message, shown) => {
    const error = failure(422, "Invalid", message, { name: "pw", kind: "Secret" });
    expect(error.message).toBe(shown);
    expect(error.message).not.toContain("hunter2");
    expect(error.status.message).toBe(message);
    expect(failure(422, "Invalid", message, { name: "pw", kind: "Pod" }).message).toBe(message);
  });

  it("that ends with that of another error has one period", () => {
    const other = "no answer.";
    expect(new TsopError("a", `It failed: ${other}.`, "").message).toBe("It failed: no answer.");
    expect(new TsopError("a", "It waits...", "").message).toBe("It waits...");
  });
});
