/** Follows the journal of an operator by its server-sent events. */
import { TextDecoderStream } from "node:stream/web";
import type { JournalEntry } from "../../runtime/journal/entry.ts";
import { openJournal, type JournalPlace } from "../journal/journal-place.ts";

interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

export interface JournalListener {
  /** The journal begins: of another start of the operator than before, maybe. */
  began(instance: string): void;
  ended(entry: JournalEntry): void;
}

/** The longest line that an operator sends, with room. */
const LONGEST_EVENT = 32 * 1024 * 1024;

/**
 * Hands over all entries that the journal keeps, then each that comes, until the operator ends the
 * stream or `signal` aborts.
 *
 * @throws TsopError `journal-away`, `journal-refused`
 */
export async function followJournal(
  place: JournalPlace,
  listener: JournalListener,
  signal: AbortSignal,
): Promise<void> {
  const response = await openJournal(place, "/debug/journal/events", signal);
  if (!response.body) return;
  for await (const { event, data } of serverSentEvents(response.body)) {
    if (event === "instance") listener.began(JSON.parse(data) as string);
    if (event === "reconcile") listener.ended(JSON.parse(data) as JournalEntry);
  }
}

/** Reads events of a stream as they come. Comments are left out. */
async function* serverSentEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  let rest = "";
  let event = "message";
  let data: string[] = [];
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    rest += text;
    if (rest.length > LONGEST_EVENT) throw new Error("an event of the journal does not end");
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) yield { event, data: data.join("\n") };
        event = "message";
        data = [];
      } else if (line.startsWith("event:")) event = line.slice(6).trim();
      else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
    }
  }
}
