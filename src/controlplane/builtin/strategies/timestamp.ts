/**
 * The present, as it stands in objects.
 *
 * @module
 */
import type { Clock } from "../../../clock.ts";

/** The time of `clock` in whole seconds: `2026-01-31T12:00:00Z`. */
export function timestampOf(clock: Clock): string {
  return `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
}
