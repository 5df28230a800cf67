/** Errors of reconciles, grouped by place. */
import type { JSX } from "preact";
import type { ErrorGroup } from "./about.ts";
import { ErrorText } from "./error-text.tsx";
import { clockTime, fullTime, isoTime, keyText } from "./words.ts";

export interface ErrorsProps {
  readonly groups: readonly ErrorGroup[];
  readonly root: string | undefined;
  /** The key of the selected object. */
  readonly about: string | undefined;
}

export function Errors({ groups, root, about }: ErrorsProps): JSX.Element {
  return (
    <section class="errors" aria-labelledby="errors-title">
      <div class="bar">
        <h2 id="errors-title">
          Errors{about !== undefined && <span class="dim"> about {about}</span>}
        </h2>
      </div>
      {groups.length === 0 ? (
        <p class="empty">No reconcile failed{about === undefined ? "" : ` because of ${about}`}.</p>
      ) : (
        <ul class="cards">
          {groups.map(({ id, error, last, count, isOver }) => (
            <li key={id} class={isOver ? "over" : "failed"}>
              <p>
                <strong>{last.controller}</strong> {keyText(last)}{" "}
                <span class="dim">
                  {count > 1 ? `${count} times, last ` : ""}
                  <time dateTime={isoTime(last.atMs)} title={fullTime(last.atMs)}>
                    {clockTime(last.atMs)}
                  </time>
                  {isOver && ", succeeded since"}
                </span>
              </p>
              <ErrorText error={error} root={root} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
