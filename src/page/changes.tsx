/** Changed fields, with their old and new values. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { FieldChange } from "../runtime/journal/entry.ts";
import { Breakable } from "./breakable.tsx";
import { counted, valueText } from "./words.ts";

const SHOWN = 8;

export interface ChangesProps {
  readonly changes: readonly FieldChange[];
  readonly more: number;
}

/** A list of fields; nothing without changes. */
export function Changes({ changes, more }: ChangesProps): JSX.Element | null {
  const [all, setAll] = useState(false);
  if (changes.length === 0) return null;
  const shown = all ? changes : changes.slice(0, SHOWN);
  const hidden = changes.length - shown.length;
  return (
    <>
      <ul class="changes">
        {shown.map(({ path, before, after }) => (
          <li key={path}>
            <code>
              <Breakable text={path} />
            </code>{" "}
            {before !== undefined && <del>{valueText(before)}</del>}{" "}
            {after === undefined ? <span class="dim">removed</span> : <ins>{valueText(after)}</ins>}
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {counted(hidden, "more field")}
        </button>
      )}
      {hidden === 0 && more > 0 && (
        <p class="dim">{counted(more, "more field")} that the journal did not keep</p>
      )}
    </>
  );
}
