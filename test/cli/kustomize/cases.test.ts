import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import { renderKustomization } from "../../../src/cli/kustomize/render.ts";
import { emptyFolder } from "../support/run-cli.ts";
import { hasKubectl } from "../../support/kubectl.ts";
import { CASES, COMMON_FILES } from "./cases.ts";
import { expectSameOrderAsKubectl } from "./support/beside-kubectl.ts";

/** What the manifests are when nothing changes them. */
const plain = parseAllDocuments(COMMON_FILES["all.yaml"] ?? "").map(
  (document) => document.toJS() as unknown,
);

describe("a kustomization with", () => {
  it.each(CASES)("$title renders as recorded from kubectl", async ({ files }) => {
    const root = emptyFolder();
    for (const [path, text] of Object.entries({ ...COMMON_FILES, ...files })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    if (hasKubectl) await expectSameOrderAsKubectl(root);
    const objects = await renderKustomization(root);
    const order = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const changed = objects.filter(
      (object) => !plain.some((other) => isDeepStrictEqual(other, object)),
    );
    expect(stringify({ order, changed }, { aliasDuplicateObjects: false })).toMatchSnapshot();
  });
});
