/** The states of a reflector, and the transitions between them, without I/O and time. */
import { isForbidden } from "../../kube/status.ts";

/**
 * The state of a reflector. Only `synced` is healthy; the reason for `denied` and `backoff` is in
 * `lastError`.
 */
export type ReflectorState =
  | "idle"
  | "listing"
  | "streaming"
  | "synced"
  | "backoff"
  | "denied"
  | "stopped";

/** The data of every state. */
export interface Progress {
  /** The version up to which the store is complete; empty before the first list. */
  readonly version: string;
  /**
   * The server refused the version (410, or "too large"), or the scope has changed: the next list
   * must not name a version.
   */
  readonly isRefused: boolean;
  /** The last failure, until a later request succeeds. */
  readonly error: unknown;
}

interface NotWatching extends Progress {
  readonly name: Exclude<ReflectorState, Watching["name"]>;
}

/** A watch is requested that begins with the list; or the store is complete, and is kept so by watches. */
interface Watching extends Progress {
  readonly name: "streaming" | "synced";
  readonly isWatching: boolean;
}

/** The state of a reflector, with the data of its next step. */
export type State = NotWatching | Watching;

export const IDLE: State = { name: "idle", version: "", isRefused: false, error: undefined };

export const streaming = (state: State): State => ({
  ...progressOf(state),
  name: "streaming",
  isWatching: false,
});

export const listing = (state: State): State => ({ ...progressOf(state), name: "listing" });

/** Ends a list: the store is complete up to its version. */
export const synced = (state: State, version: string): State => ({
  name: "synced",
  version,
  isRefused: state.isRefused,
  error: undefined,
  isWatching: isWatching(state),
});

/** Opens or closes the watch of a state that has one. */
export const withWatch = (state: State, isOpen: boolean): State =>
  "isWatching" in state ? { ...state, isWatching: isOpen } : state;

/** Ends a round with a failure that needs another list. */
export const failed = (state: State, error: unknown): State => ({
  ...progressOf(state),
  name: isForbidden(error) ? "denied" : "backoff",
  error,
});

export const stopped = (state: State): State => ({ ...progressOf(state), name: "stopped" });

export function isWatching(state: State): boolean {
  return "isWatching" in state && state.isWatching;
}

/** The version that a list asks for: an empty one for the newest, `0` for whatever the server has. */
export function listedVersion({ version, isRefused }: Progress): string {
  return isRefused ? "" : version || "0";
}

const progressOf = ({ version, isRefused, error }: State): Progress => ({
  version,
  isRefused,
  error,
});
