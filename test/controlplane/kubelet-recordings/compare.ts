/** Compares what a real node did with what the simulated one does. */
import { createTwoFilesPatch } from "diff";
import { KNOWN } from "./known.ts";
import { play, readRecording, type Sections } from "./replay.ts";

/** What was seen of one subject. */
export interface Comparison {
  /** Such as `pod p`, `Job j` or `events`. */
  readonly subject: string;
  /** The differences: `-` is ours, `+` is the real one's; absent when there are none. */
  readonly difference?: string;
  /** Why they are known to differ. */
  readonly reason?: string;
}

/** A real node is late by chance: its retries have a random part, and of two runs either is right. */
const SEEDS = 12;

/** Plays a recording, with other chances until a run is equal or there are none left: then the run that differs least counts. */
export async function compareRecording(
  folder: string,
  name: string,
): Promise<readonly Comparison[]> {
  const real = readRecording(folder, name);
  let best: readonly Comparison[] | undefined;
  const worth = (found: readonly Comparison[]): number =>
    found.filter(({ difference, reason }) => difference !== undefined && reason === undefined)
      .length;
  for (let seed = 1; seed <= SEEDS; seed++) {
    for (const seen of await play(folder, name, seed)) {
      const found = compared(name, seen, real);
      if (!best || worth(found) < worth(best)) best = found;
    }
    if (best && worth(best) === 0) break;
  }
  return best ?? [];
}

function compared(name: string, ours: Sections, real: Sections): readonly Comparison[] {
  return [...new Set([...real.keys(), ...ours.keys()])].map((subject) => {
    const [mine, theirs] = [ours, real].map((one) => (one.get(subject) ?? []).join("\n"));
    if (mine === theirs) return { subject };
    const patch = createTwoFilesPatch("ours", "real", `${mine}\n`, `${theirs}\n`, "", "", {
      context: 2,
    });
    const difference = patch.split("\n").slice(4).join("\n");
    const reason = KNOWN[name]?.[subject];
    return { subject, difference, ...(reason === undefined ? {} : { reason }) };
  });
}
