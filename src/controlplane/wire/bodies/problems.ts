/** The problems that strict decoding reports, in the words of errors and of warnings. */

/** The heading of the problems that the YAML parser finds. */
export const YAML_PROBLEMS = "yaml: unmarshal errors:\n  ";

/** A field that strict decoding refuses: `unknown field "spec.a"`. */
export const problemOf = (what: "duplicate" | "unknown", path: string): string =>
  `${what} field ${JSON.stringify(path)}`;

/**
 * Unknown fields as problems.
 *
 * @param typed - paths in values that Go reads into a struct
 * @param pruned - paths that a schema does not declare, which are not quoted
 */
export const unknownFields = (typed: readonly string[], pruned: readonly string[]): string[] => [
  ...typed.map((path) => problemOf("unknown", path)),
  ...pruned.map((path) => `unknown field "${path}"`),
];

/** Problems in the form of warnings: each on its own, without the parser's heading. */
export function warningsOf(problems: readonly string[]): string[] {
  return problems.flatMap((problem) =>
    problem.startsWith(YAML_PROBLEMS)
      ? problem.slice(YAML_PROBLEMS.length).split("\n  ")
      : [problem],
  );
}

/** All problems as one error message. */
export const strictMistake = (problems: readonly string[]): string =>
  `strict decoding error: ${problems.join(", ")}`;
