/** Rewrites all objects of a kind in its storage version, and then says in the CRD that no other version is stored. */
import type { Clock } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import { formatKey, type ObjectKey } from "../../kube/object.ts";
import type { ResourceInfo } from "../../kube/resource.ts";
import { isConflict, isExpired, isNotFound, StatusError } from "../../kube/status.ts";
import type { MigrationClaim } from "./migration-claim.ts";
import type { LiveDefinition, MigrationRequests, Page } from "./migration-requests.ts";
import type { MigrationFile, MigrationState, MigrationTarget } from "./migration-state.ts";

const PAGE_SIZE = 500;
const AT_ONCE = 8;
const SHOWN_FAILURES = 10;
const MAX_CONFLICTS = 10;
const CONFLICT_WAIT_MS = 50;
/** The most passes: each change of the CRD meanwhile makes one more necessary. */
const MAX_PASSES = 5;
const TELL_EVERY_MS = 2000;

/** A migration's subject and its tools. */
export interface MigrationParts {
  readonly crd: string;
  /** The storage version, as the project says it. */
  readonly storageVersion: string;
  readonly requests: MigrationRequests;
  readonly claim: MigrationClaim;
  readonly file: MigrationFile;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with the number of objects that are done, and of all if that is known. */
  readonly progress: (done: number, all: number | undefined) => void;
}

export interface MigrationResult {
  readonly crd: string;
  readonly storageVersion: string;
  /** The CRD's `storedVersions` before the migration. */
  readonly storedVersions: readonly string[];
  /** How many objects were rewritten, or counted in a dry run. */
  readonly objects: number;
  /** How many of them were deleted meanwhile. */
  readonly gone: number;
  readonly pruned: boolean;
}

export class Migration {
  readonly #parts: MigrationParts;
  #gone = 0;
  #toldMs = 0;

  constructor(parts: MigrationParts) {
    this.#parts = parts;
  }

  /** The CRD in the cluster. @throws TsopError `migration-not-installed`, `migration-other-storage` */
  async definition(): Promise<LiveDefinition> {
    const { crd, requests, storageVersion } = this.#parts;
    let definition: LiveDefinition;
    try {
      definition = await requests.definition(crd);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new TsopError(
        "migration-not-installed",
        `The CRD ${crd} is not in the cluster.`,
        "Install it with `tsop install` or `tsop deploy`; there is nothing to migrate.",
      );
    }
    const stored = storageOf(definition);
    if (stored === storageVersion) return definition;
    throw new TsopError(
      "migration-other-storage",
      `The cluster stores ${crd} in ${stored}, and this project in ${storageVersion}.`,
      "Install the project's CRDs in the cluster first, with `tsop install` or `tsop deploy`, or use the deployed version of the project.",
    );
  }

  /** Counts the objects, reads each page of them as the migration would, and writes nothing. */
  async rehearse(): Promise<MigrationResult> {
    const definition = await this.definition();
    const resource = resourceOf(definition, this.#parts.storageVersion);
    let objects = 0;
    let next: string | undefined;
    do {
      const page: Page = await this.#page(resource, next);
      objects += page.keys.length;
      next = page.next;
    } while (next !== undefined);
    return this.#result(definition, objects, false);
  }

  /**
   * Rewrites every object, and prunes `status.storedVersions` then. It goes on where an earlier run was ended.
   *
   * @throws TsopError `migration-runs`, `migration-failed`, `migration-interrupted`, `migration-conversion`,
   *   `migration-unsettled`; what `definition` throws
   */
  async run(): Promise<MigrationResult> {
    const { crd, claim, signal } = this.#parts;
    const first = await this.definition();
    try {
      await claim.renew();
      for (let pass = 0; pass < MAX_PASSES; pass++) {
        const before = await this.definition();
        const objects = await this.#rewriteAll(before);
        if (await this.#prune(targetOf(before))) return this.#result(first, objects, true);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new TsopError(
        "migration-interrupted",
        `The migration of ${crd} was interrupted.`,
        "Run the command again to continue. No stored version was pruned.",
        { cause: error },
      );
    } finally {
      // A claim that cannot be given up ends by itself.
      await claim.release().catch(() => undefined);
    }
    throw new TsopError(
      "migration-unsettled",
      `The CRD ${crd} was changed again and again while its objects were rewritten.`,
      "Find out who changes it, with `kubectl get crd --watch`, and run the command again. Nothing was pruned.",
    );
  }

  async #rewriteAll(definition: LiveDefinition): Promise<number> {
    const { claim, file, storageVersion } = this.#parts;
    const target = targetOf(definition);
    const resource = resourceOf(definition, storageVersion);
    const begun: MigrationState | undefined = file.read(target);
    let next = begun?.next;
    let done = begun?.done ?? 0;
    do {
      await claim.renew();
      const page: Page = await this.#page(resource, next);
      await this.#rewritePage(resource, page.keys);
      done += page.keys.length;
      next = page.next;
      if (next !== undefined) file.write({ ...target, next, done });
      this.#tell(done, page.remaining);
    } while (next !== undefined);
    return done;
  }

  #tell(done: number, remaining: number | undefined): void {
    const { clock, progress } = this.#parts;
    const now = clock.monotonicMs();
    if (this.#toldMs !== 0 && now - this.#toldMs < TELL_EVERY_MS) return;
    this.#toldMs = now;
    progress(done, remaining === undefined ? undefined : done + remaining);
  }

  /** A page; where its mark is too old, the one that the API server offers instead, or the first. */
  async #page(resource: ResourceInfo, next: string | undefined): Promise<Page> {
    const { requests, crd } = this.#parts;
    try {
      return await requests.page(resource, PAGE_SIZE, next);
    } catch (error) {
      if (next !== undefined && isExpired(error)) {
        return this.#page(resource, error.status.metadata.continue);
      }
      if (!isConversionFailure(error)) throw error;
      throw new TsopError(
        "migration-conversion",
        `The objects of ${crd} cannot be read in ${resource.version}: ${error.message}.`,
        "The conversion webhook must respond: check that the operator is running and ready. No stored version was pruned.",
        { cause: error },
      );
    }
  }

  async #rewritePage(resource: ResourceInfo, keys: readonly ObjectKey[]): Promise<void> {
    const failures: string[] = [];
    const waiting = keys.values();
    const work = async (): Promise<void> => {
      for (const key of waiting) {
        const failure = await this.#rewrite(resource, key);
        if (failure !== undefined) failures.push(`${formatKey(key)}: ${failure}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (failures.length === 0) return;
    const shown = failures.slice(0, SHOWN_FAILURES).join("; ");
    const more = failures.length - SHOWN_FAILURES;
    throw new TsopError(
      "migration-failed",
      `${failures.length} objects of ${this.#parts.crd} could not be rewritten: ${shown}${more > 0 ? `; and ${more} more` : ""}.`,
      "Fix them, or the webhook that rejects them, and run the command again to continue. No stored version was pruned.",
    );
  }

  /** The reason why an object could not be rewritten. */
  async #rewrite(resource: ResourceInfo, key: ObjectKey): Promise<string | undefined> {
    const { requests, clock, signal } = this.#parts;
    for (let tries = 1; ; tries++) {
      try {
        await requests.rewrite(resource, key);
        return undefined;
      } catch (error) {
        if (isNotFound(error)) {
          this.#gone++;
          return undefined;
        }
        if (signal.aborted || !(error instanceof StatusError)) throw error;
        // An object that others write all the time, or a webhook's own 409: only an answer shows
        // that it is stored anew.
        if (!isConflict(error) || tries === MAX_CONFLICTS) return messageOf(error);
        await clock.sleep(CONFLICT_WAIT_MS * tries, signal);
      }
    }
  }

  /**
   * Says in the CRD which version is stored; `false` when the objects that were rewritten are not
   * those of this CRD any more.
   */
  async #prune(target: MigrationTarget): Promise<boolean> {
    const { requests, file, storageVersion } = this.#parts;
    for (;;) {
      const definition = await this.definition();
      const now = targetOf(definition);
      if (now.uid !== target.uid || now.generation !== target.generation) return false;
      try {
        if (!isPruned(definition, storageVersion)) {
          await requests.patchDefinition(definition, { storedVersions: [storageVersion] });
        }
        file.remove();
        return true;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  }

  #result(definition: LiveDefinition, objects: number, pruned: boolean): MigrationResult {
    const { crd, storageVersion } = this.#parts;
    const storedVersions = definition.status?.storedVersions ?? [];
    return { crd, storageVersion, storedVersions, objects, gone: this.#gone, pruned };
  }
}

/** Whether the CRD says that nothing but the storage version is stored. */
export function isPruned({ status }: LiveDefinition, storageVersion: string): boolean {
  const { storedVersions } = status ?? {};
  return storedVersions?.length === 1 && storedVersions[0] === storageVersion;
}

function targetOf(definition: LiveDefinition): MigrationTarget {
  const { uid, generation = 0 } = definition.metadata;
  return { uid, generation, storageVersion: storageOf(definition) };
}

const storageOf = ({ spec }: LiveDefinition): string =>
  spec.versions?.find(({ storage }) => storage)?.name ?? "";

function resourceOf({ spec }: LiveDefinition, version: string): ResourceInfo {
  const { group = "", names = {}, scope } = spec;
  const { kind = "", plural = "" } = names;
  return { group, version, kind, plural, namespaced: scope === "Namespaced" };
}

const isConversionFailure = (error: unknown): error is StatusError =>
  error instanceof StatusError && /conversion webhook for .* (failed|returned)/.test(error.message);
