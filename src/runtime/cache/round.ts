/** One list and the watches on it, which can be cut short. */
export class Round {
  readonly #cut = new AbortController();
  readonly #outer: AbortSignal;
  #requests: AbortController | undefined;

  constructor(outer: AbortSignal) {
    this.#outer = outer;
    outer.addEventListener("abort", this.#follow, { once: true });
  }

  /** Aborted when the round is cut short, or the reflector is stopped. */
  get signal(): AbortSignal {
    return this.#cut.signal;
  }

  /** Whether the round was cut short, and the reflector continues. */
  get isCut(): boolean {
    return this.signal.aborted && !this.#outer.aborted;
  }

  cut(reason: unknown): void {
    this.#cut.abort(reason);
  }

  /**
   * Aborts the open watch. It is replaced only when a watch went silent: a signal costs as much as
   * a request.
   */
  get requests(): AbortController {
    if (this.#requests?.signal.aborted === false) return this.#requests;
    const requests = new AbortController();
    const { signal } = this;
    const follow = (): void => {
      requests.abort(signal.reason);
    };
    if (signal.aborted) follow();
    else signal.addEventListener("abort", follow, { once: true, signal: requests.signal });
    this.#requests = requests;
    return requests;
  }

  end(): void {
    this.#outer.removeEventListener("abort", this.#follow);
  }

  readonly #follow = (): void => {
    this.#cut.abort(this.#outer.reason);
  };
}
