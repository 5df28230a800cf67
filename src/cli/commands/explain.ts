/**
 * `tsop explain`: a marker or an error code, in the terminal.
 *
 * @module
 */
import { UsageError } from "../../errors.ts";
import { didYouMean } from "../../generator/nearest-name.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../output.ts";
import { packageRoot } from "../package-info.ts";
import { readIfThere } from "../project/plan.ts";

const PAGES = ["docs/markers.md", "docs/errors.md"];

/** Prints what the documentation says of a name; returns the exit code. */
export async function explain(name: string, context: CliContext): Promise<number> {
  const pages = await Promise.all(PAGES.map((page) => readIfThere(`${packageRoot()}/${page}`)));
  const sections = new Map(pages.flatMap((page) => sectionsOf(page ?? "")));
  const wanted = plainName(name);
  const title = [...sections.keys()].find((candidate) => plainName(candidate) === wanted);
  if (title === undefined) {
    throw new UsageError(
      "nothing-to-explain",
      `There is no marker and no error called ${name}.`,
      didYouMean(
        name.replace(/^@/, ""),
        [...sections.keys()].map((candidate) => candidate.replace(/^@/, "")),
        "docs/markers.md and docs/errors.md list them.",
      ),
    );
  }
  const { bold, dim } = paint(context);
  context.out(bold(title));
  let inCode = false;
  for (const line of (sections.get(title) ?? "").split("\n")) {
    const isFence = line.startsWith("```");
    if (isFence) inCode = !inCode;
    if (!isFence) context.out(inCode ? dim(`  ${line}`) : line.replaceAll("`", ""));
  }
  return 0;
}

const plainName = (name: string): string => name.replace(/^@/, "").toLowerCase();

/** The sections of a page: each heading that names one thing, with its text. */
function sectionsOf(page: string): [string, string][] {
  return page
    .split(/^#{2,3} /m)
    .slice(1)
    .map((section): [string, string] => {
      const end = section.indexOf("\n");
      return [section.slice(0, end), section.slice(end).trim()];
    })
    .filter(([title, text]) => !title.includes(" ") && text !== "");
}
