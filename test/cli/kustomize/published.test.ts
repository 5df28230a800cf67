import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderKustomization } from "../../../src/cli/kustomize/render.ts";
import { emptyFolder } from "../support/run-cli.ts";

/** A kustomization of kustomize's own tests, as `npm run verify -- kustomizations --record` writes it. */
interface PublishedCase {
  readonly folder: string;
  readonly files: Readonly<Record<string, string>>;
  /** What `kubectl kustomize` renders. */
  readonly objects: readonly unknown[];
}

const PUBLISHED = JSON.parse(
  readFileSync(new URL("published.data.json", import.meta.url), "utf8"),
) as Record<string, PublishedCase>;

describe("a kustomization of kustomize's own tests renders as recorded from kubectl", () => {
  it.each(Object.entries(PUBLISHED))("%s", async (_test, { folder, files, objects }) => {
    const root = emptyFolder();
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const rendered = await renderKustomization(join(root, folder));
    expect(JSON.parse(JSON.stringify(rendered))).toEqual(objects);
  });
});
