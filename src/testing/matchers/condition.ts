/** Checks whether an object has a condition. */
import { describeObject, type Finding, isObject, notAnObject, table } from "./findings.ts";

/** An expected condition; an absent field matches any value. */
export interface ExpectedCondition {
  /** The status; `True` when absent. */
  readonly status?: "True" | "False" | "Unknown";
  readonly reason?: string;
  /** The whole message, or an expression that matches a part of it. */
  readonly message?: string | RegExp;
}

/** A condition, or only its status. */
export type WantedCondition = "True" | "False" | "Unknown" | ExpectedCondition;

interface FoundCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

/** Compares the condition of a type; a condition of an older generation does not count. */
export function findingOfCondition(
  received: unknown,
  type: string,
  wanted: WantedCondition = "True",
): Finding {
  if (!isObject(received)) return notAnObject("toHaveCondition", received);
  const expected = typeof wanted === "string" ? { status: wanted } : { status: "True", ...wanted };
  const conditions = conditionsOf(received);
  const found = conditions.find((condition) => condition.type === type);
  const { generation } = received.metadata as { generation?: number };
  const problems = found
    ? differences(found, expected, generation)
    : [`it has no condition of that type`];
  const wish = Object.entries(expected)
    .map(([field, value]) => `${field} ${value instanceof RegExp ? String(value) : value}`)
    .join(", ");
  const described = describeObject(received);
  return problems.length === 0
    ? {
        pass: true,
        message: `Expected ${described} not to have the condition ${type} with ${wish}.\n${tableOf(conditions)}`,
      }
    : {
        pass: false,
        message: `Expected ${described} to have the condition ${type} with ${wish}, but ${problems.join("; ")}.\n${tableOf(conditions)}`,
      };
}

function conditionsOf(object: object): readonly FoundCondition[] {
  const { status } = object as { status?: { conditions?: unknown } };
  return Array.isArray(status?.conditions) ? (status.conditions as FoundCondition[]) : [];
}

function differences(
  found: FoundCondition,
  { status, reason, message }: { status?: string } & Omit<ExpectedCondition, "status">,
  generation: number | undefined,
): string[] {
  const problems: string[] = [];
  if (found.status !== status) problems.push(`its status is ${found.status ?? "absent"}`);
  if (reason !== undefined && found.reason !== reason) {
    problems.push(`its reason is ${found.reason ?? "absent"}`);
  }
  const text = found.message ?? "";
  if (message instanceof RegExp ? !message.test(text) : message !== undefined && message !== text) {
    problems.push(`its message is ${JSON.stringify(text)}`);
  }
  const { observedGeneration: observed } = found;
  if (observed !== undefined && generation !== undefined && observed < generation) {
    problems.push(
      `its observedGeneration is ${observed} and the object's generation is ${generation}`,
    );
  }
  return problems;
}

function tableOf(conditions: readonly FoundCondition[]): string {
  if (conditions.length === 0) return "It has no conditions.";
  const rows = conditions.map(({ type, status, reason, message, observedGeneration }) => [
    type ?? "",
    status ?? "",
    reason ?? "",
    observedGeneration === undefined ? "" : String(observedGeneration),
    message ?? "",
  ]);
  return `Its conditions:\n${table([["TYPE", "STATUS", "REASON", "GENERATION", "MESSAGE"], ...rows])}`;
}
