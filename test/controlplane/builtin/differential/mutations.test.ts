import { describe, expect, it } from "vitest";
import { builtInResources } from "../../../../src/controlplane/builtin/resources.ts";
import { Random } from "../../../support/random.ts";
import { normalise } from "./answers.ts";
import { ownBases } from "./bases.ts";
import { differencesBetween, shapeOf } from "./compare.ts";
import { donorsOf, mutate, mutationsOf } from "./mutations.ts";
import { placeOf, someQuestions } from "./requests.ts";

describe("Mutations of built-in objects", () => {
  const bases = ownBases();
  const resources = builtInResources();

  it("start from objects of every kind that can be updated", () => {
    const kinds = new Set(bases.map(({ kind }) => kind));
    const without = resources
      .filter(({ verbs, kind }) => verbs.includes("update") && !kinds.has(kind))
      .map(({ kind }) => kind);
    expect(without).toEqual([]);
  });

  it("change, remove and add single fields, and leave the base as it is", () => {
    const base = bases.find(({ kind }) => kind === "Lease");
    if (!base) throw new Error("there is no Lease");
    const before = JSON.stringify(base);
    const mutations = mutationsOf(base, "object", donorsOf(bases));
    const texts = new Set(mutations.map((one) => JSON.stringify(mutate(base, [one]))));
    expect(texts.size).toBeGreaterThan(40);
    const seconds = mutations.filter(({ path }) => path.join(".") === "spec.leaseDurationSeconds");
    expect(seconds.map(({ value }) => value)).toEqual(
      expect.arrayContaining([undefined, null, -1, 0, "x"]),
    );
    expect(JSON.stringify(base)).toBe(before);
  });

  it("are the same for the same seed", () => {
    const [base] = bases;
    if (!base) throw new Error("there is no base");
    const donors = donorsOf(bases);
    const place = placeOf(base, resources);
    const ask = (seed: number): string =>
      JSON.stringify(someQuestions(base, place, donors, { random: new Random(seed), count: 30 }));
    expect(ask(3)).toBe(ask(3));
    expect(ask(3)).not.toBe(ask(4));
  });
});

describe("Answers", () => {
  const answer = (body: unknown, status = 200) => ({ status, body, warnings: [] });

  it("are compared without times of today, uids, versions and what is chosen by chance", () => {
    const body = (uid: string, version: string, port: number) => ({
      metadata: { uid, resourceVersion: version, creationTimestamp: new Date().toISOString() },
      spec: { ports: [{ nodePort: port }], since: "2001-01-01T00:00:00Z" },
    });
    const one = body("11111111-1111-4111-8111-111111111111", "5", 30_001);
    const other = body("22222222-2222-4222-8222-222222222222", "7", 31_002);
    expect(normalise(answer(one), {}, "5")).toEqual(normalise(answer(other), {}, "7"));
    expect(normalise(answer(one), {}, "5").body).toMatchObject({
      spec: { since: "2001-01-01T00:00:00Z" },
    });
  });

  it("differ in lines that are grouped by their shape", () => {
    const refused = (message: string) =>
      answer({ details: { causes: [{ field: "spec.a[1]", message, reason: "R" }] } }, 422);
    const lines = differencesBetween(refused('Invalid value: "x"'), refused('Invalid value: "y"'));
    expect(lines).toEqual([
      'missing: spec.a[1]: Invalid value: "x" (R)',
      'too much: spec.a[1]: Invalid value: "y" (R)',
    ]);
    expect(lines.map(shapeOf)).toEqual([
      'missing: spec.a[]: Invalid value: "" (R)',
      'too much: spec.a[]: Invalid value: "" (R)',
    ]);
    expect(differencesBetween(answer({}), answer({}))).toEqual([]);
  });
});
