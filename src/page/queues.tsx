/** The work of each controller: keys in hand, queued keys, and keys that wait for their time. */
import type { JSX } from "preact";
import type { PageQueue } from "../cli/page/protocol.ts";
import type { PageState } from "./state.ts";
import { counted, duration } from "./words.ts";

const MOST_KEYS = 50;

export function Queues({ state }: { readonly state: PageState }): JSX.Element {
  const { queues, queuesAtMs } = state;
  return (
    <section class="queues" aria-labelledby="queues-title">
      <div class="bar">
        <h2 id="queues-title">Queues</h2>
      </div>
      {queues.length === 0 ? (
        <p class="empty">No controller runs yet. The terminal says what the operator waits for.</p>
      ) : (
        <ul class="cards">
          {queues.map((queue) => (
            <li key={`${queue.instance} ${queue.controller}`}>
              <h3>{queue.controller}</h3>
              <Queue queue={queue} nowMs={queuesAtMs} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Queue({
  queue,
  nowMs,
}: {
  readonly queue: PageQueue;
  readonly nowMs: number;
}): JSX.Element {
  const { inHand, depth, waiting } = queue;
  const soonest = [...waiting].sort((a, b) => a.atMs - b.atMs);
  return (
    <dl class="facts">
      <dt>Works on</dt>
      <dd>{inHand.length === 0 ? <span class="dim">nothing</span> : inHand.join(", ")}</dd>
      <dt>Queued</dt>
      <dd>{depth === 0 ? <span class="dim">nothing</span> : counted(depth, "key")}</dd>
      <dt>Waiting</dt>
      <dd>
        {soonest.length === 0 ? (
          <span class="dim">nothing</span>
        ) : (
          <ul>
            {soonest.slice(0, MOST_KEYS).map(({ key, atMs }) => (
              <li key={key}>
                {key} <span class="dim">in {duration(Math.max(0, atMs - nowMs))}</span>
              </li>
            ))}
            {soonest.length > MOST_KEYS && (
              <li class="dim">and {counted(soonest.length - MOST_KEYS, "more key")}</li>
            )}
          </ul>
        )}
      </dd>
    </dl>
  );
}
