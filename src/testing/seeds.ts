/** Simulations for many seeds. */
import { VirtualClock } from "../clock.ts";
import { messageOf } from "../errors.ts";

/** The variable with the only seed to run, to repeat a run: `TSOP_SEED=17 npx vitest run`. */
const SEED = "TSOP_SEED";

/**
 * Runs a simulation for the seeds from 1 to `count`, each on a clock of its own: timers that are
 * due together run in an order that the seed draws. With `TSOP_SEED` in the environment, only that
 * seed runs.
 *
 * @example
 * await withSeeds(100, async (clock) => {
 *   await using cluster = await startControlPlane({ clock, listen: false });
 *   await clientFor(cluster).list(Pod);
 * });
 *
 * @throws Error with the seed and how to replay it; its cause is the error of `run`
 */
export async function withSeeds(
  count: number,
  run: (clock: VirtualClock, seed: number) => Promise<void>,
): Promise<void> {
  const alone = Number(process.env[SEED] ?? 0);
  const seeds = alone > 0 ? [alone] : Array.from({ length: count }, (_, index) => index + 1);
  for (const seed of seeds) {
    try {
      await run(new VirtualClock({ seed, shuffle: true }), seed);
    } catch (error) {
      const again = `${SEED}=${seed} repeats this run.`;
      throw new Error(`seed ${seed}: ${messageOf(error)}\n${again}`, { cause: error });
    }
  }
}
