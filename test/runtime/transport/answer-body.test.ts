/** However an answer comes in parts, and whoever reads it, all of its bytes come in their order. */
import { describe, expect, it } from "vitest";
import { settlePromises } from "../../../src/clock.ts";
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
      for await (const piece of body) seen.push(Buffer.from(piece));
    })();
    for (const part of PARTS.slice(1500)) body.push(part);
    body.end();
    await reading;
    expect(ALL.equals(Buffer.concat(seen))).toBe(true);
  });

  it("lets the server wait when the reader is slow, and goes on when he has read all", async () => {
    const { body, calls } = bodyOf([]);
    const reader = body[Symbol.asyncIterator]();
    const first = reader.next();
    for (const part of PARTS.slice(0, 300)) body.push(part);
    await first;
    expect([...new Set(calls)]).toEqual(["resume", "pause"]);
    const resumes = calls.length;
    let next = reader.next();
    for (let piece = 0; piece < 100 && calls.length === resumes; piece++) {
      await Promise.race([next, settlePromises()]);
      if (calls.length === resumes) next = reader.next();
    }
    expect(calls.at(-1)).toBe("resume");
    body.push(PARTS[300] as Buffer);
    expect((await next).value).toHaveLength(4000);
    await reader.return(undefined);
    expect(calls.at(-1)).toBe("give up");
  });

  it("gives what came before a failure, then the failure", async () => {
    const { body } = bodyOf(PARTS.slice(0, 3));
    let bytes = 0;
    const reading = (async () => {
      for await (const piece of body) bytes += piece.length;
    })();
    body.push(PARTS[3] as Buffer);
    body.fail(new Error("cut"));
    await expect(reading).rejects.toThrow("cut");
    expect(bytes).toBe(4 * 4000);
  });

  it("lets the server wait while nobody reads", () => {
    expect(bodyOf(PARTS.slice(0, 10)).calls).toEqual([]);
    expect(bodyOf(PARTS.slice(0, 20)).calls).toContain("pause");
  });

  it("gives up an answer that is longer than it may be, to who waits for it and to who comes later", async () => {
    const calls: string[] = [];
    const source = {
      pause: () => undefined,
      resume: () => undefined,
      giveUp: () => calls.push("give up"),
    };
    for (const waits of [true, false]) {
      const body = new AnswerBody(source, 2 ** 20);
      const early = waits ? body.whole() : undefined;
      for (const part of PARTS.slice(0, 262)) body.push(part);
      expect(calls).toEqual([]);
      for (const part of PARTS.slice(262, 300)) body.push(part);
      expect(calls.splice(0)).toEqual(["give up"]);
      const whole = early ?? body.whole();
      await expect(whole).rejects.toMatchObject({ code: "answer-too-large" });
    }
  });
});
