/**
 * The examples of the guides: the modules of `test/docs/guides/`, which compile and whose tests run, as a page shows them.
 */
import { existsSync, readFileSync } from "node:fs";
import { formatted } from "./formatted.ts";

const FOLDER = "test/docs/guides/";
/** The name of a module and the block of code that shows it. */
const EXAMPLE = /<!-- ([\w.-]+\.ts) -->\n(?:\n```ts\n[^]*?\n```\n)?/g;

/** The imports of an example as its readers write them. */
export function asPublished(source: string): string {
  return source
    .replaceAll(/"(?:\.\.\/)+src\/index\.ts"/g, '"tsop"')
    .replaceAll(/"(?:\.\.\/)+src\/(k8s|testing)\.ts"/g, '"tsop/$1"')
    .replaceAll(/^import .* from "\.\/support\.ts";\n/gm, "")
    .replaceAll(/, await manifestsOf\(import.*?\)/g, "");
}

/** The names of the modules that a page shows. */
export function examplesIn(page: string): string[] {
  return [...page.matchAll(EXAMPLE)].map(([, name = ""]) => name);
}

/** A page with the present text of each example's module. */
export async function withExamples(root: string, page: string): Promise<string> {
  const shown = new Map<string, string>();
  for (const name of examplesIn(page)) {
    const path = `${root}${FOLDER}${name}`;
    if (!existsSync(path)) throw new Error(`a page shows ${name}, which is not in ${FOLDER}`);
    const source = asPublished(readFileSync(path, "utf8"));
    const code = await formatted(name, source);
    shown.set(name, `<!-- ${name} -->\n\n\`\`\`ts\n${code}\`\`\`\n`);
  }
  return page.replaceAll(EXAMPLE, (block, name: string) => shown.get(name) ?? block);
}
