import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { Probes } from "../../../src/runtime/side-thread/probes.ts";
import { SharedMemory } from "../../../src/runtime/side-thread/shared-memory.ts";
import { Stillness } from "../../../src/runtime/side-thread/stillness.ts";
import { StoppableClock } from "../support/stoppable-clock.ts";

function build() {
  const world = new VirtualClock();
  const clock = new StoppableClock(world);
  const memory = new SharedMemory();
  const stillness = new Stillness(memory, clock);
  const asked: { id: number; url: string }[] = [];
  const ask = (id: number, url: string): void => void asked.push({ id, url });
  const probes = new Probes({ clock, stillness, stuckAfterMs: 10_000, ask });
  stillness.start();
  let busy = false;
  const beat = (): void => {
    if (!busy) memory.beat();
    clock.after(250, beat);
  };
  beat();
  return {
    world,
    clock,
    stillness,
    probes,
    asked,
    setBusy: (now: boolean) => {
      busy = now;
    },
    /** The main thread answers what it was asked last. */
    answer: (status: number, body: string) => {
      probes.answered(asked.at(-1)!.id, { status, body });
    },
  };
}

describe("probes in the side thread", () => {
  it("pass on what the main thread says, however long its checks take", async () => {
    const { world, probes, asked, answer } = build();
    const answered = probes.answer("/readyz?verbose");
    await world.advance(20_000);
    expect(asked).toEqual([{ id: 1, url: "/readyz?verbose" }]);
    answer(500, "[-]disk failed");
    expect(await answered).toEqual({ status: 500, body: "[-]disk failed" });
  });

  it("say what was said last while the main thread is busy, within a second", async () => {
    const { world, probes, answer, setBusy } = build();
    const first = probes.answer("/readyz");
    answer(200, "ok");
    await first;
    setBusy(true);
    await world.advance(3000);
    const began = world.now();
    const later = probes.answer("/readyz").then((said) => ({ said, tookMs: world.now() - began }));
    await world.advance(1000);
    const { said, tookMs } = await later;
    expect(said).toMatchObject({ status: 200, body: expect.stringMatching(/^ok\n\[\+\].*busy/) });
    expect(tookMs).toBeLessThan(1000);
  });

  it("take a main thread that was never heard for alive, but not for ready", async () => {
    const { world, probes, setBusy } = build();
    setBusy(true);
    await world.advance(1000);
    const both = Promise.all([probes.answer("/healthz"), probes.answer("/readyz")]);
    await world.advance(1000);
    expect((await both).map(({ status }) => status)).toEqual([200, 500]);
  });

  it("fail once it stands still for too long, and pass again when it moves", async () => {
    const { world, probes, answer, setBusy } = build();
    setBusy(true);
    await world.advance(11_000);
    const stuck = probes.answer("/healthz");
    await world.advance(1000);
    expect(await stuck).toMatchObject({
      status: 500,
      body: expect.stringMatching(/main-thread failed/),
    });
    setBusy(false);
    await world.advance(1000);
    const alive = probes.answer("/healthz");
    answer(200, "ok");
    expect(await alive).toEqual({ status: 200, body: "ok" });
  });

  it("call nobody stuck because the whole process was stopped", async () => {
    const { world, clock, stillness } = build();
    await world.advance(1000);
    clock.stop();
    await world.advance(60_000);
    clock.resume();
    await world.advance(250);
    expect(stillness.ms).toBeLessThanOrEqual(500);
  });

  it("keep nothing of a path that they do not serve, and ask nobody", async () => {
    const { probes, asked } = build();
    for (const path of ["/", "/healthz/x", "/__proto__", "//healthz", "/readyzz?verbose", "\0"]) {
      expect(await probes.answer(path)).toMatchObject({ status: 404 });
    }
    expect(asked).toEqual([]);
  });

  it("ask once for all who want to know the same at the same time", async () => {
    const { probes, asked, answer } = build();
    const all = Array.from({ length: 10_000 }, () => probes.answer("/readyz"));
    expect(asked).toHaveLength(1);
    answer(200, "ok");
    for (const one of await Promise.all(all)) expect(one).toEqual({ status: 200, body: "ok" });
    void probes.answer("/readyz");
    expect(asked).toHaveLength(2);
  });

  it("ask a few questions with parameters at a time, and the kubelet's beside them", async () => {
    const { world, probes, asked, answer, setBusy } = build();
    setBusy(true);
    const strange = Array.from({ length: 10_000 }, (_, at) => probes.answer(`/healthz?x=${at}`));
    expect(asked.length).toBeLessThan(100);
    const own = probes.answer("/healthz");
    answer(200, "ok");
    expect(await own).toEqual({ status: 200, body: "ok" });
    await world.advance(1000);
    const statuses = (await Promise.all(strange)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
  });
});
