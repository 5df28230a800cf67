/** Counts the replayed reconciles with the same writes as the recorded ones, by kind of write. */
import type { ReplayReport } from "../../../src/runtime/replay/replay.ts";

interface Count {
  equal: number;
  all: number;
}

/** The kind of a write: `create`, `apply`, `update the status`. */
function kindOfWrite(request: string): string {
  const [, method = "", path = "", query = ""] = /^(\S+) ([^?\s]+)\??(\S*)/.exec(request) ?? [];
  if (path.endsWith("/status")) return "write of a status";
  if (method === "POST") return "create";
  if (method === "DELETE") return "delete";
  if (method === "PUT") return "replace";
  return query.includes("fieldManager=") ? "apply" : "patch";
}

/** Counts the reports of replays. */
export class ReplayCounts {
  readonly #byKind = new Map<string, Count>();
  /** The replayed reconciles; those with the same writes and the same outcome are equal. */
  readonly reconciles: Count = { equal: 0, all: 0 };
  readonly #failed: Count = { equal: 0, all: 0 };

  /** Adds a report; returns its differences, in words. */
  add({ writes, differences, recorded }: ReplayReport): readonly string[] {
    count(this.reconciles, differences.length === 0);
    if (recorded.is === "error") count(this.#failed, differences.length === 0);
    for (const { request, isSame } of writes) {
      const kind = kindOfWrite(request);
      const known = this.#byKind.get(kind) ?? { equal: 0, all: 0 };
      count(known, isSame);
      this.#byKind.set(kind, known);
    }
    return differences;
  }

  /** One line for each kind, with the number of equal ones. */
  lines(): string[] {
    const kinds = [...this.#byKind].sort(([one], [other]) => one.localeCompare(other));
    const rows: [string, Count][] = [
      ["reconciles", this.reconciles],
      ["of them failed", this.#failed],
      ...kinds,
    ];
    return rows.map(([what, { equal, all }]) => `${`${equal} of ${all}`.padStart(12)}  ${what}`);
  }
}

function count(counted: Count, isEqual: boolean): void {
  counted.all++;
  if (isEqual) counted.equal++;
}
