/**
 * The types of `tsop/k8s`, found by name. Their files are long, so that only the declarations that are
 * used are parsed.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuiltInKind } from "../../model.ts";

/** The folder beside this file's parent, compiled or not. */
const FOLDER = fileURLToPath(new URL("../../../generated/k8s", import.meta.url));

/** The type of a token, which says what it stands for. */
const KNOWN_KIND =
  /KnownKind<\s*\w+,\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)",\s*(true|false)/g;

/** The text of one declaration, and of the token of the same name. */
export interface BuiltInText {
  readonly path: string;
  readonly name: string;
  /**
   * The text, with as many line breaks before it as the file has there: lines are numbered as in
   * the file.
   */
  text(): string;
}

interface File {
  readonly path: string;
  readonly text: string;
  /** The start and the end of the text of each name. */
  readonly spans: ReadonlyMap<string, readonly [number, number]>;
  /** The file (without folder and extension) that a name is imported from. */
  readonly imports: ReadonlyMap<string, string>;
}

/** The built-in declarations, each file read once. */
export class BuiltInTypes {
  #files: ReadonlyMap<string, File> | undefined;
  #kinds: readonly BuiltInKind[] | undefined;

  /**
   * The declaration of a name.
   *
   * @param from - the path of the built-in file that uses it: several groups have an `Event`
   */
  find(name: string, from?: string): BuiltInText | undefined {
    this.#files ??= readFiles();
    const own = from === undefined ? undefined : this.#files.get(baseOf(from));
    const imported = own?.imports.get(name);
    const candidates = [own, imported === undefined ? undefined : this.#files.get(imported)];
    const file =
      candidates.find((candidate) => candidate?.spans.has(name)) ??
      [...this.#files.values()].find(({ spans }) => spans.has(name));
    const span = file?.spans.get(name);
    if (!file || !span) return undefined;
    const [start, end] = span;
    return {
      path: file.path,
      name,
      text: () => file.text.slice(0, start).replace(/[^\n]+/g, "") + file.text.slice(start, end),
    };
  }

  /** All kinds of `tsop/k8s`. */
  kinds(): readonly BuiltInKind[] {
    this.#files ??= readFiles();
    this.#kinds ??= [...this.#files.values()].flatMap(({ text }) =>
      [...text.matchAll(KNOWN_KIND)].map(
        ([, group = "", version = "", kind = "", plural = "", namespaced]) => ({
          group,
          version,
          kind,
          plural,
          namespaced: namespaced === "true",
        }),
      ),
    );
    return this.#kinds;
  }

  /** Whether the file at `path` is one of the built-in ones. */
  has(path: string): boolean {
    this.#files ??= readFiles();
    const file = this.#files.get(baseOf(path));
    return file !== undefined && /[/\\]generated[/\\]k8s[/\\]/.test(path);
  }

  /** Whether the built-in file at `path` takes that name from elsewhere, as it does its scalars. */
  isImported(name: string, path: string): boolean {
    return this.#files?.get(baseOf(path))?.imports.has(name) ?? false;
  }
}

const baseOf = (path: string): string =>
  path.replace(/^.*[/\\]/, "").replace(/(?:\.d)?\.[jt]s$/, "");

function readFiles(): ReadonlyMap<string, File> {
  const files = readdirSync(FOLDER).filter((file) => /-v\d+(?:\.d)?\.ts$/.test(file));
  return new Map(files.map((file) => [baseOf(file), readFile(join(FOLDER, file))]));
}

function readFile(path: string): File {
  const text = readFileSync(path, "utf8");
  const spans = new Map<string, [number, number]>();
  let last: [number, number] | undefined;
  for (const match of text.matchAll(/^export (?:interface|type) (\w+)/gm)) {
    const start = documentedFrom(text, match.index);
    if (last) last[1] = start;
    last = [start, text.length];
    spans.set(match[1] ?? "", last);
  }
  const imports = new Map<string, string>();
  for (const [, names = "", from = ""] of text.matchAll(
    /^import (?:type )?\{([^}]*)\} from "([^"]*)"/gm,
  )) {
    for (const name of names.split(",")) imports.set(name.trim(), baseOf(from));
  }
  return { path, text, spans, imports };
}

/** The start of a declaration's comment; of the declaration itself when it has none. */
function documentedFrom(text: string, declaration: number): number {
  const comment = text.lastIndexOf("\n/**", declaration) + 1;
  const between = text.slice(comment, declaration);
  return comment > 0 && between.indexOf("*/") === between.length - 3 ? comment : declaration;
}
