// Bundles the code of the commands into dist/, one CommonJS file each, for the code cache
// (src/code-cache.ts): the commands themselves, the modules that run before them, and the packages
// behind src/cli/vendor/ and src/generator/load.ts, which users need not install.
import { build, version } from "esbuild";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundlePage } from "./page.mjs";
import { thirdPartyNotices } from "./third-party.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const slashes = (path) => path.replaceAll("\\", "/");

/** A module of the compiler's output finds files beside its place in dist/, and other bundles by their doors. */
const withOwnUrl = (compiled, dist, outfile) => ({
  name: "with-own-url",
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(compiled)) return undefined;
      const module = slashes(relative(compiled, path));
      const own = slashes(relative(dirname(outfile), resolve(dist, module)));
      const isEntry = outfile === resolve(dist, module.replace(/js$/, "cjs"));
      const text = (!isEntry && doorOf(module)) || readFileSync(path, "utf8");
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
const compilerFrom = (compiled) => ({
  name: "compiler-from-its-bundle",
  setup({ onLoad }) {
    onLoad({ filter: /@ts-morph[/\\]common[/\\]dist[/\\]typescript\.js$/ }, () => ({
      contents: `module.exports = require("./generator/load.js").ts;`,
      resolveDir: compiled,
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

/** What esbuild read for the bundles of the last build: a bundle whose inputs are unchanged is not built again. */
class KnownBundles {
  #file;
  #settings;
  #known = {};

  constructor(file) {
    this.#file = file;
    const own = ["bundle-cached.mjs", "page.mjs"].map((name) =>
      readFileSync(new URL(name, import.meta.url)),
    );
    const settings = createHash("sha256").update(version);
    for (const text of own) settings.update(text);
    this.#settings = settings.digest("hex");
    try {
      const { settings: before, known } = JSON.parse(readFileSync(file, "utf8"));
      if (before === this.#settings) this.#known = known;
    } catch {
      // There was no build before.
    }
  }

  /** Builds, unless every output is the one of these inputs. @returns the metafile */
  async upToDate(name, outputs, make) {
    const known = this.#known[name];
    if (known && sameStates(known.states) && sameStates(known.outputs)) return known.metafile;
    const metafile = await make();
    const inputs = Object.keys(metafile.inputs).filter((path) => existsSync(resolve(root, path)));
    this.#known[name] = {
      // THIRD-PARTY.txt follows from the names of the inputs alone.
      metafile: {
        inputs: Object.fromEntries(Object.keys(metafile.inputs).map((path) => [path, {}])),
      },
      states: statesOf(inputs),
      outputs: statesOf(outputs),
    };
    return metafile;
  }

  save() {
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, JSON.stringify({ settings: this.#settings, known: this.#known }));
  }
}

const statesOf = (paths) => Object.fromEntries(paths.map((path) => [path, stateOf(path)]));
const sameStates = (states) =>
  Object.entries(states).every(([path, state]) => stateOf(path) === state);

function stateOf(path) {
  const { mtimeMs, size } = statSync(resolve(root, path), { throwIfNoEntry: false }) ?? {};
  return `${mtimeMs} ${size}`;
}

async function bundle(compiled, options, outfile) {
  const { metafile } = await build({
    metafile: true,
    // Modules have their names from here, in the bundle and so in stack traces.
    absWorkingDir: compiled,
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
  const inputs = Object.entries(metafile.inputs).map(([path, input]) => [
    slashes(relative(root, resolve(compiled, path))),
    input,
  ]);
  return { inputs: Object.fromEntries(inputs) };
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
    onResolve({ filter: /^\.\/.+\/run\.js$/ }, ({ path, importer }) =>
      /[/\\]commands[/\\]command-tree\.js$/.test(importer) && path !== `./${command}/run.js`
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

/** Modules of dist/ that load their bundle: the names that each exports, and the commands with a bundle of their own. */
const DOORS = {
  "generator/load": { names: ["ts"] },
  "cli/vendor/source-editor": { names: ["Project", "SyntaxKind"] },
  "cli/vendor/scaffold-tools": {
    names: ["Handlebars", "createEditor", "commitSharedFsTask", "createEnv"],
  },
  // A long-running control plane only holds its own code, and starts sooner.
  "cli/program": { names: ["runProgram"], commands: ["cluster"] },
};

/** The text of a module that loads its bundle, such as `cli/program.js`; undefined for other modules. */
export function doorOf(file) {
  const module = file.replace(/\.js$/, "");
  const door = Object.hasOwn(DOORS, module) ? DOORS[module] : undefined;
  if (!door) return undefined;
  const name = module.split("/").at(-1);
  const up = "../".repeat(module.split("/").length - 1);
  return `import { fileURLToPath } from "node:url";
import { requireCached } from "${up}code-cache.js";
const command = process.argv[2];
const bundle = ${JSON.stringify(door.commands ?? [])}.includes(command) ? command : ${JSON.stringify(name)};
const file = fileURLToPath(new URL("./" + bundle + ".cjs", import.meta.url));
export const { ${door.names.join(", ")} } = requireCached(file, command?.replaceAll(/[^a-z]/g, ""));
`;
}

/**
 * Writes the bundles of the compiler, the editor of source files, the tools of the scaffold, the
 * commands and the page from the compiler's output.
 */
export async function bundleCached(compiled, dist) {
  const bundles = new KnownBundles(resolve(root, ".cache/bundles.json"));
  const inCache = (file, options) =>
    bundles.upToDate(slashes(relative(dist, file)), [file], () =>
      bundle(compiled, { ...AS_FUNCTION, ...options }, file),
    );

  const compiler = `${dist}/generator/load.cjs`;
  const contents = 'exports.ts = require("@ts-morph/common/dist/typescript.js");';
  const editor = `${dist}/cli/vendor/source-editor.cjs`;
  const scaffold = `${dist}/cli/vendor/scaffold-tools.cjs`;
  const program = (file, more) =>
    inCache(file, {
      entryPoints: [`${compiled}/cli/program.js`],
      // It is installed anyway, with a binary.
      external: ["esbuild"],
      // Names stay: stack traces remain readable.
      minifyWhitespace: true,
      minifySyntax: true,
      lineLimit: 200,
      plugins: [
        withOwnUrl(compiled, dist, `${dist}/cli/program.cjs`),
        withoutChildProcess,
        ...more,
      ],
    });
  const main = `${dist}/cli/main.cjs`;
  const page = ["page.js", "page.css"].map((name) => `${dist}/page/${name}`);
  const metafiles = await Promise.all([
    inCache(compiler, { stdin: { contents, resolveDir: root }, minify: true }),
    inCache(editor, {
      entryPoints: [`${compiled}/cli/vendor/source-editor.js`],
      minify: true,
      plugins: [withOwnUrl(compiled, dist, editor), compilerFrom(compiled), withoutLibFiles],
    }),
    inCache(scaffold, {
      entryPoints: [`${compiled}/cli/vendor/scaffold-tools.js`],
      minify: true,
      plugins: [withOwnUrl(compiled, dist, scaffold), withoutFlyImport, withPackageJson],
    }),
    program(`${dist}/cli/program.cjs`, []),
    program(`${dist}/cli/cluster.cjs`, [withoutOtherCommands("cluster")]),
    bundles.upToDate("main", [main], () =>
      bundle(
        compiled,
        {
          entryPoints: [`${compiled}/cli/main.js`],
          minify: true,
          plugins: [withOwnUrl(compiled, dist, main)],
        },
        main,
      ),
    ),
    bundles.upToDate("page", page, () => bundlePage(root, `${dist}/page`)),
  ]);
  writeFileSync(`${dist}/THIRD-PARTY.txt`, thirdPartyNotices(root, metafiles));
  bundles.save();
}
