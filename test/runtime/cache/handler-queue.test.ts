/** What a slow handler hears: the last state of each object, and every end and beginning of one. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import { HandlerQueue } from "../../../src/runtime/cache/handler-queue.ts";
import { asRead } from "../../support/as-read.ts";

const widget = (name: string, version: number): KubeObject =>
  asRead({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { namespace: "d", name, resourceVersion: String(version) },
  });
const add = (name: string, version: number) =>
  ({ type: "add", object: widget(name, version), initial: false }) as const;
const update = (name: string, from: number, to: number) =>
  ({ type: "update", old: widget(name, from), object: widget(name, to) }) as const;
const remove = (name: string, version: number) =>
  ({ type: "delete", object: widget(name, version), tombstone: false }) as const;

/** A queue whose handler needs a second for each notification. */
function build() {
  const clock = new VirtualClock();
  const heard: string[] = [];
  const told =
    (what: string) =>
    (...objects: unknown[]): Promise<void> => {
      const versions = objects
        .filter((one) => typeof one === "object")
        .map((one) => (one as KubeObject).metadata.resourceVersion);
      const { name } = (objects[0] as KubeObject).metadata;
      heard.push(`${what} ${name}@${versions.join(">")}`);
      return clock.sleep(1000);
    };
  const handler = { onAdd: told("add"), onUpdate: told("update"), onDelete: told("delete") };
  const queue = new HandlerQueue(handler, silentLogger);
  queue.push(add("busy", 1));
  heard.length = 0;
  return { clock, heard, queue };
}

describe("what waits for a slow handler", () => {
  it("is merged by object: updates to one, from what was told last to what is", async () => {
    const { clock, heard, queue } = build();
    queue.push(update("a", 1, 2));
    queue.push(update("b", 1, 3));
    queue.push(update("a", 2, 4));
    expect(queue.length).toBe(2);
    await clock.advance(5000);
    expect(heard).toEqual(["update a@1>4", "update b@1>3"]);
  });

  it("has the end of each object that was told of before", async () => {
    const { clock, heard, queue } = build();
    queue.push(remove("a", 2));
    queue.push(update("b", 1, 3));
    queue.push(remove("b", 4));
    await clock.advance(5000);
    expect(heard).toEqual(["delete a@2", "update b@1>3", "delete b@4"]);
  });

  it("is nothing of an object that came and went meanwhile", async () => {
    const { clock, heard, queue } = build();
    queue.push(add("a", 2));
    queue.push(update("a", 2, 3));
    queue.push(remove("a", 4));
    queue.push(add("b", 5));
    await clock.advance(5000);
    expect(heard).toEqual(["add b@5"]);
  });

  it("is the end of one object and the beginning of the next of its name", async () => {
    const { clock, heard, queue } = build();
    queue.push(update("a", 1, 2));
    queue.push(remove("a", 3));
    queue.push(add("a", 4));
    queue.push(update("a", 4, 5));
    await clock.advance(5000);
    expect(heard).toEqual(["update a@1>2", "delete a@3", "add a@5"]);
  });

  it("is told of its beginning as soon as everything before it was", async () => {
    const { clock, heard, queue } = build();
    queue.push(update("a", 1, 2));
    let reached = false;
    queue.afterAll(() => {
      reached = true;
    });
    queue.push(update("a", 2, 3));
    await clock.advance(1500);
    expect([heard, reached]).toEqual([["update a@1>3"], false]);
    await clock.advance(1000);
    expect(reached).toBe(true);
  });
});
