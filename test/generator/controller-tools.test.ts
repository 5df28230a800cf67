/**
 * The goldens that controller-tools publishes, written as a TypeScript author would.
 *
 * Versions stand in Kubernetes' order of priority in what tsop writes, and by name in what controller-gen
 * writes; they are compared by name.
 */
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { describeShared, sharedPath } from "../support/shared.ts";
import { type Differences, compareWithGolden, manifestsOf } from "./compare-golden.ts";

const fixtures = fileURLToPath(new URL("fixtures/controller-tools/", import.meta.url));
const CRD = "pkg/crd/testdata";
const WEBHOOK = "pkg/webhook/testdata";

const INTERSECTED = "bounds are intersected: the API server's cost estimates cannot see into allOf";
const REAL_METADATA =
  "metadata in a template has its real fields; its labels would be pruned otherwise";
const SPILLED = "controller-gen spills map-type atomic from an inlined LocalObjectReference";
const ALIAS = "Kubernetes' OpenAPI description has no text for the alias of a string";
const DUPLICATE =
  "the API server refuses two webhooks of one name; the second has a name of its own";

interface Case {
  readonly fixture: string;
  readonly golden: string;
  /** What of the source is different for this golden. */
  readonly replace?: readonly [string, string];
  readonly differences?: Differences;
}

const POD = "spec.jobTemplate.spec.template.spec";

const CASES: readonly Case[] = [
  { fixture: "foos", golden: `${CRD}/gen/bar.example.com_foos.yaml` },
  {
    fixture: "foos",
    golden: `${CRD}/gen/bar.example.com_foos_maxdesclen.yaml`,
    replace: ['version: "foo"', 'version: "foo", descriptions: 50'],
  },
  { fixture: "zoos", golden: `${CRD}/gen/zoo/bar.example.com_zoos.yaml` },
  { fixture: "jobs", golden: `${CRD}/testdata.kubebuilder.io_jobs.yaml` },
  { fixture: "oneofs", golden: `${CRD}/testdata.kubebuilder.io_oneofs.yaml` },
  { fixture: "immutabletypes", golden: `${CRD}/testdata.kubebuilder.io_immutabletypes.yaml` },
  { fixture: "enums", golden: `${CRD}/testdata.kubebuilder.io_enums.yaml` },
  { fixture: "externaldocs", golden: `${CRD}/testdata.kubebuilder.io_externaldocs.yaml` },
  {
    fixture: "versionedresources",
    golden: `${CRD}/multiple_versions/testdata.kubebuilder.io_versionedresources.yaml`,
  },
  {
    fixture: "cronjobs",
    golden: `${CRD}/testdata.kubebuilder.io_cronjobs.yaml`,
    differences: {
      "spec.fieldLevelAliasOverride": INTERSECTED,
      "spec.fieldLevelLocalDeclarationOverride": INTERSECTED,
      "spec.jobTemplate.metadata": REAL_METADATA,
      "spec.jobTemplate.spec.template.metadata": REAL_METADATA,
      [`${POD}.volumes.items.ephemeral.volumeClaimTemplate.metadata`]: REAL_METADATA,
      [`${POD}.*.items.envFrom.items.*.x-kubernetes-map-type`]: SPILLED,
      [`${POD}.volumes.items.configMap.x-kubernetes-map-type`]: SPILLED,
      [`${POD}.volumes.items.projected.sources.items.*.x-kubernetes-map-type`]: SPILLED,
      [`${POD}.*.items.securityContext.capabilities.*.items.description`]: ALIAS,
    },
  },
  { fixture: "role", golden: "pkg/rbac/testdata/role.yaml" },
  {
    fixture: "webhooks-valid",
    golden: `${WEBHOOK}/valid/manifests.yaml`,
    differences: { "webhooks.1.name": DUPLICATE },
  },
  {
    fixture: "webhooks-valid-custom-service",
    golden: `${WEBHOOK}/valid-custom-service/manifests.yaml`,
    differences: { "webhooks.1.name": DUPLICATE },
  },
  {
    fixture: "webhooks-valid-namespaceselector",
    golden: `${WEBHOOK}/valid-namespaceselector/manifests.yaml`,
  },
  { fixture: "webhooks-valid-ordered", golden: `${WEBHOOK}/valid-ordered/manifests.yaml` },
  {
    fixture: "webhooks-valid-url",
    golden: `${WEBHOOK}/valid-url/manifests.yaml`,
    differences: { "webhooks.1.name": DUPLICATE },
  },
];

/** The manifests of a fixture, with one text in its source replaced. */
async function replaced(
  root: string,
  [before, after]: readonly [string, string],
): Promise<ReadonlyMap<string, string>> {
  const copy = mkdtempSync(join(tmpdir(), "tsop-golden-"));
  try {
    cpSync(root, copy, { recursive: true });
    const input = join(copy, "input.ts");
    writeFileSync(input, readFileSync(input, "utf8").replace(before, after));
    return await manifestsOf(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

describeShared("goldens", "the goldens of controller-tools", () => {
  it("are all here", () => {
    const all = readdirSync(sharedPath("goldens/controller-tools"), {
      recursive: true,
      encoding: "utf8",
    }).filter((path) => path.endsWith(".yaml"));
    expect(CASES.map(({ golden }) => golden).sort()).toEqual(all.sort());
  });

  for (const { fixture, golden, replace, differences } of CASES) {
    it(`${golden} comes out as from Go`, async () => {
      const root = join(fixtures, fixture);
      const files = await (replace ? replaced(root, replace) : manifestsOf(root));
      const sort = fixture.startsWith("webhooks") ? "config/webhook" : "config/";
      const written = [...files].filter(([path]) => path.startsWith(sort));
      expect(written).toHaveLength(1);
      const [[, text] = ["", ""]] = written;
      compareWithGolden(text, sharedPath("goldens/controller-tools", golden), differences ?? {});
    });
  }
});
