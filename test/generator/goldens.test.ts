/**
 * The cases of the atlas, written as a TypeScript author would, against what controller-gen wrote for
 * the Go types.
 */
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { describeShared, sharedPath } from "../support/shared.ts";
import { type Differences, compareWithGolden, manifestsOf } from "./compare-golden.ts";

const fixtures = fileURLToPath(new URL("fixtures/atlas/", import.meta.url));

const INTERSECTED = "bounds are intersected: the API server's cost estimates cannot see into allOf";
const REAL_METADATA =
  "metadata in a template has its real fields; its labels would be pruned otherwise";
const UNCHECKED = "controller-gen does not look whether a column's field exists; the case adds it";
const ALIAS = "Kubernetes' OpenAPI description has no text for the alias of a string";
const REFUSED = "the API server refuses the rule that controller-gen passed on";
const SPILLED = "controller-gen spills map-type atomic from an inlined LocalObjectReference";

/** Where tsop means to differ: paths in the schema (`*` is any step), and why. */
const DIFFERENCES: Readonly<Record<string, Differences>> = {
  "alias-same-marker-twice": { "spec.a.allOf": INTERSECTED, "spec.a.minimum": INTERSECTED },
  aliases: {
    "spec.a.allOf": INTERSECTED,
    "spec.a.maximum": INTERSECTED,
  },
  cel: {
    "spec.d.x-kubernetes-validations.1.messageExpression": REFUSED,
    "spec.e.x-kubernetes-validations.1.rule": REFUSED,
    "spec.g.items.x-kubernetes-validations.0.rule": REFUSED,
  },
  columns: { "spec.n": UNCHECKED, status: UNCHECKED },
  "generics-and-type-alias": { "spec.a.description": "an alias of TypeScript has its own text" },
  "int-or-string": {
    "spec.a.anyOf": "a type keyword would refuse the numbers that the field is to take",
    "spec.a.type": "a type keyword would refuse the numbers that the field is to take",
    "spec.required": "a default makes a field optional",
  },
  lists: { "spec.i.items.items.maxLength": "controller-gen loses what is said of items of items" },
  "pod-template": {
    "spec.template.metadata": REAL_METADATA,
    "spec.template.spec.volumes.items.ephemeral.volumeClaimTemplate.metadata": REAL_METADATA,
    ...Object.fromEntries(
      ["containers", "ephemeralContainers", "initContainers"].flatMap((list) => [
        [
          `spec.template.spec.${list}.items.envFrom.items.configMapRef.x-kubernetes-map-type`,
          SPILLED,
        ],
        [`spec.template.spec.${list}.items.envFrom.items.secretRef.x-kubernetes-map-type`, SPILLED],
        [
          `spec.template.spec.${list}.items.securityContext.capabilities.add.items.description`,
          ALIAS,
        ],
        [
          `spec.template.spec.${list}.items.securityContext.capabilities.drop.items.description`,
          ALIAS,
        ],
      ]),
    ),
    "spec.template.spec.volumes.items.configMap.x-kubernetes-map-type": SPILLED,
    "spec.template.spec.volumes.items.projected.sources.items.configMap.x-kubernetes-map-type":
      SPILLED,
    "spec.template.spec.volumes.items.projected.sources.items.secret.x-kubernetes-map-type":
      SPILLED,
  },
};

/** What the goldens that an option made are in TypeScript: an option of `@Resource`, or nothing. */
const OPTIONS: Readonly<Record<string, string>> = {
  "maxDescLen-0.yaml": ", descriptions: false",
  "maxDescLen-20.yaml": ", descriptions: 20",
  "generateEmbeddedObjectMeta-true.yaml": "",
};

/** Cases of which tsop writes what an option makes controller-gen write. */
const ONLY_WITH_OPTION: Readonly<Record<string, Differences>> = {
  "object-meta": { "spec.meta": REAL_METADATA, "spec.template.metadata": REAL_METADATA },
};

/** The manifests of a case whose kind has one option more. */
async function withOption(root: string, option: string): Promise<ReadonlyMap<string, string>> {
  const copy = mkdtempSync(join(tmpdir(), "tsop-golden-"));
  try {
    cpSync(root, copy, { recursive: true });
    const input = join(copy, "input.ts");
    const text = readFileSync(input, "utf8");
    writeFileSync(input, text.replace('version: "v1"', `version: "v1"${option}`));
    return await manifestsOf(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

describeShared("goldens", "the atlas of controller-gen", () => {
  const goldens = sharedPath("goldens/atlas");
  const cases = readdirSync(goldens, { withFileTypes: true }).filter((one) => one.isDirectory());

  for (const { name } of cases) {
    const outputs = readdirSync(join(goldens, name)).filter((file) => file.endsWith(".yaml"));
    for (const output of outputs) {
      const option = OPTIONS[output];
      it(`${name} comes out as from Go: ${output}`, async () => {
        const root = join(fixtures, name);
        const files = await (option === undefined ? manifestsOf(root) : withOption(root, option));
        const written = [...files].filter(
          ([path]) => option !== undefined || path.endsWith(output),
        );
        expect(written).toHaveLength(1);
        const differs = option === "" ? undefined : ONLY_WITH_OPTION[name];
        const [[, text] = ["", ""]] = written;
        compareWithGolden(text, join(goldens, name, output), differs ?? DIFFERENCES[name] ?? {});
      });
    }
  }
});
