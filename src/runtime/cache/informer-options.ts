/** The options of an informer, and the registration of a handler with it. */
import type { Clock } from "../../clock.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Logger } from "../../log.ts";
import type { ListerWatcher } from "./lister-watcher.ts";

export interface InformerOptions<T extends KubeObject> {
  readonly listerWatcher: ListerWatcher<T>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly watchList?: boolean;
  /** How often handlers get all objects again, in milliseconds; never when absent. */
  readonly resyncMs?: number;
  /** Gets each failure of the list or the watch; the informer recovers by itself. */
  readonly onError?: (error: unknown) => void;
  /** Called when a watch runs again after a failure. */
  readonly onRecovery?: () => void;
}

/** The registration of one handler with an informer. */
export interface Registration {
  /** Whether all objects of the first list are delivered. */
  readonly hasSynced: boolean;
  /** Resolves when `hasSynced` becomes true. */
  readonly synced: Promise<void>;
  /** Ends the delivery. */
  remove(): void;
}
