/** A kustomization that is rendered again: what counts as a change of its files. */
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { OpenKustomization } from "../../../src/cli/kustomize/open-kustomization.ts";
import { renderKustomization } from "../../../src/cli/kustomize/render.ts";
import { emptyFolder } from "../support/run-cli.ts";

const FILES = {
  "config/default/kustomization.yaml": `resources: [../base, extra.yaml]
patches: [{ path: patch.yaml }]
configMapGenerator: [{ name: page, files: [index.html], envs: [page.env] }]
`,
  "config/default/extra.yaml":
    "apiVersion: v1\nkind: Secret\nmetadata: { name: key }\nstringData: { a: x }\n",
  "config/default/patch.yaml":
    "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\ndata: { patched: a }\n",
  "config/default/index.html": "<h1>Hello</h1>",
  "config/default/page.env": "color=red\n",
  "config/base/kustomization.yml": "resources: [web.yaml]\n",
  "config/base/web.yaml":
    "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\ndata: { page: a }\n",
};

/** What stands in each file, and what an edit makes of it. */
const EDITS: Readonly<Record<keyof typeof FILES, readonly [string, string]>> = {
  "config/default/kustomization.yaml": ["resources:", "namePrefix: my-\nresources:"],
  "config/default/extra.yaml": ["a: x", "a: y"],
  "config/default/patch.yaml": ["patched: a", "patched: b"],
  "config/default/index.html": ["Hello", "Welcome"],
  "config/default/page.env": ["red", "green"],
  "config/base/kustomization.yml": ["resources:", "nameSuffix: -one\nresources:"],
  "config/base/web.yaml": ["page: a", "page: b"],
};

function project() {
  const root = emptyFolder();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(FILES)) write(path, text);
  const folder = join(root, "config/default");
  return { root, write, folder, opened: new OpenKustomization(folder) };
}

describe("OpenKustomization", () => {
  it("renders once while no file has changed, and again after an edit of any of them", async () => {
    const { root, write, folder, opened } = project();
    let before = await opened.render();
    for (const [path, [old, edited]] of Object.entries(EDITS)) {
      const text = readFileSync(join(root, path), "utf8");
      expect(await opened.render()).toBe(before);
      write(path, text); // Saved as it was.
      expect(await opened.render()).toBe(before);
      write(path, text.replace(old, edited));
      const after = await opened.render();
      expect(after, path).not.toEqual(before);
      expect(after).toEqual(await renderKustomization(folder));
      before = after;
    }
  });

  it("renders again after a file was added, taken away, or reached by another link", async () => {
    const { root, write, opened } = project();
    const before = await opened.render();
    write("config/base/kustomization.yaml", "resources: [web.yaml]\n");
    await expect(opened.render()).rejects.toThrow(/kustomization.yaml also exists/);
    unlinkSync(join(root, "config/base/kustomization.yaml"));
    expect(await opened.render()).toEqual(before);

    rmSync(join(root, "config/default/patch.yaml"));
    await expect(opened.render()).rejects.toThrow(/patch\.yaml/);
    write("config/default/patch.yaml", FILES["config/default/patch.yaml"]);

    write("config/other/kustomization.yml", "resources: []\n");
    renameSync(join(root, "config/base"), join(root, "config/first"));
    symlinkSync(join(root, "config/first"), join(root, "config/base"));
    expect(await opened.render()).toEqual(before);
    unlinkSync(join(root, "config/base"));
    symlinkSync(join(root, "config/other"), join(root, "config/base"));
    await expect(opened.render()).rejects.toThrow(/web/);
  });
});
