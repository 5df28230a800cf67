/** However an answer comes in parts, and whoever reads it, all of its bytes come in their order. */
import { describe, expect, it } from "vitest";
import { AnswerBody } from "../../../src/runtime/transport/answer-body.ts";

const PARTS = Array.from({ length: 2500 }, (_, index) => Buffer.alloc(4000, index % 251));
const ALL = Buffer.concat(PARTS);

function bodyOf(parts: readonly Buffer[]) {
  const calls: string[] = [];
  const body = new AnswerBody({
    pause: () => calls.push("pause"),
    resume: () => calls.push("resume"),
    giveUp: () => calls.push("give up"),
  });
  for (const part of parts) body.push(part);
  return { body, calls };
}

describe("AnswerBody", () => {
  it("is one piece of memory, to who waits for it and to who comes later", async () => {
    const { body } = bodyOf(PARTS.slice(0, 10));
    const waiting = body.whole();
    for (const part of PARTS.slice(10)) body.push(part);
    body.end();
    expect(ALL.equals(await waiting)).toBe(true);

    const late = bodyOf(PARTS).body;
    late.end();
    expect(ALL.equals(await late.whole())).toBe(true);
  });

  it("is a stream of all that came before and comes behind", async () => {
    const { body } = bodyOf(PARTS.slice(0, 1500));
    const seen: Uint8Array[] = [];
    const reading = (async () => {
      for await (const piece of body) seen.push(piece);
    })();
    for (const part of PARTS.slice(1500)) body.push(part);
    body.end();
    await reading;
    expect(ALL.equals(Buffer.concat(seen))).toBe(true);
  });

  it("lets the server wait while nobody reads", () => {
    expect(bodyOf(PARTS.slice(0, 10)).calls).toEqual([]);
    expect(bodyOf(PARTS.slice(0, 20)).calls).toContain("pause");
  });
});
