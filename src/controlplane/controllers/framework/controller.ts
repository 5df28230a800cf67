/**
 * What the simulated controllers are made of: their tools, the resources that they watch, and one
 * object to bring to its desired state at a time.
 */
import type { Clock } from "../../../clock.ts";
import type { SentObject } from "../../../kube/object.ts";
import type { ResourceName } from "../../resource-name.ts";
import type { ControllerClient, ControllerContext, StoreEvent } from "./client.ts";
import { EventRecorder } from "./event-recorder.ts";
import { keyFrom, textOf } from "./keys.ts";

export interface Tools {
  readonly client: ControllerClient;
  readonly events: EventRecorder;
  readonly clock: Clock;
}

/**
 * The tools of a controller.
 *
 * @param name - its name as a user and field manager
 * @param component - its name in events
 */
export function toolsOf(
  context: Pick<ControllerContext, "clientFor" | "clock">,
  name: string,
  component: string = name,
): Tools {
  const { clock } = context;
  const client = context.clientFor(name);
  return { client, clock, events: new EventRecorder(client, clock, component) };
}

/** A watched resource, and the keys that a change of one of its objects concerns. */
export interface Watch {
  /** All resources when absent. */
  readonly resource?: ResourceName;
  keysOf(event: StoreEvent): Iterable<string>;
}

/** Watches a resource. A change concerns the object itself, unless `keysOf` says otherwise. */
export function watch<T extends SentObject>(
  resource: ResourceName<T>,
  keysOf: (event: StoreEvent<T>) => Iterable<string> = ({ object }) => [textOf(object)],
): Watch {
  return { resource, keysOf };
}

export const watchAll = (keysOf: Watch["keysOf"]): Watch => ({ keysOf });

export abstract class Controller implements Tools {
  abstract readonly name: string;
  /** Of several watches of one resource, each adds its keys. */
  abstract readonly watches: readonly Watch[];
  /** Keys to begin with, beside those of the stored objects. */
  readonly initialKeys: readonly string[] = [];
  readonly client: ControllerClient;
  readonly events: EventRecorder;
  readonly clock: Clock;

  constructor({ client, events, clock }: Tools) {
    this.client = client;
    this.events = events;
    this.clock = clock;
  }

  /**
   * Brings the object of `key` closer to its desired state. Throws to be retried.
   *
   * @returns after how many milliseconds to look again, when time alone causes a change
   */
  abstract sync(key: string): Promise<number | undefined>;
}

/** A controller whose keys are those of the objects of one resource. */
export abstract class ObjectController<T extends SentObject> extends Controller {
  abstract readonly resource: ResourceName<T>;

  override async sync(key: string): Promise<number | undefined> {
    const object = this.client.find(this.resource, keyFrom(key));
    return object ? this.reconcile(object) : this.forget?.(key);
  }

  /** Brings an object closer to its desired state, as `sync` does. */
  protected abstract reconcile(object: T): Promise<number | undefined>;

  /** Clears up after an object that is gone. */
  protected forget?(key: string): Promise<undefined>;
}
