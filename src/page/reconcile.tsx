/** One reconcile: its line, and its details: causes, reads, writes, outcome. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PageReconcile } from "../cli/page/protocol.ts";
import type { JournalCause, JournalRead, JournalWrite } from "../runtime/journal/entry.ts";
import { endingOf } from "./about.ts";
import { Changes } from "./changes.tsx";
import { ErrorText } from "./error-text.tsx";
import { clockTime, counted, duration, fullTime, isoTime, keyText, objectText } from "./words.ts";

export interface ReconcileProps {
  readonly id: string;
  readonly entry: PageReconcile;
  /** Whether a link on the page opened it. */
  readonly isOpen: boolean;
  /** Whether the next row below is from an earlier run of the operator. */
  readonly isFirstOfRun: boolean;
  readonly root: string | undefined;
  /** The reconciles that links can lead to. */
  readonly hasOrigin: ReadonlyMap<string, unknown>;
  readonly onOrigin: (id: string) => void;
}

const ENDINGS = { failed: "failed", wrote: "changed", quiet: "no change" } as const;

/** A row of the timeline. */
export function Reconcile(props: ReconcileProps): JSX.Element {
  const { id, entry, isOpen, isFirstOfRun } = props;
  const [open, setOpen] = useState(isOpen);
  useEffect(() => {
    if (isOpen) setOpen(true);
  }, [isOpen]);
  const ending = endingOf(entry);
  const [cause] = entry.causes;
  return (
    <>
      <li id={id} class={ending}>
        <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            <time dateTime={isoTime(entry.atMs)} title={fullTime(entry.atMs)}>
              {clockTime(entry.atMs)}
            </time>
            <span class="key">
              <strong>{entry.controller}</strong> {keyText(entry)}
            </span>
            <span class={`ending ${ending}`}>{ENDINGS[ending]}</span>
            <span class="took">{duration(entry.durationMs)}</span>
            <span class="because">
              {cause?.text ?? "no cause is known"}
              {entry.causes.length > 1 &&
                `, and ${counted(entry.causes.length - 1, "other", "others")}`}
              {writesText(entry.writes)}
            </span>
          </summary>
          {open && <Story {...props} />}
        </details>
      </li>
      {isFirstOfRun && <li class="run">The operator restarted</li>}
    </>
  );
}

function writesText(writes: readonly JournalWrite[]): string {
  if (writes.length === 0) return "";
  const [first] = writes;
  if (writes.length === 1 && first) return `; ${first.verb} ${objectText(first.object)}`;
  return `; ${counted(writes.length, "write")}`;
}

function Story({ entry, root, hasOrigin, onOrigin }: ReconcileProps): JSX.Element {
  const { causes, reads, writes, error, failures, requeueAfterMs, leftOut, queueDepth } = entry;
  return (
    <dl class="story">
      {causes.length > 0 && (
        <>
          <dt>Because</dt>
          {causes.map((cause, index) => (
            <dd key={index}>
              <Cause cause={cause} hasOrigin={hasOrigin} onOrigin={onOrigin} />
            </dd>
          ))}
        </>
      )}
      {reads.length > 0 && (
        <>
          <dt>Read</dt>
          <dd>
            <ul class="reads">
              {reads.map((read, index) => (
                <li key={index}>{readText(read)}</li>
              ))}
            </ul>
          </dd>
        </>
      )}
      {writes.length > 0 && (
        <>
          <dt>Wrote</dt>
          {writes.map((write, index) => (
            <dd key={index}>
              <Write write={write} />
            </dd>
          ))}
        </>
      )}
      {error && (
        <>
          <dt>Failed</dt>
          <dd>
            <ErrorText error={error} root={root} />
          </dd>
        </>
      )}
      {requeueAfterMs !== undefined && (
        <>
          <dt>Next</dt>
          <dd>again after {duration(requeueAfterMs)}</dd>
        </>
      )}
      <dt>Also</dt>
      <dd class="dim">
        id {entry.id}, {counted(queueDepth, "key")} behind it in the queue
        {failures > 0 && `, after ${counted(failures, "failure")}`}
        {leftOut !== undefined &&
          `, ${counted(leftOut, "read or write", "reads and writes")} not listed`}
      </dd>
    </dl>
  );
}

interface CauseProps extends Pick<ReconcileProps, "hasOrigin" | "onOrigin"> {
  readonly cause: JournalCause;
}

function Cause({ cause, hasOrigin, onOrigin }: CauseProps): JSX.Element {
  const { text, object, writtenBy, changes = [], more = 0 } = cause;
  const version = object?.resourceVersion;
  return (
    <>
      <p>
        {text}
        {version !== undefined && <span class="dim">, version {version}</span>}
        {writtenBy !== undefined && (
          <>
            {", which reconcile "}
            {hasOrigin.has(writtenBy) ? (
              <button type="button" class="link" onClick={() => onOrigin(writtenBy)}>
                {writtenBy}
              </button>
            ) : (
              writtenBy
            )}
            {" wrote"}
          </>
        )}
      </p>
      <Changes changes={changes} more={more} />
    </>
  );
}

function Write({ write }: { readonly write: JournalWrite }): JSX.Element {
  const { verb, object, subresource, changes = [], more = 0, error, afterMs } = write;
  const notes = [
    ...(subresource === undefined ? [] : [subresource]),
    ...(write.dryRun ? ["as a dry run"] : []),
    ...(write.unchanged ? ["nothing changed"] : []),
    ...(write.sentOnly ? ["as sent; the previous values are not known"] : []),
    `after ${duration(afterMs)}, in ${duration(write.durationMs)}`,
  ];
  return (
    <>
      <p>
        <strong>{verb}</strong> {objectText(object)} <span class="dim">{notes.join(", ")}</span>
      </p>
      {error !== undefined && <p class="refusal">Refused: {error}</p>}
      <Changes changes={changes} more={more} />
    </>
  );
}

function readText({ object, found, from, times }: JournalRead): string {
  const notes = [
    ...(object.name === undefined ? [counted(found, "object")] : found === 0 ? ["not there"] : []),
    ...(from === "server" ? ["from the server"] : []),
    ...(times > 1 ? [`${times} times`] : []),
  ];
  return `${objectText(object)}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
}
