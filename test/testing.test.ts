import { afterEach, describe, expect, it, vi } from "vitest";
import { loadClusterConfig, ConnectionError } from "../src/index.ts";
import { faults, VirtualClock, withSeeds } from "../src/testing.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("withSeeds", () => {
  /** The order in which three timers run that are due together. */
  async function order(clock: VirtualClock): Promise<string> {
    const ran: string[] = [];
    for (const name of ["a", "b", "c"]) clock.after(10, () => void ran.push(name));
    await clock.advance(10);
    return ran.join("");
  }

  it("gives each seed an order of its own, and the same one again", async () => {
    const orders: string[] = [];
    await withSeeds(30, async (clock) => void orders.push(await order(clock)));
    expect(new Set(orders).size).toBeGreaterThan(3);
    const again: string[] = [];
    await withSeeds(30, async (clock) => void again.push(await order(clock)));
    expect(again).toEqual(orders);
  });

  it("names the seed that fails, and runs it alone when told to", async () => {
    const seen: number[] = [];
    const run = async (_: VirtualClock, seed: number): Promise<void> => {
      seen.push(seed);
      if (seed === 3) throw new Error("two of them wrote");
    };
    await expect(withSeeds(10, run)).rejects.toThrow(
      "seed 3: two of them wrote\nTSOP_SEED=3 repeats this run.",
    );
    expect(seen.splice(0)).toEqual([1, 2, 3]);
    vi.stubEnv("TSOP_SEED", "7");
    await withSeeds(10, run);
    expect(seen).toEqual([7]);
  });
});

describe("faults", () => {
  it("fail the share of requests that was asked for, the same for the same seed", async () => {
    const kubeconfigText = JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: "http://127.0.0.1:1" } }],
      users: [{ name: "u", user: {} }],
    });
    const config = loadClusterConfig({ kubeconfigText });
    const draw = async (): Promise<number[]> => {
      const transport = faults(config, { refuse: 0.5, status: { 429: 1 } }, new VirtualClock());
      const statuses: number[] = [];
      for (let count = 0; count < 50; count++) {
        const answer = await transport
          .request({ method: "GET", path: "/" })
          .catch((error: unknown) => error);
        statuses.push(answer instanceof ConnectionError ? 0 : 429);
      }
      expect(Object.values(transport.counts).reduce((sum, one) => sum + one, 0)).toBe(50);
      return statuses;
    };
    const first = await draw();
    expect(first.filter((status) => status === 0).length).toBeGreaterThan(15);
    expect(first.filter((status) => status === 429).length).toBeGreaterThan(15);
    expect(await draw()).toEqual(first);
  });
});
