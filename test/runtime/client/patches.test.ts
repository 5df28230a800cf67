import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { addFinalizer } from "../../../src/runtime/client/finalizer.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import {
  jsonPatch,
  mergeFrom,
  mergePatch,
  strategicPatch,
} from "../../../src/runtime/client/patches.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { ScriptedTransport } from "../../../src/runtime/transport/scripted-transport.ts";
import { WIDGETS } from "../support/widgets.ts";
import { asRead } from "../../support/as-read.ts";

const KEY = { namespace: "d", name: "one" };
const read = asRead({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { ...KEY, uid: "u", resourceVersion: "7", labels: { a: "b" } },
});

function scripted() {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport(clock, Array(4).fill({ body: read }));
  const client = new LiveClient(new RestClient(transport, clock), { fieldManager: "test" });
  return { client, transport };
}

describe("a patch with an optimistic lock", () => {
  it.each([
    [
      "merge patch",
      mergePatch({ metadata: { labels: { a: "c" } } }),
      { metadata: { labels: { a: "c" }, resourceVersion: "7" } },
    ],
    [
      "strategic merge patch",
      strategicPatch({ spec: { replicas: 1 } }),
      { spec: { replicas: 1 }, metadata: { resourceVersion: "7" } },
    ],
    [
      "JSON patch",
      jsonPatch([{ op: "remove", path: "/spec" }]),
      [
        { op: "remove", path: "/spec" },
        { op: "add", path: "/metadata/resourceVersion", value: "7" },
      ],
    ],
  ])("names the version that was read: %s", async (_, patch, body) => {
    const { client, transport } = scripted();
    await client.patch(WIDGETS, KEY, patch, { optimisticLock: read });
    await client.subresource("scale").patch(WIDGETS, KEY, patch, { optimisticLock: read });
    expect(transport.seen.map((request) => request.body)).toEqual([body, body]);
    expect(transport.seen[0]?.query).toEqual({ fieldManager: "test" });
  });

  it("is refused without a version, and with that of another object, before anything is sent", async () => {
    const { client, transport } = scripted();
    const { resourceVersion, ...metadata } = read.metadata;
    const unread = asRead({ ...read, metadata });
    const lockless = { code: "lock-without-version" };
    await expect(
      client.patch(WIDGETS, KEY, mergePatch({}), { optimisticLock: unread }),
    ).rejects.toMatchObject(lockless);
    expect(() => mergeFrom(unread, read, { optimisticLock: true })).toThrow(
      expect.objectContaining(lockless),
    );
    await expect(addFinalizer(client, WIDGETS, unread, "x/y")).rejects.toMatchObject(lockless);
    for (const key of [
      { namespace: "d", name: "two" },
      { namespace: "e", name: "one" },
    ]) {
      await expect(
        client.patch(WIDGETS, key, mergePatch({}), { optimisticLock: read }),
      ).rejects.toMatchObject({ code: "lock-of-another-object" });
    }
    expect(resourceVersion).toBe("7");
    expect(transport.seen).toEqual([]);
  });
});

describe("a write", () => {
  it("of a client that only tries is a dry run, whatever the call says", async () => {
    const clock = new VirtualClock();
    const transport = new ScriptedTransport(clock, Array(9).fill({ body: read }));
    const client = new LiveClient(new RestClient(transport, clock), {
      fieldManager: "test",
      dryRun: true,
      fieldValidation: "Strict",
    });
    const options = { dryRun: false };
    await client.create(WIDGETS, { metadata: KEY }, options);
    await client.update(WIDGETS, read, options);
    await client.patch(WIDGETS, KEY, mergePatch({}), options);
    await client.apply(WIDGETS, { metadata: KEY }, options);
    await client.status.apply(WIDGETS, { metadata: KEY }, options);
    await client.subresource("scale").update(WIDGETS, KEY, {}, options);
    await addFinalizer(client, WIDGETS, read, "x/y", options);
    await client.delete(WIDGETS, KEY, options);
    await client.deleteAllOf(WIDGETS, { namespace: "d", ...options });
    const writes = transport.seen.slice(0, 7);
    expect(writes.map(({ query }) => [query["dryRun"], query["fieldValidation"]])).toEqual(
      Array(7).fill(["All", "Strict"]),
    );
    expect(transport.seen.slice(7).map(({ body }) => (body as { dryRun: unknown }).dryRun)).toEqual(
      [["All"], ["All"]],
    );
  });
});
