/** Every marker of controller-gen has a line in docs/markers.md, and a feature by example where it has a form here. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { FROM_CONTROLLER_GEN } from "../../scripts/make/docs/marker-examples.ts";
import { describeShared, sharedPath } from "../support/shared.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const features = `${root}test/generator/fixtures/features/`;

/** The first cells of the tables in the sections 1.1 to 1.4 of the reference. */
function referenceRows(): string[] {
  const text = readFileSync(sharedPath("reference/controller-gen.md"), "utf8");
  const inventory = text.slice(text.indexOf("### 1.1"), text.indexOf("### 1.8"));
  return inventory
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|")[1]?.trim() ?? "")
    .filter((cell) => cell !== "marker");
}

/** What the prose of the sections 1.3 and 1.5 to 1.7 names. */
const IN_PROSE = [
  "validation:items:*",
  "listType, listMapKey",
  "mapType, structType",
  "kubebuilder:rbac",
  "kubebuilder:webhook",
  "kubebuilder:webhookconfiguration",
];

describeShared("reference", "the inventory of controller-gen's markers", () => {
  it("has no row without a line here", () => {
    const rows = referenceRows();
    expect(rows.length).toBeGreaterThan(40);
    const known = new Set(FROM_CONTROLLER_GEN.map(({ marker }) => marker));
    expect([...rows, ...IN_PROSE].filter((row) => !known.has(row))).toEqual([]);
  });
});

describe("controller-gen's markers", () => {
  it("each have a feature by example, with a mistake beside it, or a reason why nothing has to be said", () => {
    const wrong = FROM_CONTROLLER_GEN.filter(({ here, feature }) =>
      feature === undefined
        ? !here.startsWith("none")
        : !existsSync(`${features}${feature}/input.ts`) ||
          !existsSync(`${features}${feature}-wrong/error.txt`),
    );
    expect(wrong).toEqual([]);
  });

  it("each have a line in docs/markers.md", () => {
    const page = readFileSync(`${root}docs/markers.md`, "utf8");
    const lines = page.split("\n").map((line) => line.split("|")[1]?.trim());
    const missing = FROM_CONTROLLER_GEN.filter(
      ({ marker }) =>
        !lines.includes(marker.replaceAll("*", String.raw`\*`)) && !lines.includes(marker),
    );
    expect(missing).toEqual([]);
  });

  it("leave no feature without what its schema accepts and rejects", () => {
    const written = readdirSync(features).filter((name) =>
      existsSync(`${features}${name}/crd.yaml`),
    );
    const without = written.filter(
      (name) =>
        !["rbac", "webhooks"].includes(name) &&
        !["accepts.yaml", "rejects.yaml"].every((file) => existsSync(`${features}${name}/${file}`)),
    );
    expect(without).toEqual([]);
  });
});
