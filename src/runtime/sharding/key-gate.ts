/** The port between a controller and whoever decides which keys this process works on. */

/** Says which keys this process may work on. Keys are those of the queue: `namespace/name`. */
export interface KeyGate {
  /** False while keys change hands: what may not be worked on now may be nobody's, so it must not be forgotten. */
  readonly settled: boolean;
  /** Whether this process may begin to work on the key now. */
  mayWork(key: string): boolean;
  /** Begins to work on the key, if that may be. Each `true` is followed by one `leave`. */
  enter(key: string): boolean;
  /** The work on the key that `enter` began has ended. */
  leave(key: string): void;
  /** Calls back whenever there may be keys that may be worked on and could not before; until `signal` is aborted. */
  onChange(changed: () => void, signal: AbortSignal): void;
}
