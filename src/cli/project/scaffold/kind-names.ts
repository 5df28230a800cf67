/** The names by which generated code and its files call a kind. */
import { posix } from "node:path";
import { apiGroupOf, isSameKind, type Project, type ProjectResource } from "../project-file.ts";

const RESERVED_WORDS = new Set(
  (
    "await break case catch class const continue debugger default delete do else enum export extends " +
    "false finally for function if implements import in instanceof interface let new null package " +
    "private protected public return static super switch this throw true try typeof var void while " +
    "with yield arguments eval client key nowMs"
  ).split(" "),
);

/** The first word of an API group, for names that would be taken otherwise. */
export const firstWord = (apiGroup: string): string => apiGroup.split(".")[0] || "core";

/** The names of files and code that belong to a kind. */
export interface KindNames {
  /** The beginning of the names of files: `widget`. */
  readonly stem: string;
  /** The part in the names of classes and functions: `Widget`. */
  readonly name: string;
}

/** The names after the kind, with a word of the group where another kind of its name was first. */
export function namesOf(project: Project, resource: ProjectResource): KindNames {
  const kind = resource.kind.toLowerCase();
  const own = project.resources.findIndex((known) => isSameKind(known, resource));
  const earlier = own === -1 ? project.resources : project.resources.slice(0, own);
  const isTaken = earlier.some(
    (known) => known.kind.toLowerCase() === kind && !isSameKind(known, resource),
  );
  // The index has a function setUpAll.
  if (!isTaken && kind !== "all") return { stem: kind, name: resource.kind };
  const word = firstWord(apiGroupOf(project, resource));
  const prefix = word.replace(/(^|-)(\w)/g, (_match, _dash, letter: string) =>
    letter.toUpperCase(),
  );
  return { stem: `${kind}-${word}`, name: `${prefix}${resource.kind}` };
}

/**
 * The name of a variable for the kind: `MyWeb` as `myWeb`; names of JavaScript and of the template
 * are avoided.
 */
export function variableOf(kind: string): string {
  const name = kind.replace(/^([A-Z]+(?=[A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z])/, (capitals) =>
    capitals.toLowerCase(),
  );
  return RESERVED_WORDS.has(name) ? `${name}Object` : name;
}

/**
 * The module from which a file in `folder` imports the class of a kind; without a file it is one of
 * Kubernetes.
 */
export const moduleOf = (file: string | undefined, folder: string): string =>
  file === undefined ? "tsop/k8s" : posix.relative(folder, file).replace(/^(?!\.)/, "./");
