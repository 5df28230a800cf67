/**
 * What the journal says of a reconcile: plain data, as it is served.
 *
 * @module
 */
import type { Json } from "../../kube/object.ts";
import type { CauseType } from "../controller/reconcile-observer.ts";

/** Names an object of a kind. */
export interface JournalObject {
  /** Unknown for a request of a kind that this process has not seen an object of. */
  readonly kind?: string;
  /** `deployments.apps`. */
  readonly resource: string;
  readonly namespace?: string;
  /** Absent for all objects of the kind. */
  readonly name?: string;
  readonly resourceVersion?: string;
}

/** A field that is another one than before. */
export interface FieldChange {
  /** `spec.containers[name=web].image`. */
  readonly path: string;
  /** Absent where there was none. */
  readonly before?: Json;
  /** Absent where there is none any more. */
  readonly after?: Json;
}

/** Changes of fields, of which the first few are kept. */
export interface FieldChanges {
  readonly changes: readonly FieldChange[];
  /** How many more there are. */
  readonly more?: number;
}

/** Why a reconcile ran. */
export interface JournalCause extends Partial<FieldChanges> {
  readonly type: CauseType;
  /** `update of Deployment d/web`. */
  readonly text: string;
  /** What the event is about, in the version that it tells of. */
  readonly object?: JournalObject;
  /** The reconcile of this operator that wrote that version. */
  readonly writtenBy?: string;
}

/** What a reconcile looked at. */
export interface JournalRead {
  readonly from: "cache" | "server";
  readonly object: JournalObject;
  /** How many objects there were. */
  readonly found: number;
  /** How often. */
  readonly times: number;
}

/** What a reconcile asked the server to change. */
export interface JournalWrite extends Partial<FieldChanges> {
  readonly verb: string;
  readonly object: JournalObject;
  readonly subresource?: string;
  /** From the begin of the reconcile, in milliseconds. */
  readonly afterMs: number;
  readonly durationMs: number;
  readonly dryRun?: true;
  /** The server has what it had before. */
  readonly unchanged?: true;
  /** What was before is not known: the changes are what was sent. */
  readonly sentOnly?: true;
  /** Why the server did not take it. */
  readonly error?: string;
}

/** Why a reconcile failed. */
export interface JournalError {
  readonly message: string;
  /** Of a `TsopError`, or the reason of an API server's answer. */
  readonly code?: string;
  /** Where in the author's code: `src/controllers/web.ts:41:9`. */
  readonly place?: string;
  readonly stack?: string;
}

/** One reconcile. */
export interface JournalEntry {
  /** Counted up from 1 by the process. */
  readonly number: number;
  /** As in the log. */
  readonly id: string;
  readonly controller: string;
  /** Of the object; absent for a controller that is for no kind. */
  readonly kind?: string;
  /** Of that kind: `deployments.apps`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name: string;
  /** When it began, in milliseconds since 1970. */
  readonly atMs: number;
  readonly durationMs: number;
  readonly causes: readonly JournalCause[];
  /** How often the key has failed in a row before. */
  readonly failures: number;
  /** How many keys waited behind it. */
  readonly queueDepth: number;
  readonly reads: readonly JournalRead[];
  readonly writes: readonly JournalWrite[];
  /** How many reads and writes are not listed. */
  readonly leftOut?: number;
  readonly outcome: "success" | "requeue_after" | "error";
  readonly requeueAfterMs?: number;
  readonly error?: JournalError;
}
