/**
 * The classes of a kind, edited through their syntax trees when a further version of it is added.
 *
 * @module
 */
import { Project, SyntaxKind, type ObjectLiteralExpression } from "../vendor/source-editor.ts";

/**
 * `storage: true` for the first of a kind's versions, unless one of them has it: of several, one has to
 * be the one that is stored.
 *
 * @param texts - of the versions' files, the oldest version first
 * @returns the first text with it; `undefined` when nothing is to be changed or the class is not found
 */
export function withStorage(texts: readonly string[], kind: string): string | undefined {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  const files = texts.map((text, index) => project.createSourceFile(`${index}.ts`, text));
  const options = files.map((file): ObjectLiteralExpression | undefined =>
    file
      .getClass(kind)
      ?.getDecorator("Resource")
      ?.getArguments()[0]
      ?.asKind(SyntaxKind.ObjectLiteralExpression),
  );
  if (options.some((literal) => literal?.getProperty("storage"))) return undefined;
  const last = options[0]?.getProperties().at(-1);
  // Not addPropertyAssignment: it breaks a literal on one line into several.
  return last && files[0]?.insertText(last.getEnd(), ", storage: true").getFullText();
}
