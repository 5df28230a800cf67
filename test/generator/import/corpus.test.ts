/**
 * The CRDs of 53 projects: imported as classes, and made again from them.
 *
 * A sample by default; `TSOP_CORPUS=all` takes every accepted one (a minute).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { readDocuments } from "../../../src/cli/project/yaml/yaml-documents.ts";
import { formatDiagnostic } from "../../../src/errors.ts";
import { generate } from "../../../src/generator/generate.ts";
import { importCrd } from "../../../src/generator/import/import-crd.ts";
import { corpusLines, corpusText } from "../../controlplane/crd/corpus.ts";
import { describeShared, hasShared } from "../../support/shared.ts";
import { crdDifferences } from "./same-crd.ts";

/** What does not come back, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "numericenums.example.com":
    "its enum has no value of the field's type, so that no object could ever be valid",
};

/** In every run: texts that only Go's parser takes, and roots without a type. */
const ALWAYS = /multi-networkpolicies|rollouts\.kruise|my-tests|nodepools|awsclusters|pwned/;

interface Line {
  readonly file: string;
  readonly valid: boolean;
}

const accepted = hasShared("corpus")
  ? corpusLines<Line>("index.jsonl").filter(
      ({ file, valid }) =>
        valid &&
        file.startsWith("crds/") &&
        !Object.keys(EXCEPTIONS).some((name) => file.includes(name)),
    )
  : [];
const every = process.env["TSOP_CORPUS"] === "all" ? 1 : 12;
const sample = accepted.filter(({ file }, index) => (index * 7) % every === 0 || ALWAYS.test(file));

describeShared("corpus", "imported CRDs", () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "tsop-import-"));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  for (const [index, { file }] of sample.entries()) {
    it(`come back as they were: ${file.split("/").slice(1).join(" ")}`, async () => {
      const [crd] = readDocuments(corpusText(file), file);
      const project = join(root, String(index));
      for (const [path, text] of importCrd(crd, file).files) {
        mkdirSync(dirname(join(project, path)), { recursive: true });
        writeFileSync(join(project, path), text);
      }
      const { files, diagnostics } = await generate({ root: project, cache: false });
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      expect(errors.map(formatDiagnostic)).toEqual([]);
      const [, text = ""] = [...files].find(([path]) => path.startsWith("config/crd/bases")) ?? [];
      expect(crdDifferences(parse(text), crd)).toEqual([]);
    });
  }
});
