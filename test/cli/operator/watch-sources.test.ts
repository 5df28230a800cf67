/** Which saves are seen. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SourceWatch } from "../../../src/cli/operator/watch-sources.ts";
import { systemClock, VirtualClock } from "../../../src/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { emptyFolder } from "../support/run-cli.ts";

function project() {
  const root = emptyFolder();
  mkdirSync(join(root, "src/api"), { recursive: true });
  const save = (text: string, name = "web"): void => {
    writeFileSync(join(root, `src/api/${name}.ts`), text);
  };
  save("0");
  return { root, save };
}

/** A watch whose saves are over when the test says so. */
async function watchOf(
  root: string,
): Promise<{ readonly watch: SourceWatch; readonly endOfSave: () => Promise<void> }> {
  const clock = new VirtualClock();
  const watch = await SourceWatch.open(root, clock);
  const endOfSave = async (): Promise<void> => {
    // A change was seen, and is waited for whether more of the save follows.
    await eventually(() => expect(clock.pending).toBeGreaterThan(0));
    await clock.advance(1000);
  };
  return { watch, endOfSave };
}

describe("SourceWatch", () => {
  it("sees a save from when it is open on, also before anybody asks", async () => {
    const { root, save } = project();
    const { watch, endOfSave } = await watchOf(root);
    save("1", "one");
    await endOfSave();
    const end = new AbortController();
    let saves = 0;
    const running = watch.run(end.signal, () => {
      saves++;
      return Promise.resolve();
    });
    await eventually(() => expect(saves).toBe(1));
    save("2", "two");
    await endOfSave();
    await eventually(() => expect(saves).toBe(2));
    end.abort();
    await running;
  });

  it("has one call at a time, and one more for all that was saved meanwhile", async () => {
    const { root, save } = project();
    const { watch, endOfSave } = await watchOf(root);
    const end = new AbortController();
    const begun: (() => void)[] = [];
    const running = watch.run(end.signal, () => new Promise((resolve) => begun.push(resolve)));
    save("1", "one");
    await endOfSave();
    await eventually(() => expect(begun).toHaveLength(1));
    for (const name of ["two", "three"]) {
      save("1", name);
      await endOfSave();
    }
    expect(begun).toHaveLength(1);
    begun[0]?.();
    await eventually(() => expect(begun).toHaveLength(2));
    end.abort();
    begun[1]?.();
    await running;
    expect(begun).toHaveLength(2);
  });

  it("sees a save that follows at once on one that was told", async () => {
    const { root, save } = project();
    const watch = await SourceWatch.open(root, systemClock);
    const end = new AbortController();
    let saves = 0;
    const running = watch.run(end.signal, () => {
      saves++;
      if (saves < 5) save(`after ${saves}`);
      return Promise.resolve();
    });
    save("1");
    await eventually(() => expect(saves).toBeGreaterThanOrEqual(5));
    end.abort();
    await running;
  });
});
