// Bundles the page of `tsop dev` (src/page) for browsers: the bundle loads nothing from elsewhere.
import { build } from "esbuild";
import { copyFileSync, mkdirSync } from "node:fs";

/** Writes the page of a checkout into a folder. @returns what esbuild says it is made of */
export async function bundlePage(root, folder) {
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      { in: "src/page/main.tsx", out: "page" },
      { in: "src/page/page.css", out: "page" },
    ],
    outdir: folder,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: ["es2023", "chrome115", "firefox121", "safari17"],
    tsconfig: "src/page/tsconfig.json",
    minify: true,
    charset: "utf8",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  for (const name of ["index.html", "icon.svg"]) {
    copyFileSync(`${root}/src/page/${name}`, `${folder}/${name}`);
  }
  return metafile;
}
