/** What of the reconciles is about an object, and how errors and times are summed up. */
import { describe, expect, it } from "vitest";
import type { PageReconcile } from "../../src/cli/page/protocol.ts";
import { activityOf, errorGroups, failingObjects, isReconcileAbout } from "../../src/page/about.ts";
import { NOTHING, withMessage } from "../../src/page/state.ts";
import { duration, placeText } from "../../src/page/words.ts";
import { shop } from "./support/session.ts";

const { reconciles } = shop().reduce(withMessage, NOTHING);
const shopKey = { namespace: "shop", name: "catalog" };

const failed = (number: number, message: string, change: Partial<PageReconcile> = {}) => ({
  ...reconciles.at(-1)!,
  number,
  error: { message },
  ...change,
});

describe("the reconciles about an object", () => {
  it("are those for it, those that wrote it, and those that ran because of it", () => {
    const about = (kind: string, resource: string): number =>
      reconciles.filter((entry) => isReconcileAbout(entry, { kind, resource, ...shopKey })).length;
    expect(about("MyWeb", "mywebs.example.com")).toBe(15);
    expect(about("Deployment", "deployments.apps")).toBe(3);
    expect(about("Service", "services")).toBe(1);
    expect(about("Ingress", "ingresses.networking.k8s.io")).toBe(0);
  });
});

describe("errors", () => {
  it("are one for each place and message, the latest first, with what went well since", () => {
    const well = { ...reconciles[0]!, name: "checkout" };
    const groups = errorGroups([failed(1, "a"), failed(2, "b"), failed(3, "a"), well]);
    expect(groups.map(({ error, count, isOver }) => [error.message, count, isOver])).toEqual([
      ["a", 2, true],
      ["b", 1, true],
    ]);
    expect(errorGroups([well, failed(4, "c")])[0]?.isOver).toBe(false);
  });
});

describe("objects whose last reconcile failed", () => {
  it("are told with the error, until one succeeds", () => {
    const { objects } = shop().reduce(withMessage, NOTHING);
    const named = { name: "checkout" };
    const failing = (...entries: PageReconcile[]): unknown[] => [
      ...failingObjects(objects.values(), entries),
    ];
    expect(failing(failed(1, "a", named), failed(2, "b", named))).toEqual([
      ["MyWeb-checkout", "b"],
    ]);
    expect(failing(failed(1, "a", named), { ...reconciles[0]!, ...named })).toEqual([]);
  });
});

describe("reconciles over time", () => {
  it("are counted in equal parts, and none is left out", () => {
    const { bars } = activityOf(reconciles, 10);
    const sum = bars.reduce((all, { failed: no, wrote, quiet }) => all + no + wrote + quiet, 0);
    expect(sum).toBe(reconciles.length);
    expect(bars[0]).toMatchObject({ wrote: 1 });
    expect(bars.at(-1)).toMatchObject({ failed: 1 });
  });
});

describe("the state of the page", () => {
  it("forgets what a new connection does not tell of any more", () => {
    const state = shop().reduce(withMessage, NOTHING);
    expect(state.objects.size).toBe(61);
    const [first] = state.objects.keys();
    const without = withMessage(state, { type: "objects", changed: [], gone: [first!] });
    expect(without.objects.size).toBe(60);
    const anew = withMessage(state, { type: "objects", all: true, changed: [], gone: [] });
    expect(anew.objects.size).toBe(0);
  });
});

describe("words", () => {
  it("say times as people do, and places without the project's folder", () => {
    const times = [4.23, 40.8, 1310, 754_000, 9_000_000].map(duration);
    expect(times.map((time) => time.replace("\u00a0", " "))).toEqual([
      "4.2 ms",
      "41 ms",
      "1.3 s",
      "13 min",
      "2.5 h",
    ]);
    expect(placeText("/home/ada/shop/src/web.ts:4:1", "/home/ada/shop")).toBe("src/web.ts:4:1");
    expect(placeText("/home/ada/other/web.ts:4:1", "/home/ada/shop")).toBe(
      "/home/ada/other/web.ts:4:1",
    );
  });
});
