/**
 * YAML as people have it: as kubectl reads it, not as the strict parser wants it.
 *
 * @module
 */
import { parseAllDocuments } from "yaml";
import { messageOf, TsopError } from "../../errors.ts";

/**
 * The documents of a YAML or JSON text; those that are empty are left out.
 *
 * @param from - where the text is from, for errors
 * @throws TsopError `broken-yaml` with the position
 */
export function readDocuments(text: string, from: string): unknown[] {
  let documents = parseAllDocuments(text);
  if (documents.some(({ errors }) => errors.length > 0)) {
    const again = parseAllDocuments(withIndentedQuotes(text));
    if (again.every(({ errors }) => errors.length === 0)) documents = again;
  }
  const [error] = documents.flatMap(({ errors }) => errors);
  if (error) {
    const where = error.linePos ? `:${error.linePos[0].line}:${error.linePos[0].col}` : "";
    throw new TsopError(
      "broken-yaml",
      `${from}${where} is not valid YAML: ${error.message.split("\n")[0] ?? ""}`,
      "Repair that line and run the command again; nothing was written.",
    );
  }
  try {
    return documents
      .map((document) => document.toJS() as unknown)
      .filter((value) => value !== null && value !== undefined);
  } catch (cause) {
    // Aliases of aliases: a few lines that would fill the memory.
    throw new TsopError(
      "broken-yaml",
      `${from} is not valid YAML: ${messageOf(cause)}.`,
      "Write the values out in place of the aliases; nothing was written.",
      { cause },
    );
  }
}

/** Deeper than any key; blanks at the start of a quoted text's lines mean nothing. */
const INDENT = " ".repeat(200);

/**
 * Go's parser takes quoted texts that go on at the indentation of their own key, or left of it; indented
 * more, they mean the same to every parser.
 */
function withIndentedQuotes(text: string): string {
  let quote: string | undefined;
  return text
    .split("\n")
    .map((line) => {
      const before = quote;
      const start =
        before === undefined ? /^\s*(?:- +)*[^\s'"#][^'"#]*: +(?=['"])/.exec(line) : null;
      const from = start ? start[0].length : 0;
      if (start) quote = line[from];
      if (quote !== undefined && isClosed(line.slice(start ? from + 1 : 0), quote))
        quote = undefined;
      return before === undefined || line.trim() === "" ? line : INDENT + line;
    })
    .join("\n");
}

/** Whether a quoted text ends in this line. */
function isClosed(line: string, quote: string): boolean {
  const rest = quote === "'" ? line.replaceAll("''", "") : line.replaceAll(/\\./g, "");
  return rest.includes(quote);
}
