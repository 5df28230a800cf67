// Writes src/generated/side-thread-program.ts: src/runtime/side-thread/thread-main.ts and all that it imports as one text,
// for a thread that has no file of its own in an operator that is one file.
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const target = `${root}src/generated/side-thread-program.ts`;

/** Brings the text up to date; a file that is so is not touched. */
export async function writeSideThreadProgram() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["src/runtime/side-thread/thread-main.ts"],
    bundle: true,
    write: false,
    metafile: true,
    minifySyntax: true,
    minifyWhitespace: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    charset: "ascii",
    legalComments: "none",
    logLevel: "warning",
  });
  const foreign = Object.keys(metafile.inputs).filter((file) => !file.startsWith("src/"));
  if (foreign.length > 0) throw new Error(`the side thread must do without ${foreign.join(", ")}`);
  const text = `/** What runs in the side thread. */
export const SIDE_THREAD_PROGRAM: string = ${JSON.stringify(outputFiles[0].text)};
`;
  if (read() === text) return;
  mkdirSync(`${root}src/generated`, { recursive: true });
  writeFileSync(target, text);
}

function read() {
  try {
    return readFileSync(target, "utf8");
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeSideThreadProgram();
