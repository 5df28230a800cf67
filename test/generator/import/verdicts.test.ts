/**
 * The CRDs of the corpus that the API server refuses: importing them, or generating from what was imported,
 * says so, and names the same field. That the others are taken is part of `corpus.test.ts`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readDocuments } from "../../../src/cli/project/yaml/yaml-documents.ts";
import { generate } from "../../../src/generator/generate.ts";
import { importCrd, type Imported } from "../../../src/generator/import/import-crd.ts";
import { TsopError } from "../../../src/errors.ts";
import { corpusLines, corpusText, type Verdict } from "../../controlplane/crd/corpus.ts";
import { describeShared, hasShared } from "../../support/shared.ts";

/** Fields of a definition, and what is said where they are wrong. */
const SAID: readonly (readonly [field: RegExp, said: string])[] = [
  [/^metadata\.name$/, "metadata.name was"],
  [/^metadata\.ownerReferences\b/, "metadata.ownerReferences was omitted"],
  [/^metadata\.annotations\[api-approved/, "protected-group"],
  [/^spec\.versions\[\d+\]\.name$|^spec\.version$/, "spec.versions[0].name is"],
  [/^spec\.versions$|^status\.storedVersions$/, "storage-version"],
];

interface Line extends Verdict {
  readonly file: string;
  readonly name: string;
}

const refused = hasShared("corpus")
  ? corpusLines<Line>("expected", "crds.jsonl").filter(({ valid }) => !valid)
  : [];

/** What an import writes and says; a definition with names that can be no part of a path writes nothing. */
function importedOrRefused(crd: unknown, file: string): Pick<Imported, "files" | "notes"> {
  try {
    return importCrd(crd, file);
  } catch (error) {
    if (!(error instanceof TsopError) || error.code !== "not-a-crd") throw error;
    return { files: new Map(), notes: [error.message] };
  }
}

/** What has to be said of a recorded error. */
function wanted({ field, detail }: Verdict["errors"][number]): string {
  const said = SAID.find(([pattern]) => pattern.test(field))?.[1];
  if (said !== undefined) return said;
  const path = [...field.matchAll(/properties\[([^\]]+)\]/g)].map(([, name]) => name).join(".");
  return path === "" ? detail : `${path}: ${detail}`;
}

describeShared("corpus", "CRDs that the API server refuses", () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "tsop-verdicts-"));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it("are ten", () => {
    expect(refused).toHaveLength(10);
  });

  for (const [index, { file, name, errors }] of refused.entries()) {
    const title = `${name}: ${[...new Set(errors.map(({ field }) => field))].join(", ")}`;
    it(`are refused as there: ${title.slice(0, 200)}`, async () => {
      const [crd] = readDocuments(corpusText(file), file);
      const { files, notes } = importedOrRefused(crd, file);
      const project = join(root, String(index));
      for (const [path, text] of files) {
        mkdirSync(dirname(join(project, path)), { recursive: true });
        writeFileSync(join(project, path), text);
      }
      const { diagnostics } = await generate({ root: project, cache: false });
      const found = diagnostics.filter(
        ({ severity, code }) => severity === "error" || code === "no-served-version",
      );
      const told = [...notes, ...found.map(({ code, message }) => `${code}: ${message}`)];
      const shown = told.join("\n").replaceAll("[*]", "").replaceAll("Forbidden: ", "");
      for (const error of errors) {
        const text = wanted(error).replace("Value: ", "");
        expect(shown).toContain(text);
      }
    });
  }
});
