/** How programs are listed: for the terminal, and as a table for CONTRIBUTING.md. */
import type { Kind } from "./folder.ts";
import type { AnyProgram, Option, Words } from "./program.ts";

const VALUES = { switch: "", number: " N", text: " TEXT", list: " A,B" } as const;

function wordsLine({ name, least = 0, most = Infinity }: Words): string {
  const many = most > 1 ? `${name} ...` : name;
  return least > 0 ? many : `[${many}]`;
}

function optionLines(name: string, option: Option): string {
  const given = option.type === "number" || option.type === "text" ? option.default : undefined;
  const end = given === undefined || given === "" ? "" : ` (default ${given})`;
  return `    ${`--${name}${VALUES[option.type]}`.padEnd(20)} ${option.about}${end}`;
}

/** What a program does, its arguments and options, and what it needs. */
export function describeProgram(
  name: string,
  { about, needs, words, options }: AnyProgram,
): string {
  const choices = words?.choices ? `: ${words.choices.join(", ")}` : "";
  return [
    words ? `${name} ${wordsLine(words)}` : name,
    `    ${about}`,
    ...(needs.length > 0 ? [`    needs ${needs.join(", ")}`] : []),
    ...(words ? [`    ${words.name.padEnd(20)} ${words.about}${choices}`] : []),
    ...Object.entries(options).map(([option, spec]) => optionLines(option, spec)),
  ].join("\n");
}

/** The table of a kind's programs for CONTRIBUTING.md. */
export function programTable(kind: Kind, programs: ReadonlyMap<string, AnyProgram>): string {
  const rows = [...programs].map(
    ([name, { about, needs }]) =>
      `| \`npm run ${kind} -- ${name}\` | ${about} | ${needs.join(", ")} |`,
  );
  return [`| ${kind} | | needs |`, "| --- | --- | --- |", ...rows].join("\n");
}
