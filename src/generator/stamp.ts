/**
 * What a run read and made, as hashes: a run on the same input is answered without doing it again.
 *
 * It imports nothing but Node's own modules, so that a command can look here before it loads anything else.
 *
 * @module
 */
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Diagnostic } from "../errors.ts";
import { LEASE_ROLE, hashOf, readSources } from "./sources.ts";

/** How a generated file begins. */
export const GENERATED_HEADER = "# Written by `tsop manifests`; changes by hand are lost.\n";

/** Whether a file was generated, by this tsop or by an earlier one. */
export const isGenerated = (text: string | undefined): boolean =>
  text?.startsWith("# Written by `tsop manifests`") ?? false;

/** Folders of which every file may be generated. */
export const GENERATED_FOLDERS: readonly string[] = ["config/crd/bases", "config/webhook"];

/** What a run made, as far as a later run wants it. */
export interface Kept {
  readonly files: Readonly<Record<string, string>>;
  readonly kinds: readonly unknown[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What is kept beside that, so that nothing large has to be read to know that nothing changed. */
interface Stamp {
  /** The hash of everything in the project that could have been read. */
  readonly input: string;
  /** What was read elsewhere, with the hash of its content. */
  readonly read: Readonly<Record<string, string>>;
  /** What was made, with the hash of its content. */
  readonly made: Readonly<Record<string, string>>;
  readonly diagnostics: readonly Diagnostic[];
}

const STAMP = ".tsop/stamp.json";
const KEPT = ".tsop/manifests.json";

/**
 * The warnings of the last run, when nothing that it read and nothing that it made is different by now, and
 * nothing generated is left over.
 */
export function warningsIfUpToDate(root: string): readonly Diagnostic[] | undefined {
  const stamp = stampOf(root);
  if (!stamp || stamp.diagnostics.some(({ severity }) => severity === "error")) return undefined;
  const { made, diagnostics } = stamp;
  const same =
    Object.entries(made).every(([path, hash]) => hashOfFile(join(root, path)) === hash) &&
    isUnchanged(stamp, root, readSources(root)) &&
    !hasLeftOvers(root, made);
  return same ? diagnostics : undefined;
}

/** What the last run made, when everything that it read is as it was. */
export function keptResult(root: string, sources: ReadonlyMap<string, string>): Kept | undefined {
  const stamp = stampOf(root);
  if (!stamp || !isUnchanged(stamp, root, sources)) return undefined;
  const kept = parsed(join(root, KEPT)) as (Kept & { readonly input: string }) | undefined;
  return kept?.input === stamp.input ? kept : undefined;
}

/** Keeps what a run made. `read` are the files that it read, by absolute path. */
export function keepResult(
  root: string,
  sources: ReadonlyMap<string, string>,
  read: readonly string[],
  result: Kept,
): void {
  const input = inputHash(root, sources);
  // The build says what its own files are.
  const own = buildId() === "" ? undefined : fileURLToPath(OWN);
  const isOwn = (path: string): boolean => own !== undefined && path.startsWith(own);
  const elsewhere = read.filter((path) => !sources.has(path) && !isOwn(path));
  const stamp: Stamp = {
    input,
    read: Object.fromEntries(elsewhere.map((path) => [path, hashOfFile(path)])),
    made: Object.fromEntries(
      Object.entries(result.files).map(([path, text]) => [path, hashOf([["", text]])]),
    ),
    diagnostics: result.diagnostics,
  };
  write(join(root, KEPT), { ...result, input });
  write(join(root, STAMP), stamp);
}

function stampOf(root: string): Stamp | undefined {
  return parsed(join(root, STAMP)) as Stamp | undefined;
}

function isUnchanged(
  { input, read }: Stamp,
  root: string,
  sources: ReadonlyMap<string, string>,
): boolean {
  return (
    Object.entries(read).every(([path, hash]) => hashOfFile(path) === hash) &&
    input === inputHash(root, sources)
  );
}

function hasLeftOvers(root: string, made: Stamp["made"]): boolean {
  return GENERATED_FOLDERS.some((folder) =>
    namesIn(join(root, folder)).some((name) => {
      const path = `${folder}/${name}`;
      if (path in made || !name.endsWith(".yaml")) return false;
      return isGenerated(textOf(join(root, path)));
    }),
  );
}

/** Where this program is. */
const OWN = new URL("../", import.meta.url);

const buildId = (): string => textOf(new URL("build-id", OWN)) ?? "";

/** Everything that the result depends on, beside what the sources import from elsewhere. */
function inputHash(root: string, sources: ReadonlyMap<string, string>): string {
  const around = ["PROJECT", "tsconfig.json", "package.json", LEASE_ROLE].map(
    (name) => [name, textOf(join(root, name)) ?? ""] as const,
  );
  const version = textOf(new URL("../package.json", OWN)) ?? "";
  return hashOf([...sources, ...around, ["program", buildId()], ["tsop", version]]);
}

const hashOfFile = (path: string): string => hashOf([["", textOf(path) ?? ""]]);

function textOf(path: string | URL): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A file that cannot be read is as good as none. */
function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as unknown;
  } catch {
    return undefined;
  }
}

function write(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, JSON.stringify(value));
  renameSync(`${path}.new`, path);
}
