/** Formats times, names and values. Pure. */

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});
const SECONDS = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** A time with milliseconds: `15:15:11.818`. */
export function clockTime(ms: number): string {
  return CLOCK.format(ms);
}

/** A time for machines; absent for an invalid one. */
export function isoTime(ms: number): string | undefined {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined;
}

/** A time of which only the second is known: `15:15:11`. */
export function clockSeconds(ms: number): string {
  return Number.isFinite(ms) ? SECONDS.format(ms) : "";
}

/** A time with its date. */
export function fullTime(ms: number): string {
  return Number.isFinite(ms) ? DAY.format(ms) : "";
}

/** No line breaks between a number and its unit. */
const NO_BREAK = "\u00a0";

/** A duration: `4.2 ms`, `1.3 s`, `12 min`. */
export function duration(ms: number): string {
  const [count, unit] = inUnit(ms);
  return `${count}${NO_BREAK}${unit}`;
}

function inUnit(ms: number): [string, string] {
  if (ms < 1000) return [ms < 10 ? ms.toFixed(1) : String(Math.round(ms)), "ms"];
  if (ms < 60_000) return [(ms / 1000).toFixed(1), "s"];
  if (ms < 3_600_000) return [String(Math.round(ms / 60_000)), "min"];
  return [(ms / 3_600_000).toFixed(1), "h"];
}

/** The key of an object: `default/web`. */
export function keyText({
  namespace,
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}): string {
  return [namespace, name].filter((part) => part !== undefined && part !== "").join("/");
}

/** The kind and key of an object: `Deployment default/web`. */
export function objectText(object: {
  readonly kind?: string | undefined;
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}): string {
  const key = keyText(object);
  return object.name === undefined
    ? `all ${object.resource}${key === "" ? "" : ` in ${key}`}`
    : `${object.kind ?? object.resource} ${key}`;
}

/** A number with its noun: `1 object`, `2 objects`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}

/** A field's value on one line. */
export function valueText(value: unknown): string {
  return value === "(hidden)" ? value : JSON.stringify(value);
}

/** A place in the code, relative to the project's folder. */
export function placeText(place: string, root: string | undefined): string {
  if (root === undefined || !place.startsWith(root)) return place;
  return place.slice(root.length).replace(/^[/\\]/, "");
}
