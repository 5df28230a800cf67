/** The status of an object as a shape: distinguishable without colors, and a word for screen readers. */
import type { JSX } from "preact";
import type { PageStatus } from "../cli/page/protocol.ts";

const WORDS: Readonly<Record<PageStatus, string>> = {
  Current: "Current",
  InProgress: "In progress",
  Failed: "Failed",
  Terminating: "Terminating",
  Unknown: "Unknown",
};

const SHAPES: Readonly<Record<PageStatus, JSX.Element>> = {
  Current: <circle cx="6" cy="6" r="4.5" fill="currentColor" />,
  InProgress: (
    <>
      <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M6 1.5a4.5 4.5 0 0 1 0 9z" fill="currentColor" />
    </>
  ),
  Failed: <path d="M2 2l8 8M10 2l-8 8" fill="none" stroke="currentColor" stroke-width="2" />,
  Terminating: <path d="M1.5 6h9" fill="none" stroke="currentColor" stroke-width="2" />,
  Unknown: (
    <circle
      cx="6"
      cy="6"
      r="4.5"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-dasharray="2 2"
    />
  ),
};

export function statusWord(status: PageStatus): string {
  return WORDS[status];
}

/** The words of the mark of an object whose last reconcile failed. */
export const FAILING = "Last reconcile failed";

/** The mark of an object whose last reconcile failed, beside its status. */
export function FailingMark(): JSX.Element {
  return (
    <svg class="mark failing" viewBox="0 0 12 12" role="img" aria-label={FAILING}>
      <path d="M6 1l5.5 10h-11z" fill="none" stroke="currentColor" stroke-width="1.3" />
      <path d="M6 4.5v3.2M6 8.6v1.2" fill="none" stroke="currentColor" stroke-width="1.4" />
    </svg>
  );
}

export function StatusMark({ status }: { readonly status: PageStatus }): JSX.Element {
  return (
    <svg class={`mark ${status}`} viewBox="0 0 12 12" role="img" aria-label={WORDS[status]}>
      {SHAPES[status]}
    </svg>
  );
}
