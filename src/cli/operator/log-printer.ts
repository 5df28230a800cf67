/**
 * Prints the log of an operator. A reconciler that throws is tried again and again: its error is
 * printed in full once, and counted on one line from then on.
 */
import type { Timer } from "../../clock.ts";
import { LruMap } from "../../runtime/lru.ts";
import type { CliContext } from "../context.ts";
import { withoutColors } from "../terminal-text.ts";
import {
  formatLogEntry,
  isErrorEntry,
  objectOfEntry,
  parseLogEntry,
  type LogEntry,
} from "./log-lines.ts";

/** The wait between two lines about one error; doubled after each of them. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 5000;
/** An error that stayed away that long is told in full again. */
const FORGOTTEN_MS = 5 * 60_000;
const REMEMBERED = 100;
const NAMED_OBJECTS = 3;

/** An error that was told in full. */
interface Told {
  /** The time of its last occurrence, and of the last line about it. */
  lastMs: number;
  toldMs: number;
  /** The time for which no further line is printed about it. */
  waitMs: number;
  repeats?: Repeats;
}

/** The occurrences of an error since the last line about it. */
interface Repeats {
  count: number;
  readonly objects: Set<string>;
  /** The last of them. */
  entry: LogEntry;
  /** The timer that prints them. */
  readonly timer: Timer;
}

/** The printed log of one operator's process. */
export class LogPrinter {
  readonly #context: CliContext;
  readonly #told = new LruMap<Told>(REMEMBERED);
  readonly #untold = new Set<Told>();

  constructor(context: CliContext) {
    this.#context = context;
  }

  /** Prints a line, or counts it. */
  print(line: string): void {
    const entry = parseLogEntry(line);
    if (!entry) this.#context.out(withoutColors(line));
    else if (!this.#isRepeated(entry)) this.#print(entry);
  }

  /** Prints the repeats that are not printed yet: the process has exited. */
  end(): void {
    for (const told of this.#untold) this.#tell(told);
  }

  #isRepeated(entry: LogEntry): boolean {
    const error = errorOf(entry);
    if (error === undefined || this.#context.env["TSOP_DEBUG"]) return false;
    const nowMs = this.#context.clock.monotonicMs();
    const told = this.#told.get(error);
    if (!told || nowMs - told.lastMs > FORGOTTEN_MS) {
      this.#told.set(error, { lastMs: nowMs, toldMs: nowMs, waitMs: FIRST_WAIT_MS });
      return false;
    }
    told.lastMs = nowMs;
    this.#count(told, entry);
    return true;
  }

  #count(told: Told, entry: LogEntry): void {
    const { others } = entry;
    const object = objectOfEntry(entry);
    const repeats = (told.repeats ??= this.#gather(told, entry));
    repeats.entry = entry;
    repeats.count += 1 + (typeof others === "number" ? others : 0);
    if (object !== undefined) repeats.objects.add(object);
  }

  #gather(told: Told, entry: LogEntry): Repeats {
    this.#untold.add(told);
    const waitMs = Math.max(0, told.toldMs + told.waitMs - told.lastMs);
    const timer = this.#context.clock.after(waitMs, () => {
      this.#tell(told);
    });
    return { count: 0, objects: new Set(), entry, timer };
  }

  #tell(told: Told): void {
    const { repeats } = told;
    delete told.repeats;
    this.#untold.delete(told);
    if (!repeats) return;
    repeats.timer.cancel();
    told.toldMs = this.#context.clock.monotonicMs();
    told.waitMs = Math.min(told.waitMs * 2, LONGEST_WAIT_MS);
    const { level, time, controller, namespace, name, msg } = repeats.entry;
    const objects = [...repeats.objects];
    const times = repeats.count === 1 ? "once more" : `${repeats.count} more times`;
    const about = objects.length > 1 ? `: ${listOf(objects)}` : "";
    const entry = {
      ...{ level, time, controller },
      ...(objects.length === 1 && { namespace, name }),
      msg: `${typeof msg === "string" ? msg : ""} (${times}${about})`,
    };
    this.#print(entry);
  }

  #print(entry: LogEntry): void {
    for (const line of formatLogEntry(entry, this.#context)) this.#context.out(line);
  }
}

/**
 * The controller and its error, without the object's name; `undefined` for a line that is not an
 * error of a controller.
 */
function errorOf(entry: LogEntry): string | undefined {
  const { controller, name, err } = entry;
  if (!isErrorEntry(entry) || typeof controller !== "string" || !err) return undefined;
  const text = `${controller} ${JSON.stringify(err)}`;
  return typeof name === "string" && name !== "" ? text.replaceAll(name, "...") : text;
}

function listOf(objects: readonly string[]): string {
  const named = objects.slice(0, NAMED_OBJECTS).join(", ");
  const more = objects.length - NAMED_OBJECTS;
  return more > 0 ? `${named} and ${more} more` : named;
}
