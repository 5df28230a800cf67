/** The parts of timestamps and durations. */
import { type FunctionDeclaration, member } from "../functions.ts";
import { Duration, Timestamp, zoneOffset } from "../time.ts";
import { DURATION, INT, STRING, TIMESTAMP } from "../types.ts";
import { CelError, type CelValue, noSuchOverload } from "../values.ts";

type Parts = ReturnType<Timestamp["parts"]>;

function partOf(
  value: CelValue,
  zone: CelValue,
  part: (parts: Parts) => number,
): CelValue | CelError {
  if (!(value instanceof Timestamp) || typeof zone !== "string") return noSuchOverload();
  const offset = zoneOffset(zone, value);
  return offset instanceof CelError ? offset : BigInt(part(value.parts(offset)));
}

/** @param nanos - the length of the unit in which durations have this part */
function getter(
  name: string,
  id: string,
  part: (parts: Parts) => number,
  inDuration?: { readonly id: string; readonly nanos: bigint },
): FunctionDeclaration {
  return {
    name,
    overloads: [
      member(id, [TIMESTAMP], INT, (value) => partOf(value, "UTC", part)),
      member(`${id}_with_tz`, [TIMESTAMP, STRING], INT, (value, zone = "") =>
        partOf(value, zone, part),
      ),
      ...(inDuration
        ? [
            member(inDuration.id, [DURATION], INT, (value) =>
              value instanceof Duration ? value.nanos / inDuration.nanos : noSuchOverload(),
            ),
          ]
        : []),
    ],
  };
}

const MILLISECOND = 1_000_000n;
const SECOND = 1000n * MILLISECOND;

/** `getFullYear()` and its kind. */
export const timeFunctions: readonly FunctionDeclaration[] = [
  getter("getFullYear", "timestamp_to_year", ({ year }) => year),
  getter("getMonth", "timestamp_to_month", ({ month }) => month - 1),
  getter("getDayOfYear", "timestamp_to_day_of_year", ({ dayOfYear }) => dayOfYear),
  getter("getDayOfMonth", "timestamp_to_day_of_month", ({ day }) => day - 1),
  getter("getDate", "timestamp_to_day_of_month_1_based", ({ day }) => day),
  getter("getDayOfWeek", "timestamp_to_day_of_week", ({ weekday }) => weekday),
  getter("getHours", "timestamp_to_hours", ({ hours }) => hours, {
    id: "duration_to_hours",
    nanos: 3600n * SECOND,
  }),
  getter("getMinutes", "timestamp_to_minutes", ({ minutes }) => minutes, {
    id: "duration_to_minutes",
    nanos: 60n * SECOND,
  }),
  getter("getSeconds", "timestamp_to_seconds", ({ seconds }) => seconds, {
    id: "duration_to_seconds",
    nanos: SECOND,
  }),
  getter("getMilliseconds", "timestamp_to_milliseconds", ({ nanos }) => Math.floor(nanos / 1e6), {
    id: "duration_to_milliseconds",
    nanos: MILLISECOND,
  }),
];
