/** Which bodies of writes are kept: fields are named only of those. */
import { expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { type Change, OwnWrites } from "../../../src/runtime/controller/own-writes.ts";

const CHARACTERS = 200_000;

/** Writes another text to an object each time, often enough that it is suspected. */
function writeTo(writes: OwnWrites, name: string, characters = CHARACTERS): Change {
  let change: Change | undefined;
  for (let count = 0; count < 8; count++) {
    const page = String(count).padStart(characters, "x");
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { page } };
    change = writes.note({
      by: { controller: "web", key: `d/${name}` },
      request: { method: "PUT", path: `/api/v1/namespaces/d/configmaps/${name}`, body },
      content: JSON.stringify(body),
      answer: {},
      before: undefined,
    });
  }
  return change!;
}

it("bodies of all objects together have a limit, at the cost of the oldest", () => {
  const writes = new OwnWrites(new VirtualClock());
  const first = writeTo(writes, "first");
  expect(writes.varying(first)).toEqual(["data.page"]);
  for (let count = 0; count < 20; count++) writeTo(writes, `c${count}`);
  const last = writeTo(writes, "last");
  expect(writes.varying(first)).toEqual([]);
  expect(writes.varying(last)).toEqual(["data.page"]);
});

it("a body is kept no longer than the writes are compared, also of an object that is not written again", async () => {
  const clock = new VirtualClock();
  const writes = new OwnWrites(clock);
  const first = writeTo(writes, "first", 10);
  await clock.advance(121_000);
  expect(writes.varying(first)).toEqual(["data.page"]);
  writeTo(writes, "second", 10);
  expect(writes.varying(first)).toEqual([]);
});
