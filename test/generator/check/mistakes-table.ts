import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Generated, generate } from "../../../src/generator/generate.ts";

/** What is generated of a project with these files of `src`. */
export async function generateFrom(files: Readonly<Record<string, string>>): Promise<Generated> {
  const root = mkdtempSync(join(tmpdir(), "tsop-check-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, "src", name)), { recursive: true });
      writeFileSync(join(root, "src", name), text);
    }
    return await generate({ root, cache: false });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The findings as `line code: message`. */
export const told = ({ diagnostics }: Generated): string[] =>
  diagnostics.map(({ line, code, message }) => `${line} ${code}: ${message}`);
