/**
 * The classes of a kind, edited through their syntax trees when a further version of it is added.
 */
import {
  Project,
  SyntaxKind,
  type ObjectLiteralExpression,
  type SourceFile,
} from "../../vendor/source-editor.ts";
import { removedFrom, spliced } from "./comma-list.ts";
import { propertiesOf } from "./main-file.ts";

/**
 * `storage: true` for the first of a kind's versions, unless one of them has it: of several, one has to
 * be the storage version.
 *
 * @param texts - of the versions' files, the oldest version first
 * @returns the first text with it; `undefined` when nothing is to be changed or the class is not found
 */
export function withStorage(texts: readonly string[], kind: string): string | undefined {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  const files = texts.map((text, index) => project.createSourceFile(`${index}.ts`, text));
  const options = files.map((file) => resourceOptions(file, kind));
  if (options.some((literal) => literal?.getProperty("storage"))) return undefined;
  return options[0] && withStoredMark(options[0]);
}

/** A version of a kind, as its file says it. */
export interface VersionText {
  readonly className: string;
  readonly text: string;
}

/** A version's file once the hub is stored. */
export interface HubChange {
  readonly text: string;
  /** The version was the storage version. */
  readonly wasStored: boolean;
  /** Whether it had a conversion before. */
  readonly wasConverted: boolean;
}

/**
 * The texts with the first version, the hub, as the storage version: `storage: true` stands there alone. What they say
 * of another conversion goes: that of the hub's converters takes its place. A file whose class is not found stays as it
 * is.
 */
export function withHub(versions: readonly VersionText[]): HubChange[] {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  return versions.map(({ className, text }, index) => {
    const file = project.createSourceFile(`${index}.ts`, text);
    const options = resourceOptions(file, className);
    const conversion = options?.getProperty("conversion")?.asKind(SyntaxKind.PropertyAssignment);
    conversion?.remove();
    const storage = options?.getProperty("storage");
    const isStored = storage?.getText() === "storage: true";
    if (options && storage && isStored !== (index === 0)) {
      storage.replaceWithText(`storage: ${index === 0}`);
    } else if (options && !storage && index === 0) withStoredMark(options);
    return {
      text: file.getFullText(),
      wasStored: isStored,
      wasConverted: conversion !== undefined,
    };
  });
}

/** The `storage` option of a class. */
export function storageOf({ className, text }: VersionText): "true" | "false" | "unset" {
  const said = resourceOptions(openText(text), className)?.getProperty("storage")?.getText();
  if (said === undefined) return "unset";
  return /:\s*true$/.test(said) ? "true" : "false";
}

/** The text with a class that says so; the same text where the class is not found. */
export function withStorageAs(
  { className, text }: VersionText,
  storage: "true" | "false" | "unset",
): string {
  const options = resourceOptions(openText(text), className);
  const said = options?.getProperty("storage");
  if (!options || !said) return text;
  if (storage !== "unset") {
    const span = { start: said.getStart(), end: said.getEnd() };
    return spliced(text, [{ ...span, with: `storage: ${storage}` }]);
  }
  const index = options.getProperties().indexOf(said);
  return spliced(text, removedFrom(propertiesOf(options), index));
}

const openText = (text: string): SourceFile =>
  new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true }).createSourceFile(
    "kind.ts",
    text,
  );

/** The text of the file with `storage: true` as the last option: on a line of its own where the others have theirs. */
function withStoredMark(options: ObjectLiteralExpression): string | undefined {
  const last = options.getProperties().at(-1);
  if (!last) return undefined;
  // Not addPropertyAssignment: it breaks a literal on one line into several.
  const file = options.getSourceFile();
  const before = file.getFullText().slice(last.getStartLinePos(), last.getStart());
  const between = before.trim() === "" ? `,\n${before}` : ", ";
  return file.insertText(last.getEnd(), `${between}storage: true`).getFullText();
}

function resourceOptions(file: SourceFile, className: string): ObjectLiteralExpression | undefined {
  return file
    .getClass(className)
    ?.getDecorator("Resource")
    ?.getArguments()[0]
    ?.asKind(SyntaxKind.ObjectLiteralExpression);
}
