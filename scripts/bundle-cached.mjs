// Bundles the code of the commands into dist/, one CommonJS file each, for the code cache
// (src/code-cache.ts): the commands themselves, the modules that run before them, and the packages
// behind src/cli/vendor/ and src/generator/load.ts, which users need not install.
import { build } from "esbuild";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundlePage } from "./page.mjs";
import { thirdPartyNotices } from "./third-party.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const slashes = (path) => path.replaceAll("\\", "/");

/** A module finds files beside its original place. */
const withOwnUrl = (dist, outfile) => ({
  name: "with-own-url",
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]dist[/\\].*\.js$/ }, ({ path }) => {
      if (!path.startsWith(dist)) return undefined;
      const own = slashes(relative(dirname(outfile), path));
      const text = readFileSync(path, "utf8");
      return {
        contents: text.replaceAll(
          /new URL\(([^()]+), import\.meta\.url\)/g,
          (_, target) => `new URL(${target}, new URL(${JSON.stringify(own)}, __bundleUrl))`,
        ),
      };
    });
  },
});

/** The TypeScript compiler is a bundle of its own, and must not be loaded twice. */
const compilerFrom = (dist) => ({
  name: "compiler-from-its-bundle",
  setup({ onLoad }) {
    onLoad({ filter: /@ts-morph[/\\]common[/\\]dist[/\\]typescript\.js$/ }, () => ({
      contents: `module.exports = require(${JSON.stringify(resolve(dist, "generator/load.js"))}).ts;`,
      resolveDir: dist,
      loader: "js",
    }));
  },
});

/**
 * Code that installs generators from the registry: the scaffold does not use it, and it is half of
 * the size.
 */
const withoutFlyImport = {
  name: "without-fly-import",
  setup(build) {
    build.onResolve({ filter: /^fly-import$/ }, ({ path }) => ({ path, namespace: "stub" }));
    build.onLoad({ filter: /.*/, namespace: "stub" }, () => ({
      contents: "export class FlyRepository {}\nexport const flyImport = undefined;",
    }));
  },
};

/**
 * yeoman-environment reads its own package.json when it is loaded; the bundle has the fields that
 * it needs.
 */
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

/**
 * The declarations of JavaScript's own library: three megabytes that editing a file does not need.
 */
const withoutLibFiles = {
  name: "without-lib-files",
  setup({ onLoad }) {
    onLoad({ filter: /ts-morph-common\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const contents = text.replace(
        /^const libFiles = \[\{[^]*?^\s*\}\];$/m,
        "const libFiles = [];",
      );
      if (contents === text)
        throw new Error(`${path} has no libFiles any more: look where they are`);
      return { contents };
    });
  },
};

async function bundle(options, outfile) {
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    charset: "ascii",
    legalComments: "none",
    logLevel: "warning",
    // A script from the code cache has no import().
    supported: { "dynamic-import": false },
    define: { "import.meta.url": "__bundleUrl" },
    banner: { js: OWN_URL },
    ...options,
  });
  return metafile;
}

const OWN_URL = 'const __bundleUrl = require("node:url").pathToFileURL(__filename);';

/**
 * For the code cache, a bundle is the function that Node would wrap it in: so its text is in memory
 * only once.
 */
const AS_FUNCTION = {
  banner: { js: `(function (exports, require, module, __filename, __dirname) { ${OWN_URL}` },
  footer: { js: "})" },
};

/**
 * A bundle with one command, which is always run by its name; the other commands are never called.
 */
const withoutOtherCommands = (command) => ({
  name: "without-other-commands",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/commands\// }, ({ path, importer }) =>
      /[/\\]cli[/\\]program\.js$/.test(importer) && path !== `./commands/${command}.js`
        ? { path, namespace: "other-command" }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "other-command" }, () => ({ contents: "" }));
  },
});

/** commander starts programs for commands in files of their own; there are none here. */
const withoutChildProcess = {
  name: "without-child-process",
  setup({ onLoad }) {
    onLoad({ filter: /commander[/\\]lib[/\\]command\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const contents = text.replace("= require('node:child_process')", "= undefined");
      if (contents === text) throw new Error(`${path} does not load node:child_process any more`);
      return { contents };
    });
  },
};

/**
 * Replaces `<module>.js` by a file that loads `<module>.cjs`, or the bundle of a command that has
 * one.
 */
function writeDoor(dist, module, names, commands = []) {
  const name = module.split("/").at(-1);
  const up = "../".repeat(module.split("/").length - 1);
  writeFileSync(
    `${dist}/${module}.js`,
    `import { fileURLToPath } from "node:url";
import { requireCached } from "${up}code-cache.js";
const command = process.argv[2];
const bundle = ${JSON.stringify(commands)}.includes(command) ? command : ${JSON.stringify(name)};
const file = fileURLToPath(new URL("./" + bundle + ".cjs", import.meta.url));
export const { ${names.join(", ")} } = requireCached(file, command?.replaceAll(/[^a-z]/g, ""));
`,
  );
  rmSync(`${dist}/${module}.js.map`, { force: true });
}

/**
 * Writes the bundles of the compiler, the editor of source files, the tools of the scaffold, the
 * commands and the page.
 */
export async function bundleCached(outdir) {
  const dist = resolve(root, outdir);
  const compiler = `${dist}/generator/load`;
  const contents = 'exports.ts = require("@ts-morph/common/dist/typescript.js");';
  const compilerFiles = await bundle(
    { ...AS_FUNCTION, stdin: { contents, resolveDir: root }, minify: true },
    `${compiler}.cjs`,
  );
  writeDoor(dist, "generator/load", ["ts"]);

  const editor = `${dist}/cli/vendor/source-editor`;
  const plugins = [withOwnUrl(dist, `${editor}.cjs`), compilerFrom(dist), withoutLibFiles];
  const editorFiles = await bundle(
    { ...AS_FUNCTION, entryPoints: [`${editor}.js`], minify: true, plugins },
    `${editor}.cjs`,
  );
  writeDoor(dist, "cli/vendor/source-editor", ["Project", "SyntaxKind"]);

  const scaffold = `${dist}/cli/vendor/scaffold-tools`;
  const scaffoldFiles = await bundle(
    {
      ...AS_FUNCTION,
      entryPoints: [`${scaffold}.js`],
      minify: true,
      plugins: [withoutFlyImport, withPackageJson],
    },
    `${scaffold}.cjs`,
  );
  writeDoor(dist, "cli/vendor/scaffold-tools", [
    "Handlebars",
    "createEditor",
    "commitSharedFsTask",
    "createEnv",
  ]);

  const program = `${dist}/cli/program`;
  const bundleProgram = (file, more) =>
    bundle(
      {
        ...AS_FUNCTION,
        entryPoints: [`${program}.js`],
        // Packages that are installed anyway: esbuild has a binary, the others issue certificates,
        // which few commands do.
        external: ["esbuild", "@peculiar/asn1-schema", "@peculiar/asn1-x509"],
        // Names stay: stack traces remain readable.
        minifyWhitespace: true,
        minifySyntax: true,
        lineLimit: 200,
        plugins: [withOwnUrl(dist, file), withoutChildProcess, ...more],
      },
      file,
    );
  const programFiles = await bundleProgram(`${program}.cjs`, []);
  // A long-running control plane then only holds its own code, and starts sooner.
  await bundleProgram(`${dist}/cli/cluster.cjs`, [withoutOtherCommands("cluster")]);
  writeDoor(dist, "cli/program", ["runProgram"], ["cluster"]);

  const main = `${dist}/cli/main`;
  const mainFiles = await bundle(
    { entryPoints: [`${main}.js`], minify: true, plugins: [withOwnUrl(dist, `${main}.cjs`)] },
    `${main}.cjs`,
  );

  const pageFiles = await bundlePage(root, `${dist}/page`);

  const metafiles = [compilerFiles, editorFiles, scaffoldFiles, programFiles, mainFiles, pageFiles];
  writeFileSync(`${dist}/THIRD-PARTY.txt`, thirdPartyNotices(root, metafiles));
}
