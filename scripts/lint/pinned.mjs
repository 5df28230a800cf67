// What the workflows and images of this repository and of the scaffold run is fixed: actions by the digest of a commit, with
// its version behind it (a tag can be moved to other code); base images by digest, or by tag with the reason above.
// `node scripts/lint/pinned.mjs [FOLDER]` prints each line that is not, and exits with 1 if there is one.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = process.argv[2] ?? fileURLToPath(new URL("../..", import.meta.url));
const IGNORED = new Set(["node_modules", "dist", ".cache", ".git"]);

const ACTION = /^\s*-?\s*uses:\s*(\S+)(.*)$/;
const OWN = /^\.\//;
const PINNED_ACTION = /^[\w.-]+\/[\w./-]+@[\da-f]{40}$/;
const VERSION = /^\s+# v\d/;
const IMAGE = /^FROM(?:\s+--platform=\S+)?\s+(\S+)/i;
const REASON = /^#.*\bpinned by tag\b/m;

const found = [];
const note = (file, index, what) => found.push(`${file}:${index + 1}: ${what}`);

/** The paths of files, relative to the root. */
function* pathsIn(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !IGNORED.has(entry.name)) yield* pathsIn(path);
  }
}

const files = [...pathsIn("")];

for (const file of files.filter((path) => /(^|\/)\.github\/.*\.ya?ml(\.hbs)?$/.test(path))) {
  for (const [index, line] of linesOf(file)) {
    const [, action, rest] = ACTION.exec(line) ?? [];
    if (action === undefined || OWN.test(action)) continue;
    if (!PINNED_ACTION.test(action))
      note(file, index, `${action} is not pinned by the digest of a commit`);
    else if (!VERSION.test(rest)) note(file, index, `${action} has no comment with its version`);
  }
}

for (const file of files.filter((path) => /(^|[/.])Dockerfile(\.hbs)?$/.test(path))) {
  const stages = new Set();
  const hasReason = REASON.test(readFileSync(join(root, file), "utf8"));
  for (const [index, line] of linesOf(file)) {
    const image = IMAGE.exec(line)?.[1];
    if (image === undefined) continue;
    const isFixed = image === "scratch" || stages.has(image) || /@sha256:[\da-f]{64}$/.test(image);
    if (!isFixed && !hasReason)
      note(
        file,
        index,
        `${image} is pinned neither by digest nor with a reason ("pinned by tag, so ...")`,
      );
    const stage = /\sAS\s+(\S+)/i.exec(line)?.[1];
    if (stage !== undefined) stages.add(stage);
  }
}

function linesOf(file) {
  return readFileSync(join(root, file), "utf8").split("\n").entries();
}

for (const line of found) console.error(line);
if (found.length > 0) process.exitCode = 1;
