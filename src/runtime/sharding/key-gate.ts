/** Decides for a controller which keys this process works on. */

/** The keys that this process may work on. Keys are those of the queue: `namespace/name`. */
export interface KeyGate {
  /**
   * False while keys move between processes: a key that this process may not work on now may belong
   * to none, so it must not be forgotten.
   */
  readonly settled: boolean;
  /** Whether this process may start to work on the key now. */
  mayWork(key: string): boolean;
  /** Starts the work on the key, if this process may. Each `true` is followed by one `leave`. */
  enter(key: string): boolean;
  /** Ends the work that `enter` started. */
  leave(key: string): void;
  /** Calls `changed` whenever this process may have got more keys, until `signal` is aborted. */
  onChange(changed: () => void, signal: AbortSignal): void;
}
