import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../src/clock.ts";
import { ProgressLine } from "../../src/cli/progress-line.ts";

function terminal(columns = 40): { line: ProgressLine; clock: VirtualClock; written: string[] } {
  const written: string[] = [];
  const clock = new VirtualClock();
  const line = new ProgressLine({ write: (text) => written.push(text), columns }, clock);
  return { line, clock, written };
}

describe("the line of progress", () => {
  it("says nothing of what is over within a second", async () => {
    const { line, clock, written } = terminal();
    line.say("manifests");
    await clock.advance(900);
    line.say(undefined);
    await clock.advance(5000);
    expect(written).toEqual([]);
  });

  it("counts the seconds of what lasts, in one line that goes away", async () => {
    const { line, clock, written } = terminal();
    line.say("npm install");
    await clock.advance(3000);
    expect(written.at(-1)).toBe("\r\u001b[K  npm install 3 s");
    line.say(undefined);
    expect(written.at(-1)).toBe("\r\u001b[K");
    const before = written.length;
    await clock.advance(3000);
    expect(written).toHaveLength(before);
  });

  it("counts anew for the next thing, makes room for other lines, and is no wider than the terminal", async () => {
    const { line, clock, written } = terminal(30);
    line.say("one");
    await clock.advance(2000);
    line.clear();
    expect(written.at(-1)).toBe("\r\u001b[K");
    line.say(`pods of the Deployment\n${"x".repeat(50)}`);
    await clock.advance(1000);
    expect(written.at(-1)).toBe(
      "\r\u001b[K  pods of the Deployment... 1 s".replace("Deployment...", "Deploym..."),
    );
    expect((written.at(-1) ?? "").length - 4).toBeLessThanOrEqual(30);
  });
});
