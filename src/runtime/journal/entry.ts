/** A journal entry of a reconcile: plain data, as it is served. */
import type { Json } from "../../kube/object.ts";
import type { CauseType } from "../controller/sources/handlers.ts";

/** The identity of an object. */
export interface JournalObject {
  /** The kind; unknown for a request of a kind of which this process has not seen an object. */
  readonly kind?: string;
  /** The resource: `deployments.apps`. */
  readonly resource: string;
  readonly namespace?: string;
  /** The name; absent for all objects of the kind. */
  readonly name?: string;
  readonly resourceVersion?: string;
}

/** A changed field. */
export interface FieldChange {
  /** The path: `spec.containers[name=web].image`. */
  readonly path: string;
  /** The old value; absent for a new field. */
  readonly before?: Json;
  /** The new value; absent for a removed field. */
  readonly after?: Json;
}

/** Changed fields, of which the first few are kept. */
export interface FieldChanges {
  readonly changes: readonly FieldChange[];
  /** How many more there are. */
  readonly more?: number;
}

/** The cause of a reconcile. */
export interface JournalCause extends Partial<FieldChanges> {
  readonly type: CauseType;
  /** The text of the cause: `update of Deployment d/web`. */
  readonly text: string;
  /** The object of the event, in the version of the event. */
  readonly object?: JournalObject;
  /** The reconcile of this operator that wrote that version. */
  readonly writtenBy?: string;
}

/** A read of a reconcile. */
export interface JournalRead {
  readonly from: "cache" | "server";
  readonly object: JournalObject;
  /** How many objects were found. */
  readonly found: number;
  /** How often it was read. */
  readonly times: number;
}

/** A write of a reconcile. */
export interface JournalWrite extends Partial<FieldChanges> {
  readonly verb: string;
  readonly object: JournalObject;
  readonly subresource?: string;
  /** The time since the start of the reconcile, in milliseconds. */
  readonly afterMs: number;
  readonly durationMs: number;
  readonly dryRun?: true;
  /** Whether the write changed nothing. */
  readonly unchanged?: true;
  /** Whether the state before is unknown: the changes are then the fields that were sent. */
  readonly sentOnly?: true;
  /** The error of a refused write. */
  readonly error?: string;
}

/** The failure of a reconcile. */
export interface JournalError {
  readonly message: string;
  /** The code of a `TsopError`, or the reason of an API server's answer. */
  readonly code?: string;
  /** The place in the author's code: `src/controllers/web.ts:41:9`. */
  readonly place?: string;
  readonly stack?: string;
}

/** One reconcile. */
export interface JournalEntry {
  /** The number, counted from 1 by the process. */
  readonly number: number;
  /** The id, as in the log. */
  readonly id: string;
  readonly controller: string;
  /** The kind of the object; absent for a controller without a kind. */
  readonly kind?: string;
  /** The resource of that kind: `deployments.apps`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name: string;
  /** The start, in milliseconds since 1970. */
  readonly atMs: number;
  readonly durationMs: number;
  readonly causes: readonly JournalCause[];
  /** How often the key has failed in a row before. */
  readonly failures: number;
  /** How many keys waited in line. */
  readonly queueDepth: number;
  readonly reads: readonly JournalRead[];
  readonly writes: readonly JournalWrite[];
  /** How many reads and writes are not listed. */
  readonly leftOut?: number;
  readonly outcome: "success" | "requeue_after" | "error";
  readonly requeueAfterMs?: number;
  readonly error?: JournalError;
}
