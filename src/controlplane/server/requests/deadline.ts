/**
 * The parameter `timeout` of requests: how long the client waits. Answers here are given at once,
 * so it is only checked.
 */
import { badRequest } from "../../failures.ts";

const UNITS: ReadonlySet<string> = new Set(["ns", "us", "µs", "μs", "ms", "s", "m", "h"]);

/** The error of a duration, in Go's words; `undefined` when it is valid. */
function durationMistake(text: string): string | undefined {
  const shown = JSON.stringify(text);
  let rest = text.replace(/^[-+]/, "");
  if (rest === "0") return undefined;
  if (rest === "") return `time: invalid duration ${shown}`;
  while (rest !== "") {
    const [number = ""] = /^(\d+\.?\d*|\.\d+)/.exec(rest) ?? [];
    if (number === "") return `time: invalid duration ${shown}`;
    rest = rest.slice(number.length);
    const [unit = ""] = /^[^\d.]*/.exec(rest) ?? [];
    if (unit === "") return `time: missing unit in duration ${shown}`;
    if (!UNITS.has(unit)) return `time: unknown unit ${JSON.stringify(unit)} in duration ${shown}`;
    rest = rest.slice(unit.length);
  }
  return undefined;
}

/** Checks the parameter, which must be a duration. @throws StatusError 400 */
export function checkTimeout(query: URLSearchParams): void {
  const timeout = query.get("timeout") ?? "";
  const mistake = timeout === "" ? undefined : durationMistake(timeout);
  if (mistake !== undefined) {
    throw badRequest(`invalid timeout specified in the request URL - ${mistake}`);
  }
}
