import { describe, expect, it } from "vitest";
import { type BookmarkMemory, watchEvents } from "../../../src/runtime/rest/watch-events.ts";
import { ConnectionError } from "../../../src/runtime/transport/transport.ts";

const line = (type: string, version: number): string =>
  `${JSON.stringify({
    type,
    object: {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { resourceVersion: String(version) },
    },
  })}\n`;

function watchOf(chunks: readonly (string | Error)[], bookmarks?: BookmarkMemory) {
  let cancelled = 0;
  const cancel = (): void => {
    cancelled++;
  };
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) {
      await Promise.resolve();
      if (chunk instanceof Error) throw chunk;
      yield Buffer.from(chunk);
    }
  }
  const response = { status: 200, headers: {}, body: body(), cancel };
  const events = watchEvents(response, { withoutManagedFields: false, bookmarks });
  return { events, cancelled: () => cancelled };
}

async function read(chunks: readonly (string | Error)[]): Promise<string[][]> {
  const batches: string[][] = [];
  for await (const batch of watchOf(chunks).events) {
    batches.push(batch.map(({ type, object }) => `${type} ${object.metadata.resourceVersion}`));
  }
  return batches;
}

describe("watchEvents", () => {
  it("gives each bookmark of a quiet watch, although it says what the last one said", async () => {
    const same = line("BOOKMARK", 7);
    expect(await read([same, same, line("ADDED", 8), same, line("BOOKMARK", 9), same])).toEqual([
      ["BOOKMARK 7"],
      ["BOOKMARK 7"],
      ["ADDED 8"],
      ["BOOKMARK 7"],
      ["BOOKMARK 9"],
      ["BOOKMARK 7"],
    ]);
  });

  it("remembers the last bookmark for the next watch of the kind, and gives it there as well", async () => {
    const bookmarks = {};
    for (const versions of [[7, 7], [7, 8], [8]]) {
      const seen: string[] = [];
      for await (const batch of watchOf(
        versions.map((version) => line("BOOKMARK", version)),
        bookmarks,
      ).events) {
        seen.push(...batch.map(({ object }) => object.metadata.resourceVersion));
      }
      expect(seen).toEqual(versions.map(String));
    }
  });

  it("does not take the end of a line for a bookmark that came before", async () => {
    const bookmark = line("BOOKMARK", 7);
    const half = line("ADDED", 8);
    expect(await read([bookmark, half.slice(0, 20), half.slice(20) + bookmark, bookmark])).toEqual([
      ["BOOKMARK 7"],
      ["ADDED 8", "BOOKMARK 7"],
      ["BOOKMARK 7"],
    ]);
  });

  it("gives what came before an error, then throws it, once", async () => {
    const { events, cancelled } = watchOf([line("ADDED", 8) + "no JSON\n", line("ADDED", 9)]);
    const iterator = events[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toHaveLength(1);
    await expect(iterator.next()).rejects.toThrow("unable to decode an event");
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(cancelled()).toBe(1);
  });

  it("ends where the connection breaks", async () => {
    const broken = new ConnectionError("reset", "https://server", "cut");
    expect(await read([line("ADDED", 8), broken])).toEqual([["ADDED 8"]]);
    await expect(read([line("ADDED", 8), new Error("a defect")])).rejects.toThrow("a defect");
  });

  it("answers those who do not wait for one another in their order", async () => {
    const { events } = watchOf([line("ADDED", 1), line("ADDED", 2)]);
    const iterator = events[Symbol.asyncIterator]();
    const results = await Promise.all([iterator.next(), iterator.next(), iterator.next()]);
    const versions = results.map(({ value }) => value?.[0]?.object.metadata.resourceVersion);
    expect(versions).toEqual(["1", "2", undefined]);
  });
});
