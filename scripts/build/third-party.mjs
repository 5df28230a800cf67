// The licences of the packages inside a bundle: whoever gets the bundle gets them too. A package without one ends the build.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * Files that contain all of another package: the licence of that package counts, with the version
 * in the file.
 */
const CARRIED = [
  { file: /@ts-morph\/common\/dist\/typescript\.js$/, folder: "node_modules/typescript" },
];

/** These packages are not bundled, but declarations in dist/generated/ are made from theirs. */
const MADE_FROM = [
  "node_modules/kubernetes-models",
  "node_modules/@kubernetes-models/apimachinery",
  "node_modules/client-node-2",
];

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Packages under the MIT licence that are published without its text: the holder, as their manifest or README names it. */
const HOLDERS_WITHOUT_TEXT = {
  "grouped-queue": "Copyright (c) 2013 Simon Boudrias",
  "mem-fs": "Copyright Simon Boudrias",
  "mem-fs-editor": "Copyright Simon Boudrias",
  "which-package-manager": "Copyright mshima",
};

const LICENCE_FILE = /(^|[-_.])(licen[cs]e|copying|notice|thirdpartynotice)/i;
const CODE_FILE = /\.(?:[cm]?[jt]s|json|map)$/i;
/** A shorter text is the name of a licence. */
const MIN_TEXT_LENGTH = 500;

/** The folders of the packages that the inputs of esbuild's metafiles come from, and what tells their versions. */
function packagesIn(root, metafiles) {
  const packages = new Map();
  for (const input of metafiles.flatMap(({ inputs }) => Object.keys(inputs))) {
    const carried = CARRIED.find(({ file }) => file.test(input));
    if (carried) {
      packages.set(carried.folder, createRequire(import.meta.url)(join(root, input)).version);
      continue;
    }
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
    // An output of a plugin is in no folder.
    if (folder && existsSync(join(root, folder, "package.json"))) packages.set(folder, undefined);
  }
  for (const folder of MADE_FROM) packages.set(folder, undefined);
  return packages;
}

/** One package: its name, version and licence text. */
function noticeOf(folder, carriedVersion) {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const version = carriedVersion ?? manifest.version;
  if (minorOf(version) !== minorOf(manifest.version)) {
    throw new Error(
      `what is bundled is ${manifest.name} ${version}, and the licence in ${folder} is that of ${manifest.version}`,
    );
  }
  const license = typeof manifest.license === "string" ? manifest.license : "see below";
  const texts = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file) && !CODE_FILE.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  const holder = HOLDERS_WITHOUT_TEXT[manifest.name];
  if (texts.length === 0 && holder && license === "MIT") texts.push(`${holder}\n\n${MIT}`);
  if (texts.join("").length < MIN_TEXT_LENGTH) {
    throw new Error(
      `${manifest.name} ${version} (${license}) is bundled, and ${folder} has no text of its licence: name its holder in scripts/build/third-party.mjs`,
    );
  }
  return [`${manifest.name} ${version} (${license})`, ...texts].join("\n\n");
}

const minorOf = (version) => version.split(".").slice(0, 2).join(".");

/**
 * Names, versions and licence texts, one package after the other.
 *
 * @throws Error when there is no text of a licence, or it is that of another version
 */
export function thirdPartyNotices(root, metafiles) {
  const notices = [...packagesIn(root, metafiles)].map(([folder, version]) =>
    noticeOf(join(root, folder), version),
  );
  const sorted = [...new Set(notices)].sort();
  return `Packages that are bundled in this folder or that parts of it are made from, with their licences.\n\n${sorted.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
