/**
 * The page about coming from Go: the CRD that controller-gen 0.23 writes for `bench/cronjob/go` (with `crd:maxDescLen=0`) comes
 * back from what the page does with it.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stepsOf } from "../journeys/support/page-steps.ts";
import { runCli } from "../cli/support/run-cli.ts";
import { compareWithGolden, manifestsOf } from "../generator/compare-golden.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}docs/migrating-from-go.md`, "utf8");
const POD = "spec.jobTemplate.spec.template.spec";
/** Words in the page's code that stand for the reader's own, or are of the language. */
const OURS = ["await", "return", "throw", "undefined", "main", "leader", "elect", "setUpCronJob"];
const GOLDEN = `${root}test/docs/migration/cronjobs.data.json`;

describe("the CronJob of kubebuilder's tutorial", { timeout: 60_000 }, () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tsop-migration-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("is the same CRD again after its import", async () => {
    writeFileSync(
      join(folder, "PROJECT"),
      "layout: tsop/v1\nprojectName: p\ndomain: kubebuilder.io\n",
    );
    const imported = await runCli(folder, ["import", GOLDEN]);
    expect(imported).toMatchObject({ code: 0 });
    const [[, crd = ""] = []] = await manifestsOf(join(folder, "src"));
    compareWithGolden(crd, GOLDEN, {});
  });

  it("is the same CRD from the class that the page shows, but for what the page names", async () => {
    const [shown] = stepsOf(page).filter((step) => step.do === "write");
    mkdirSync(join(folder, "src/api/v1"), { recursive: true });
    // As `crd:maxDescLen=0` does it.
    const text = shown!.text.replace('plural: "cronjobs"', 'plural: "cronjobs", descriptions: 0');
    writeFileSync(join(folder, shown!.file), text);
    const [[, crd = ""] = []] = await manifestsOf(join(folder, "src"));
    compareWithGolden(crd, GOLDEN, {
      "spec.jobTemplate.metadata": "has its fields",
      "spec.jobTemplate.spec.template.metadata": "has its fields",
      [`${POD}.volumes.items.ephemeral.volumeClaimTemplate.metadata`]: "has its fields",
      [`${POD}.*.items.envFrom.items.*.x-kubernetes-map-type`]: "is not Kubernetes' own",
      [`${POD}.volumes.items.configMap.x-kubernetes-map-type`]: "is not Kubernetes' own",
      [`${POD}.volumes.items.projected.sources.items.*.x-kubernetes-map-type`]:
        "is not Kubernetes' own",
    });
  });
});

describe("the calls of controller-runtime", () => {
  it("become calls that there are", () => {
    const api = readFileSync(`${root}api/tsop.d.ts`, "utf8");
    const rows = page.slice(page.indexOf("## Call by call"), page.indexOf("## Makefile"));
    const here = rows.split("\n").flatMap((row) => row.split("|").slice(2, 3));
    const code = here.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text));
    const names = code.flatMap((text = "") => text.match(/[A-Za-z]{4,}/g) ?? []);
    const unknown = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(api));
    expect(names.length).toBeGreaterThan(60);
    expect(unknown.filter((name) => !OURS.includes(name))).toEqual([]);
  });
});
