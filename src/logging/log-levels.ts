/** The levels of a log: one for all lines, and others for components. They change at run time. */
import { TsopError } from "../errors.ts";

/** A level: lines of it and of those after it are written. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** A level, or `info,controller/web=debug`: also those of components. */
export type LogLevels = LogLevel | `${LogLevel},${string}`;

const RANKS: ReadonlyMap<string, number> = new Map([
  ["debug", 20],
  ["info", 30],
  ["warn", 40],
  ["error", 50],
]);
const COMPONENT = /^[^\s,=]+$/;
const ALL = 0;
const MOST_COMPONENTS = 1000;

export function rankOf(level: LogLevel): number {
  return RANKS.get(level) ?? ALL;
}

interface Parsed {
  readonly text: string;
  readonly all: number;
  readonly components: ReadonlyMap<string, number>;
}

const EVERYTHING: Parsed = { text: "", all: ALL, components: new Map() };

/** The levels that are in force. */
export class LevelTable {
  #parsed: Parsed;
  readonly #first: string;
  // The components that have a logger.
  readonly #seen = new Set<string>();
  /** Counts the changes. */
  version = 0;

  /** Whether lines that a command of tsop waits for are written in any case. */
  readonly announces: boolean;

  /** @param text - nothing is left out when absent @throws TsopError `bad-log-level` */
  constructor(text?: string, { announces = false } = {}) {
    this.#parsed = text === undefined ? EVERYTHING : parse(text);
    this.#first = this.#parsed.text;
    this.announces = announces;
  }

  /** The levels, as they were given; empty where nothing is left out. */
  get text(): string {
    return this.#parsed.text;
  }

  /** The levels for people. */
  get shown(): string {
    return this.#parsed.text === "" ? "that of the logger" : this.#parsed.text;
  }

  /** The levels that the process was started with. */
  get first(): string {
    return this.#first;
  }

  /** Changes the levels. @throws TsopError `bad-log-level`, and nothing has changed then */
  set(text: string): void {
    this.#parsed = text === "" ? EVERYTHING : parse(text);
    this.version++;
  }

  /** The lowest rank that is written of a component. */
  lowest(component: string | undefined): number {
    const { all, components } = this.#parsed;
    return (component === undefined ? undefined : components.get(component)) ?? all;
  }

  /** Notes that there is such a component. */
  sees(component: string): void {
    if (this.#seen.size < MOST_COMPONENTS) this.#seen.add(component);
  }

  /** The components that have a level and no logger: probably misspelt. */
  unknown(): string[] {
    return [...this.#parsed.components.keys()].filter((name) => !this.#seen.has(name));
  }
}

function parse(text: string): Parsed {
  const components = new Map<string, number>();
  let all: number | undefined;
  for (const part of text.split(",").map((each) => each.trim())) {
    const at = part.lastIndexOf("=");
    const rank = RANKS.get(part.slice(at + 1).toLowerCase());
    const component = at < 0 ? undefined : part.slice(0, at);
    const isTwice = component === undefined ? all !== undefined : components.has(component);
    if (rank === undefined || isTwice || (component !== undefined && !COMPONENT.test(component)))
      throw bad(text, part);
    if (component === undefined) all = rank;
    else components.set(component, rank);
  }
  return { text, all: all ?? rankOf("info"), components };
}

function bad(text: string, part: string): TsopError {
  const shown = JSON.stringify(text.slice(0, 200));
  return new TsopError(
    "bad-log-level",
    `The log level ${shown} cannot be used: ${JSON.stringify(part.slice(0, 100))} is not a level, or is given twice.`,
    "Use debug, info, warn or error, and COMPONENT=LEVEL for single components: info,controller/web=debug.",
  );
}
