/**
 * What an informer is made of, and what its handlers hold of it.
 *
 * @module
 */
import type { Clock } from "../../clock.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Logger } from "../../log.ts";
import type { ListerWatcher } from "./lister-watcher.ts";

/** What an informer is made of. */
export interface InformerOptions<T extends KubeObject> {
  readonly listerWatcher: ListerWatcher<T>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly watchList?: boolean;
  /** How often handlers hear of all objects again; never when absent. */
  readonly resyncMs?: number;
  /** Told of each failure of the list or the watch; the informer goes on by itself. */
  readonly onError?: (error: unknown) => void;
  /** Told when a watch runs again after a failure. */
  readonly onRecovery?: () => void;
}

/** One handler's place at an informer. */
export interface Registration {
  /** Whether everything that was there at the beginning is delivered. */
  readonly hasSynced: boolean;
  /** Resolves when `hasSynced` becomes true. */
  readonly synced: Promise<void>;
  /** Ends the delivery. */
  remove(): void;
}
