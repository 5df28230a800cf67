/** The events in the answer to a watch. */
import { isJson, isJsonObject } from "../../kube/json.ts";
import type { KubeObject } from "../../kube/object.ts";
import { lineSplitter } from "../transport/lines.ts";
import { ConnectionError, type TransportResponse } from "../transport/transport.ts";
import { brokenAnswer, statusErrorOfEvent } from "./answers.ts";
import { parseExact } from "./json/exact-json.ts";
import type { ManagedFieldsListener } from "./json/managed-fields.ts";
import { ObjectReader, utf8TextOf } from "./json/object-reader.ts";

/** A change of an object, or a bookmark. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | WatchBookmark;

/** The progress of a watch: only the version from which to resume. */
export interface WatchBookmark {
  readonly type: "BOOKMARK";
  readonly object: {
    apiVersion: string;
    kind: string;
    metadata: { resourceVersion: string; annotations?: Record<string, string> };
  };
}

/**
 * The events of a watch, in batches as they arrive. It ends when the server closes the stream, or
 * the connection breaks: in both cases the watch resumes from the last version.
 *
 * @throws StatusError for an `ERROR` event, and with 500 for a line that is not an event
 */
export type WatchStream<T extends KubeObject = KubeObject> = AsyncIterable<
  readonly WatchEvent<T>[]
>;

// Dozens of times the largest object that etcd stores; a longer line is no event.
const LARGEST_EVENT_BYTES = 64 * 1024 * 1024;

const EVENT_TYPES = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]);

/**
 * The last bookmark of the watches of a kind, as bytes and decoded: in a quiet cluster the next one
 * is the same, also in the next watch.
 */
export interface BookmarkMemory {
  last?: { readonly chunk: Buffer; readonly decoded: Decoded } | undefined;
}

interface WatchReading {
  readonly withoutManagedFields: boolean;
  /** Called for each object that has managedFields. */
  readonly onManagedFields?: ManagedFieldsListener | undefined;
  /** The memory of bookmarks; the reader's own when absent. */
  readonly bookmarks?: BookmarkMemory | undefined;
  readonly signal?: AbortSignal | undefined;
}

export function watchEvents<T extends KubeObject>(
  response: TransportResponse,
  reading: WatchReading,
): WatchStream<T> {
  return new EventReader<T>(response, reading);
}

type Batch<T extends KubeObject> = IteratorResult<readonly WatchEvent<T>[], undefined>;

/** Not a generator: its promises would be most of the cost of a quiet watch. */
class EventReader<T extends KubeObject> implements AsyncIterableIterator<
  readonly WatchEvent<T>[],
  undefined
> {
  readonly #response: TransportResponse;
  readonly #reader: ObjectReader;
  readonly #signal: AbortSignal | undefined;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #lines = lineSplitter(LARGEST_EVENT_BYTES);
  readonly #bookmarks: BookmarkMemory;
  #failure: Error | undefined;
  #over = false;

  constructor(
    response: TransportResponse,
    { withoutManagedFields, onManagedFields, bookmarks = {}, signal }: WatchReading,
  ) {
    this.#response = response;
    this.#reader = new ObjectReader(withoutManagedFields, onManagedFields);
    this.#bookmarks = bookmarks;
    this.#signal = signal;
    this.#chunks = response.body[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Batch<T>> {
    try {
      while (!this.#over) {
        if (this.#failure) throw this.#failure;
        const chunk = await this.#chunks.next();
        const { events, error } = chunk.done ? this.#lastEvents() : this.#eventsIn(chunk.value);
        // The events before an error are valid.
        this.#failure = error;
        if (chunk.done && !error) this.#end();
        if (events.length > 0) return { done: false, value: events };
      }
    } catch (error) {
      await this.return();
      if (!(error instanceof ConnectionError) || this.#signal?.aborted) throw error;
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<Batch<T>> {
    if (!this.#over) {
      this.#end();
      await this.#chunks.return?.();
    }
    return { done: true, value: undefined };
  }

  #end(): void {
    this.#over = true;
    this.#response.cancel();
  }

  #eventsIn(chunk: Uint8Array): Decoded<T> {
    const { last } = this.#bookmarks;
    // After an incomplete event the same bytes would be its rest.
    if (this.#lines.isBetween && last?.chunk.equals(chunk)) return last.decoded;
    const isBookmark = this.#lines.isBetween && isOneBookmark(chunk);
    // A copy, since parsing may change the bytes.
    const copy = isBookmark ? Buffer.from(chunk) : undefined;
    const decode = (lines: Buffer): Decoded<T> => decodeEvents(lines, this.#reader);
    const decoded = this.#lines.add(chunk, decode) ?? NOTHING;
    if (copy) this.#bookmarks.last = { chunk: copy, decoded: decoded as Decoded };
    return decoded;
  }

  /** Half an event at the end means a cut connection, which is not an error. */
  #lastEvents(): Decoded<T> {
    const { rest } = this.#lines;
    const isWhole = rest.length > 0 && isJson(utf8TextOf(rest));
    return isWhole ? decodeEvents(rest, this.#reader) : NOTHING;
  }
}

const NOTHING = { events: [] };
const BOOKMARK = Buffer.from('{"type":"BOOKMARK"');
const NEWLINE = 0x0a;

/** Whether the bytes begin with a bookmark and are one whole line. */
function isOneBookmark(chunk: Uint8Array): boolean {
  if (chunk.at(-1) !== NEWLINE || chunk.indexOf(NEWLINE) < chunk.length - 1) return false;
  return BOOKMARK.every((byte, index) => chunk[index] === byte);
}

interface Decoded<T extends KubeObject = never> {
  readonly events: readonly WatchEvent<T>[];
  readonly error?: Error;
}

/** The events of some lines, up to the first line that is not one. */
function decodeEvents<T extends KubeObject>(lines: Buffer, reader: ObjectReader): Decoded<T> {
  const together = parseTogether(lines, reader);
  if (together?.every(isEvent)) return { events: together as WatchEvent<T>[] };
  const events: WatchEvent<T>[] = [];
  for (const line of utf8TextOf(lines).split("\n")) {
    if (line.trim() === "") continue;
    const event = decodeEvent<T>(line);
    if (event instanceof Error) return { events, error: event };
    events.push(event);
  }
  return { events };
}

/**
 * The values of all lines, parsed as one array, which is a third faster; `undefined` where a line
 * is broken.
 */
function parseTogether(lines: Buffer, reader: ObjectReader): unknown[] | undefined {
  try {
    return reader.lines(lines, objectOf);
  } catch {
    // Parsing line by line shows which line is broken, and the values of the others.
    return undefined;
  }
}

function objectOf(event: unknown): unknown {
  return (event as { object?: unknown } | null)?.object;
}

function isEvent(value: unknown): boolean {
  const event = value as { type?: string; object?: unknown } | null;
  return EVENT_TYPES.has(event?.type ?? "") && isJsonObject(event?.object);
}

function decodeEvent<T extends KubeObject>(line: string): WatchEvent<T> | Error {
  let event: { type?: string; object?: unknown } | null;
  try {
    event = parseExact(line) as typeof event;
  } catch {
    // Without the text of the line, which may be a Secret; the parser's error quotes it.
    return brokenAnswer(
      `unable to decode an event from the watch stream: ${line.length} characters that are not JSON`,
    );
  }
  if (event?.type === "ERROR") return statusErrorOfEvent(event.object);
  if (isEvent(event)) return event as WatchEvent<T>;
  return brokenAnswer(
    `unable to decode an event from the watch stream: got invalid watch event type: ${String(event?.type).slice(0, 100)}`,
  );
}
