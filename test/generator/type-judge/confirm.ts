/** Asks TypeScript's checker itself whether values are assignable: the judge has to agree with it. */
import ts from "typescript";
import { kindOf, specOf } from "./case.ts";
import type { Disagreement, Judged } from "./judge.ts";
import type { Project } from "./project.ts";

/** Members of enums are no texts and numbers to TypeScript, though they are in JSON. */
const HAS_ENUM = /\benum\b/;

/** The mistakes by the number of the case. */
export function confirm(
  project: Project,
  program: ts.Program,
  judged: readonly Judged[],
): ReadonlyMap<number, readonly Disagreement[]> {
  const asked = judged.filter(({ text }) => !HAS_ENUM.test(text));
  const path = project.pathOf("values.ts");
  const files = new Map(
    program
      .getRootFileNames()
      .map((name) => [name, program.getSourceFile(name)?.text ?? ""] as const),
  );
  files.set(path, asked.map(declarationsOf).join("\n"));
  const next = project.programOf(files, program);
  const checker = next.getTypeChecker();
  const types = new Map<string, ts.Type>();
  for (const statement of next.getSourceFile(path)?.statements ?? []) {
    if (!ts.isTypeAliasDeclaration(statement)) continue;
    types.set(statement.name.text, checker.getTypeAtLocation(statement));
  }
  const mistakes = new Map<number, Disagreement[]>();
  for (const { number, values } of asked) {
    const type = types.get(`T${number}`);
    for (const [index, { value, loose, sure }] of values.entries()) {
      const own = types.get(`V${number}_${index}`);
      if (!type || !own) throw new Error(`no type for value ${index} of ${kindOf(number)}`);
      const assignable = checker.isTypeAssignableTo(own, type);
      // A type whose fields are all optional takes no object that has none of them; the schema drops the others.
      if (assignable ? loose : !sure) continue;
      const detail = `TypeScript says ${assignable}`;
      mistakes.set(number, [...(mistakes.get(number) ?? []), { kind: "judge", value, detail }]);
    }
  }
  return mistakes;
}

function declarationsOf({ number, values }: Judged): string {
  return [
    `type T${number} = import("./case${number}.ts").${specOf(number)}["v"];`,
    ...values.map(({ value }, index) => `type V${number}_${index} = ${typeOf(value)};`),
  ].join("\n");
}

/** The type that has the value and no other. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(typeOf).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${JSON.stringify(name)}: ${typeOf(field)}`,
  );
  return `{ ${fields.join("; ")} }`;
}
