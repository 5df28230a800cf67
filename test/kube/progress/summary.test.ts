import { describe, expect, it } from "vitest";
import type { ConditionChange, StatusCondition } from "../../../src/kube/progress/conditions.ts";
import { statusOf } from "../../../src/kube/progress/kstatus.ts";
import { summarize } from "../../../src/kube/progress/summary.ts";

const part = (
  type: string,
  status: ConditionChange["status"],
  more: Partial<ConditionChange> = {},
): ConditionChange => ({
  type,
  status,
  reason: `${type}Is${status}`,
  message: `it is ${status}`,
  ...more,
});
const kstatusOf = (conditions: StatusCondition[], generation = 2): string =>
  statusOf(
    {
      apiVersion: "example.com/v1",
      kind: "Web",
      metadata: { name: "a", generation },
      status: { conditions, observedGeneration: generation },
    } as never,
    0,
  ).status;
const words = (conditions: StatusCondition[]): Record<string, string> =>
  Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));

describe("conditions rolled up", () => {
  it("are ready when all parts are, which kstatus calls Current", () => {
    const ready = [part("Served", "True"), part("Certified", "True")];
    const all = summarize(undefined, { ready, observedGeneration: 2 }, 0);
    expect(words(all)).toMatchObject({
      Ready: "True Ready",
      Reconciling: "False Ready",
      Stalled: "False NotStalled",
    });
    expect(all.every(({ observedGeneration }) => observedGeneration === 2)).toBe(true);
    expect(kstatusOf(all)).toBe("Current");
  });

  it("are under way while a part is not, and say which: InProgress", () => {
    const ready = [part("Served", "Unknown"), part("Certified", "False"), part("Up", "True")];
    const all = summarize([], { ready, observedGeneration: 2 }, 0);
    expect(words(all)).toMatchObject({
      Ready: "False CertifiedIsFalse",
      Reconciling: "True CertifiedIsFalse",
      Stalled: "False NotStalled",
    });
    const message = all.find(({ type }) => type === "Ready")?.message;
    expect(message).toBe("Served: it is Unknown; Certified: it is False");
    expect(kstatusOf(all)).toBe("InProgress");
  });

  it("are stalled when somebody must change something: Failed", () => {
    const options = {
      ready: [part("Served", "False")],
      stalled: [part("Refused", "True")],
      observedGeneration: 2,
    };
    const all = summarize([], options, 0);
    expect(words(all)).toMatchObject({
      Ready: "False ServedIsFalse",
      Reconciling: "False RefusedIsTrue",
      Stalled: "True RefusedIsTrue",
    });
    expect(kstatusOf(all)).toBe("Failed");
    const again = summarize(all, { ...options, stalled: [part("Refused", "False")] }, 0);
    expect(kstatusOf(again)).toBe("InProgress");
  });

  it("know nothing of a part of others that is missing, or is of an older generation", () => {
    const theirs: StatusCondition = {
      ...part("Theirs", "True", { observedGeneration: 1 }),
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const options = { ready: ["Theirs", "Missing"], observedGeneration: 2 };
    const all = summarize([theirs], options, 0);
    expect(words(all)).toMatchObject({ Ready: "Unknown Outdated", Theirs: "True TheirsIsTrue" });
    expect(all[0]).toBe(theirs);
    const current = { ...theirs, observedGeneration: 2 };
    expect(words(summarize([current], { ...options, ready: ["Theirs"] }, 0))["Ready"]).toBe(
      "True Ready",
    );
  });

  it("are equal when nothing changed, whenever that is, and keep conditions of others", () => {
    const theirs: StatusCondition = {
      ...part("Theirs", "True"),
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const options = { ready: [part("Served", "False")], observedGeneration: 2 };
    const first = summarize([theirs], options, 1000);
    expect(summarize(first, options, 99_000)).toEqual(first);
    expect(first[0]).toBe(theirs);
  });

  it("have other names where an operator says so", () => {
    const names = { reconciling: "Progressing", stalled: "Degraded" };
    const options = { ready: [part("Served", "False")], observedGeneration: undefined, names };
    const all = summarize([], options, 0);
    expect(all.map(({ type }) => type)).toEqual(["Served", "Ready", "Progressing", "Degraded"]);
    expect(all.some(({ observedGeneration }) => observedGeneration !== undefined)).toBe(false);
  });
});
