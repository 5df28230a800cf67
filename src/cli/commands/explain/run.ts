/** `tsop explain`: prints the documentation of a marker (also by its name in controller-gen) or an error code. */
import { UsageError } from "../../../errors.ts";
import { didYouMean } from "../../../kube/text/nearest-name.ts";
import type { CliContext } from "../../context.ts";
import { paint, printJson } from "../../output.ts";
import { packageRoot } from "../../package-info.ts";
import { readIfThere } from "../../project/plan.ts";
import type { Run } from "../../command.ts";
import type { explain } from "./flags.ts";

const PAGES = ["docs/markers.md", "docs/errors.md"];
const CONTROLLER_GEN_HEADING = "## Coming from controller-gen\n";

export const run: Run<typeof explain> = async (name, { output }, context) => {
  const pages = await Promise.all(PAGES.map((page) => readIfThere(`${packageRoot()}/${page}`)));
  const sections = new Map(pages.flatMap((page) => sectionsOf(page ?? "")));
  const own = sectionNamed(plainName(name), sections);
  if (own !== undefined) {
    if (output === "json") return printSections([], [own], sections, context);
    printSection(own, sections, context);
    return 0;
  }
  const counterparts = counterpartsOf(name, markersOfControllerGen(pages[0] ?? ""));
  const [, lastWord = ""] = /([^:]*)$/.exec(markerNames(name)[0] ?? "") ?? [];
  const sameName = name.includes(":") ? sectionNamed(lastWord, sections) : undefined;
  if (counterparts.length === 0 && sameName === undefined) {
    throw new UsageError(
      "nothing-to-explain",
      `There is no marker or error code named ${name}.`,
      didYouMean(
        plainName(name),
        [...sections.keys()].map((candidate) => candidate.replace(/^@/, "")),
        "node_modules/tsop/docs/markers.md and errors.md list them.",
      ),
    );
  }
  const titles = sameName === undefined ? titlesIn(counterparts, sections) : [sameName];
  if (output === "json") return printSections(counterparts, titles, sections, context);
  for (const { marker, here } of counterparts) {
    context.out(`controller-gen's ${marker}: ${here.replaceAll("`", "")}`);
  }
  for (const title of titles) {
    context.out("");
    printSection(title, sections, context);
  }
  return 0;
};

function printSections(
  controllerGen: readonly Counterpart[],
  titles: readonly string[],
  sections: ReadonlyMap<string, string>,
  context: CliContext,
): number {
  const found = titles.map((name) => ({ name, text: sections.get(name) ?? "" }));
  printJson(context, { controllerGen, sections: found });
  return 0;
}

function printSection(
  title: string,
  sections: ReadonlyMap<string, string>,
  context: CliContext,
): void {
  const { bold, dim } = paint(context);
  context.out(bold(title));
  let inCode = false;
  for (const line of (sections.get(title) ?? "").split("\n")) {
    const isFence = line.startsWith("```");
    if (isFence) inCode = !inCode;
    if (!isFence) context.out(inCode ? dim(`  ${line}`) : line.replaceAll("`", ""));
  }
}

/** The name alone, as it may be copied from a source: `// +name`, `@name(1)`, in quotes. */
const plainName = (name: string): string =>
  name
    .replace(/^[\s"'`/*]*[+@]?/, "")
    .replace(/[\s"'`]+$|\(.*$/g, "")
    .toLowerCase();

const sectionNamed = (plain: string, sections: ReadonlyMap<string, string>): string | undefined =>
  [...sections.keys()].find((title) => plainName(title) === plain);

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

/** A row of the table for those who come from controller-gen. */
interface Counterpart {
  /** One marker, or several, with the text about them. */
  readonly marker: string;
  readonly here: string;
}

function markersOfControllerGen(page: string): Counterpart[] {
  const [, table = ""] = page.split(CONTROLLER_GEN_HEADING);
  return table
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) => {
      const [, marker = "", here = ""] = line
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll("\\|", "|"));
      return { marker, here };
    });
}

/**
 * The names that a marker may have in the table, the whole first: arguments follow `=`, and the
 * last of the words before.
 */
function markerNames(name: string): string[] {
  const words = plainName(name)
    .replace(/=.*$/s, "")
    .replace(/^kubebuilder:/, "")
    .replace(/^validation:/, "")
    .split(":");
  return words.map((_, index) => words.slice(0, words.length - index).join(":"));
}

function counterpartsOf(name: string, table: readonly Counterpart[]): Counterpart[] {
  for (const wanted of markerNames(name)) {
    const found = table.filter(({ marker }) =>
      marker
        .replaceAll(/\([^)]*\)/g, "")
        .split(/ \/ |, /)
        .map((each) => markerNames(each)[0] ?? "")
        .some((each) =>
          each.endsWith("*") ? wanted.startsWith(each.slice(0, -1)) : each === wanted,
        ),
    );
    if (found.length > 0) return found;
  }
  return [];
}

/** The sections of the markers that the rows name. */
function titlesIn(
  counterparts: readonly Counterpart[],
  sections: ReadonlyMap<string, string>,
): string[] {
  const named = counterparts.flatMap(({ here }) => here.match(/@\w+/g) ?? []);
  return [...new Set(named)].filter((title) => sections.has(title));
}
