// Bundles src/cli/vendor/ with the packages that only it imports, so that nobody has to install them.
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Installs generators from the registry: nothing that the scaffold does, and half of the weight. */
const withoutFlyImport = {
  name: "without-fly-import",
  setup(build) {
    build.onResolve({ filter: /^fly-import$/ }, ({ path }) => ({ path, namespace: "stub" }));
    build.onLoad({ filter: /.*/, namespace: "stub" }, () => ({
      contents: "export class FlyRepository {}\nexport const flyImport = undefined;",
    }));
  },
};

/** yeoman-environment reads its own package.json when it is loaded; the bundle carries what it wants to know. */
const withPackageJson = {
  name: "with-package-json",
  setup(build) {
    build.onLoad({ filter: /yeoman-environment[/\\]dist[/\\].*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const manifest = path.replace(/dist[/\\].*$/, "package.json");
      const { name, version } = JSON.parse(readFileSync(manifest, "utf8"));
      const contents = text
        .replace("require('../package.json')", JSON.stringify({ version }))
        .replace(
          "JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json')).toString())",
          JSON.stringify({ name }),
        );
      return contents === text ? undefined : { contents };
    });
  },
};

/** Writes `<outdir>/cli/vendor/scaffold-tools.js`. */
export async function bundleVendor(outdir) {
  await build({
    absWorkingDir: root,
    entryPoints: ["src/cli/vendor/scaffold-tools.ts"],
    outfile: `${outdir}/cli/vendor/scaffold-tools.js`,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    minify: true,
    legalComments: "linked",
    plugins: [withoutFlyImport, withPackageJson],
    // Bundled CommonJS expects these three.
    banner: {
      js: [
        'import { createRequire as __createRequire } from "node:module";',
        'import { fileURLToPath as __fileURLToPath } from "node:url";',
        "const require = __createRequire(import.meta.url);",
        "const __filename = __fileURLToPath(import.meta.url);",
        'const __dirname = __fileURLToPath(new URL(".", import.meta.url));',
      ].join("\n"),
    },
    logLevel: "warning",
  });
}
