/** A clock whose times and random numbers are recorded and replayed for reconciles. */
import type { Clock, Timer } from "../../clock.ts";
import type { ReconcileTap } from "../rest/reconcile-tap.ts";

export class TappedClock implements Clock {
  readonly #clock: Clock;
  readonly #tapOf: () => ReconcileTap | undefined;
  readonly seededBytes?: (size: number) => Uint8Array;

  constructor(clock: Clock, tapOf: () => ReconcileTap | undefined) {
    this.#clock = clock;
    this.#tapOf = tapOf;
    if (clock.seededBytes) this.seededBytes = (size) => this.#bytes(size);
  }

  now(): number {
    return this.#fact("clock.now()", () => this.#clock.now());
  }

  monotonicMs(): number {
    return this.#fact("clock.monotonicMs()", () => this.#clock.monotonicMs());
  }

  random(): number {
    return this.#fact("clock.random()", () => this.#clock.random());
  }

  after(delayMs: number, run: () => void, options?: { readonly unref?: boolean }): Timer {
    return this.#clock.after(delayMs, run, options);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(delayMs, signal);
  }

  #bytes(size: number): Uint8Array {
    const draw = (): number[] => [...(this.#clock.seededBytes?.(size) ?? [])];
    const tap = this.#tapOf();
    return Uint8Array.from(tap ? tap.fact(`clock.seededBytes(${size})`, draw) : draw());
  }

  #fact(name: string, read: () => number): number {
    return this.#tapOf()?.fact(name, read) ?? read();
  }
}
