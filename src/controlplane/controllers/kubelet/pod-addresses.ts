/** The addresses of simulated pods. */

/** How many addresses there are for pods. */
const COUNT = 65_000;

/** Assigns each pod an address of its own, out of 10.244.0.0/16, until the pod is gone. */
export class PodAddresses {
  readonly #numbers = new Map<string, number>();
  readonly #used = new Set<number>();
  #last = 0;

  /** The address of a pod, by its `namespace/name`. */
  of(pod: string): string {
    let number = this.#numbers.get(pod);
    if (number === undefined) {
      do this.#last = (this.#last % COUNT) + 1;
      while (this.#used.has(this.#last));
      number = this.#last;
      this.#numbers.set(pod, number);
      this.#used.add(number);
    }
    return `10.244.${number >> 8}.${number & 255}`;
  }

  /** Releases a pod's address. */
  free(pod: string): void {
    const number = this.#numbers.get(pod);
    if (number === undefined) return;
    this.#numbers.delete(pod);
    this.#used.delete(number);
  }
}
