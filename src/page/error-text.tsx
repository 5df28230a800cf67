/** The error of a reconcile, and its place in the author's code. */
import type { JSX } from "preact";
import type { JournalError } from "../runtime/journal/entry.ts";
import { placeText } from "./words.ts";

export interface ErrorTextProps {
  readonly error: JournalError;
  readonly root: string | undefined;
}

/** The message, the place and the stack. */
export function ErrorText({ error, root }: ErrorTextProps): JSX.Element {
  const { message, code, place, stack } = error;
  return (
    <>
      <p class="message">
        {message}
        {code !== undefined && <span class="dim"> ({code})</span>}
      </p>
      {place !== undefined && (
        <p class="place">
          at <code>{placeText(place, root)}</code>
        </p>
      )}
      {stack !== undefined && (
        <details class="stack">
          <summary>Stack</summary>
          <pre tabIndex={0}>{stack}</pre>
        </details>
      )}
    </>
  );
}
