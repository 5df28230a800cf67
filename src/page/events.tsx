/** Events of Kubernetes about the project's objects, the latest first. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { PageEvent, PageObject } from "../cli/page/protocol.ts";
import { isEventAbout } from "./about.ts";
import { clockSeconds, fullTime, isoTime, keyText } from "./words.ts";

export interface EventsProps {
  readonly events: readonly PageEvent[];
  readonly objects: ReadonlyMap<string, PageObject>;
  readonly object: PageObject | undefined;
  readonly onSelect: (object: PageObject) => void;
}

const PORTION = 100;

export function Events({ events, objects, object, onSelect }: EventsProps): JSX.Element {
  const [limit, setLimit] = useState(PORTION);
  const latest = useMemo(() => [...events].sort((a, b) => b.lastMs - a.lastMs), [events]);
  return (
    <section class="events" aria-labelledby="events-title">
      <div class="bar">
        <h2 id="events-title">
          Events{object && <span class="dim"> about {keyText(object)}</span>}
        </h2>
      </div>
      {latest.length === 0 ? (
        <p class="empty">
          There are no events about {object ? keyText(object) : "these objects"}. Kubernetes forgets
          events after an hour; an operator writes them with <code>manager.recorder</code>.
        </p>
      ) : (
        <ul class="cards">
          {latest.slice(0, limit).map((event) => (
            <EventRow key={event.uid} event={event} objects={objects} onSelect={onSelect} />
          ))}
        </ul>
      )}
      {latest.length > limit && (
        <button type="button" class="more" onClick={() => setLimit(limit + PORTION)}>
          Show more
        </button>
      )}
    </section>
  );
}

interface EventRowProps extends Pick<EventsProps, "objects" | "onSelect"> {
  readonly event: PageEvent;
}

function EventRow({ event, objects, onSelect }: EventRowProps): JSX.Element {
  const { type, reason, message, count, lastMs, source, kind } = event;
  const pick = (): void => {
    const found = [...objects.values()].find((one) => isEventAbout(event, one));
    if (found) onSelect(found);
  };
  return (
    <li class={type === "Warning" ? "failed" : undefined}>
      <p>
        <time dateTime={isoTime(lastMs)} title={fullTime(lastMs)}>
          {clockSeconds(lastMs)}
        </time>{" "}
        <strong>{reason}</strong> {type === "Warning" && <span class="ending failed">Warning</span>}{" "}
        <button type="button" class="link" onClick={pick}>
          {kind} {keyText(event)}
        </button>
      </p>
      <p class="message">{message}</p>
      <p class="dim">
        {source}
        {count > 1 && `, ${count} times`}
      </p>
    </li>
  );
}
