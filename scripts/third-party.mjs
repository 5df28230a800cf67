// The licences of the packages inside a bundle: whoever gets the bundle gets them too.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folders of the packages that the inputs of esbuild's metafiles come from. */
function packageFolders(metafiles) {
  const folders = new Set();
  for (const { inputs } of metafiles) {
    for (const path of Object.keys(inputs)) {
      const match = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path);
      if (match) folders.add(match[0]);
    }
  }
  return folders;
}

/** Names, versions and licence texts, one package after the other. */
export function thirdPartyNotices(root, metafiles) {
  const notices = new Map();
  for (const folder of packageFolders(metafiles)) {
    const absolute = join(root, folder);
    const manifest = join(absolute, "package.json");
    if (!existsSync(manifest)) continue;
    const { name, version, license } = JSON.parse(readFileSync(manifest, "utf8"));
    const texts = readdirSync(absolute)
      .filter((file) => /^(licen[cs]e|copying|notice|thirdpartynotice)/i.test(file))
      .map((file) => readFileSync(join(absolute, file), "utf8").trim());
    const heading = `${name} ${version} (${typeof license === "string" ? license : "see below"})`;
    notices.set(heading, [heading, ...texts].join("\n\n"));
  }
  const sorted = [...notices].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return `Packages that are bundled in this folder, with their licences.\n\n${sorted.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
