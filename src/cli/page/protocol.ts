/** The messages to the page: lines of JSON, each a message. Types alone, which the page in the browser shares. */
import type { JournalEntry } from "../../runtime/journal/entry.ts";
import type { QueueState } from "../../runtime/controller/activity.ts";

/** The progress of an object, in the words of kstatus. */
export type PageStatus = "Current" | "InProgress" | "Failed" | "Terminating" | "Unknown";

/** An object of the project's kinds, or one that such an object owns. Nothing of its content is told but its state. */
export interface PageObject {
  readonly uid: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  /** The owner that it is drawn under: its controller, or another one. */
  readonly parent?: string;
  readonly status: PageStatus;
  /** The explanation that kstatus gives. */
  readonly message: string;
  readonly createdMs: number;
}

export interface PageEvent {
  readonly uid: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly lastMs: number;
  readonly source: string;
  /** The kind of the object that the Event is about. */
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface PageRight {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  /**
   * The scope in which the project's roles grant it: everywhere, in some namespaces, for some
   * names; absent where they do not.
   */
  readonly granted?: string;
  /** How many requests needed it. */
  readonly used: number;
  /** How many of them were refused. */
  readonly refused: number;
}

/** A reconcile, and the start of the operator that it is of. */
export interface PageReconcile extends JournalEntry {
  readonly instance: string;
}

export interface PageQueue extends QueueState {
  readonly instance: string;
}

export interface PageTitle {
  /** The project's or the operator's name. */
  readonly name: string;
  /** `tsop dev`, the name of a context, an address. */
  readonly place: string;
  /** The project's folder: places in its files are shown without it. */
  readonly root?: string;
  /** The first search. */
  readonly search?: string;
  /** Whether there is a cluster to read objects from. */
  readonly hasObjects: boolean;
  /** The kinds of the project, for a page without objects. */
  readonly kinds: readonly string[];
}

/** Whether the operator answers. */
export interface PageOperator {
  readonly state: "unknown" | "starting" | "running" | "away";
  /** The reason why it does not. */
  readonly problem?: string;
}

/** One line of the stream. The first ones hold the whole state. */
export type PageMessage =
  | { readonly type: "title"; readonly title: PageTitle }
  | { readonly type: "operator"; readonly operator: PageOperator }
  | {
      readonly type: "objects";
      /** All objects follow: those that were known before are not there any more. */
      readonly all?: true;
      /** Whether the first lists are there: before that, nobody knows which objects there are. */
      readonly isLoaded?: boolean;
      readonly changed: readonly PageObject[];
      /** The uids of the objects that are gone. */
      readonly gone: readonly string[];
    }
  | { readonly type: "events"; readonly all?: true; readonly events: readonly PageEvent[] }
  | { readonly type: "reconciles"; readonly all?: true; readonly entries: readonly PageReconcile[] }
  | { readonly type: "queues"; readonly nowMs: number; readonly queues: readonly PageQueue[] }
  /** Lines of mistakes in the code that was saved last; the operator runs the code before. */
  | { readonly type: "mistakes"; readonly mistakes: readonly string[] }
  | { readonly type: "rights"; readonly rights: readonly PageRight[] }
  /** The problems that keep objects from being watched, with the reason. */
  | { readonly type: "problems"; readonly problems: readonly string[] };
