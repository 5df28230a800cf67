/**
 * Objects that a command applies or removes one after the other, with a note of those that are done
 * and those that are left when the command ends in the middle.
 */
import { TsopError } from "../../errors.ts";
import { formatKey, keyOf, type ManifestObject } from "../../kube/object.ts";
import { ConnectionError } from "../../runtime/transport/transport.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../output.ts";

/** How many of the objects that are left are named. */
const NAMED = 5;

/** The kind of work, and whether it is reported. */
export interface WorkOptions {
  readonly done: "applied" | "deleted";
  /** Reports nothing: for a dry run, or one that is tried again by itself. */
  readonly quiet: boolean;
}

/** Keeps count of a command's work on objects. */
export class UnfinishedWork {
  readonly #left: Set<ManifestObject>;
  readonly #total: number;
  readonly #options: WorkOptions;
  #begun: ManifestObject | undefined;

  constructor(objects: readonly ManifestObject[], options: WorkOptions) {
    this.#left = new Set(objects);
    this.#total = this.#left.size;
    this.#options = options;
  }

  /** Notes the object as begun: from here on its state in the cluster is not known. */
  begin(object: ManifestObject): void {
    this.#begun = object;
  }

  /** The object is as it should be. */
  finish(object: ManifestObject): void {
    this.#left.delete(object);
    this.#begun = undefined;
  }

  /** Does the work; when it fails in the middle, a note says how far it came. */
  async tellingHowFar(context: CliContext, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const text = this.#options.quiet ? undefined : this.#textAfter(error);
      if (text !== undefined) context.err(`${paint(context).yellow("note")} ${text}`);
      throw error;
    }
  }

  #textAfter(error: unknown): string | undefined {
    const { done } = this.#options;
    // An answer of the API server says that it did not do it.
    const isAnswered = !(error instanceof ConnectionError || isTimeout(error));
    const unknown = isAnswered ? undefined : this.#begun;
    const finished = this.#total - this.#left.size;
    if (finished === 0 && !unknown) return isAnswered ? undefined : `nothing was ${done}.`;
    const rest = [...this.#left].filter((object) => object !== unknown);
    const names = rest.slice(0, NAMED).map(nameOf).join(", ");
    const more = rest.length > NAMED ? ` and ${rest.length - NAMED} more` : "";
    const parts = [
      `done with ${finished} of ${this.#total} objects`,
      ...(unknown ? [`it is not known whether ${nameOf(unknown)} was ${done}`] : []),
      ...(rest.length > 0 ? [`not ${done}: ${names}${more}`] : []),
    ];
    return `${parts.join("; ")}. Run the same command to continue.`;
  }
}

const isTimeout = (error: unknown): boolean =>
  error instanceof TsopError && error.code === "timeout";

const nameOf = (object: ManifestObject): string => `${object.kind} ${formatKey(keyOf(object))}`;
