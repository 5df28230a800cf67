/**
 * The one loop that runs all simulated controllers, one key at a time.
 *
 * Changes in the store put keys in line; the loop takes them in the order of their arrival, so the
 * same changes give the same run. A key that fails is retried as soon as something else changed, at
 * the latest after a wait on the clock. The event loop has its turns, and controllers that keep undoing each other's
 * changes are slowed down and reported.
 */
import { type Clock, settlePromises, type Timer } from "../../../clock.ts";
import { messageOf, TsopError } from "../../../errors.ts";
import { groupResourceOf } from "../../../kube/resource.ts";
import { type Logger, silentLogger } from "../../../log.ts";
import type { ControllerClient, StoreEvent } from "./client.ts";
import type { Controller, Tools, Watch } from "./controller.ts";
import { Pace } from "./pace.ts";
import type { ResourceName } from "../../resource-name.ts";

interface Item {
  readonly controller: Controller;
  readonly key: string;
}

/** Waits until nothing is left to do. */
interface Settling {
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

const FIRST_RETRY_MS = 5;
const LONGEST_RETRY_MS = 60_000;
/** The number of retries of a failed key because something changed, rather than after its wait. */
const EAGER_RETRIES = 8;
/** After this many keys the event loop has a turn. */
const KEYS_PER_TURN = 100;

/** Runs controllers until it is stopped. */
export class WorkLoop {
  readonly #controllers: readonly Controller[];
  readonly #client: ControllerClient;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** The keys in line, by `controller/key`; insertion order is the order of work. */
  readonly #queue = new Map<string, Item>();
  readonly #failures = new Map<string, number>();
  readonly #failed = new Map<string, Item>();
  readonly #timers = new Map<string, Timer>();
  /** The watches of a resource, by its name. */
  readonly #watches = new Map<string, readonly (readonly [Controller, Watch])[]>();
  readonly #pace = new Pace();
  /** The keys that wait because they came too often. */
  readonly #paced = new Set<string>();
  /** Those who wait until nothing is left to do. */
  readonly #settling: Settling[] = [];
  #running = false;
  #stopped = false;
  #unsubscribe: () => void = () => undefined;

  constructor(
    controllers: readonly Controller[],
    { client, clock }: Tools,
    log: Logger = silentLogger,
  ) {
    this.#controllers = controllers;
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
  }

  /** Follows the changes; the work on the stored objects begins once the caller has gone on. */
  start(): void {
    this.#running = true;
    this.#unsubscribe = this.#client.subscribe((event) => this.#observe(event));
    void settlePromises().then(() => {
      for (const controller of this.#controllers) {
        for (const key of controller.initialKeys) this.#add({ controller, key });
      }
      for (const resource of this.#client.resources()) {
        for (const object of this.#client.list(resource)) {
          this.#observe({ type: "ADDED", resource, object });
        }
      }
      return this.#work();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#unsubscribe();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#queue.clear();
    this.#paced.clear();
    this.#endSettling();
  }

  /**
   * Resolves when no key is in line or in hand. Keys that wait for the clock do not count.
   *
   * @throws TsopError `never-settles` from the promise while controllers keep undoing each other's changes
   */
  settle(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settling.push({ resolve, reject });
      if (!this.#running && this.#queue.size === 0) this.#endSettling();
    });
  }

  #observe(event: StoreEvent): void {
    // The controllers themselves write events; no controller waits for them.
    if (this.#stopped || event.resource.plural === "events") return;
    for (const [controller, watch] of this.#watchesOf(event.resource)) {
      for (const key of watch.keysOf(event)) this.#add({ controller, key });
    }
    for (const item of this.#failed.values()) this.#add(item);
    this.#failed.clear();
  }

  #watchesOf(resource: ResourceName): readonly (readonly [Controller, Watch])[] {
    const name = groupResourceOf(resource);
    let found = this.#watches.get(name);
    if (!found) {
      found = this.#controllers.flatMap((controller) =>
        controller.watches
          .filter((watch) => !watch.resource || groupResourceOf(watch.resource) === name)
          .map((watch) => [controller, watch] as const),
      );
      this.#watches.set(name, found);
    }
    return found;
  }

  #add(item: Item): void {
    if (this.#stopped) return;
    const id = idOf(item);
    if (this.#paced.has(id)) return;
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
    this.#queue.set(id, item);
    if (!this.#running) {
      this.#running = true;
      // The change that woke the loop is still being written; let it finish first.
      queueMicrotask(() => void this.#work());
    }
  }

  async #work(): Promise<void> {
    // The loop also visits keys that are added meanwhile, after those in line.
    let keys = 0;
    for (const [id, item] of this.#queue) {
      this.#queue.delete(id);
      await this.#sync(item);
      this.#slowDown(item);
      if (++keys % KEYS_PER_TURN === 0) await settlePromises();
    }
    this.#running = false;
    this.#endSettling();
  }

  /** Lets a key wait that comes again and again. */
  #slowDown(item: Item): void {
    const id = idOf(item);
    const waitMs = this.#pace.waitAfterSync(id, this.#clock.monotonicMs());
    if (waitMs === 0 || this.#stopped) return;
    if (this.#paced.size === 0) {
      this.#log.warn(
        { keys: this.#pace.busiest() },
        "controllers keep undoing each other's changes",
      );
    }
    this.#queue.delete(id);
    this.#paced.add(id);
    this.#timers.get(id)?.cancel();
    const again = (): void => {
      this.#paced.delete(id);
      this.#add(item);
    };
    this.#timers.set(id, this.#clock.after(waitMs, again, { unref: true }));
  }

  async #sync(item: Item): Promise<void> {
    const id = idOf(item);
    try {
      const againMs = await item.controller.sync(item.key);
      this.#failures.delete(id);
      this.#failed.delete(id);
      if (againMs !== undefined) this.#addAfter(item, againMs);
    } catch (thrown) {
      const failures = (this.#failures.get(id) ?? 0) + 1;
      this.#failures.set(id, failures);
      this.#log.debug(
        { controller: item.controller.name, key: item.key, failures, error: messageOf(thrown) },
        "a controller will try again",
      );
      if (failures <= EAGER_RETRIES) this.#failed.set(id, item);
      this.#addAfter(item, Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS));
    }
  }

  #addAfter(item: Item, delayMs: number): void {
    const id = idOf(item);
    if (this.#stopped || this.#queue.has(id)) return;
    this.#timers.get(id)?.cancel();
    this.#timers.set(
      id,
      this.#clock.after(delayMs, () => this.#add(item), { unref: true }),
    );
  }

  #endSettling(): void {
    const settling = this.#settling.splice(0);
    if (this.#paced.size === 0) {
      this.#pace.reset();
      for (const { resolve } of settling) resolve();
      return;
    }
    const keys = this.#pace.busiest().join(", ");
    for (const { reject } of settling) {
      reject(
        new TsopError(
          "never-settles",
          `The simulated controllers never settle: they keep undoing each other's changes (${keys}).`,
          "Look at these objects: they ask for states that exclude each other, as a template that names a node whose taint evicts its pods.",
        ),
      );
    }
  }
}

const idOf = ({ controller, key }: Item): string => `${controller.name}/${key}`;
