/**
 * The stamp of a run: its input and its output, kept whole. A run on the same input is answered
 * without doing it again.
 *
 * Contents are compared, byte by byte: that takes less than hashing them, and neither times nor collisions can
 * deceive it. It imports nothing but Node's own modules that every process has loaded anyway, so that a command
 * can look here before it loads anything else.
 *
 * The stamp lies in the user's own cache folder, never in the project: what comes with a repository is not believed.
 */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Diagnostic } from "../errors.ts";
import { sourcePaths } from "./sources.ts";
import { readRegularFileSync } from "../regular-file.ts";

/** The beginning of a generated file. */
export const GENERATED_HEADER = "# Written by `tsop manifests`; changes by hand are lost.\n";

/** Whether a file was generated, by this tsop or by an earlier one. */
export const isGenerated = (text: string | undefined): boolean =>
  text?.startsWith("# Written by `tsop manifests`") ?? false;

/** The file of the roles for the users of kinds. */
export const USER_ROLES = "config/rbac/user_roles.yaml";

/** The file of the roles for issuing the certificate of webhooks. */
export const CERTIFICATE_ROLES = "config/rbac/webhook_certificate_role.yaml";

/** The file of the roles for conversions. */
export const CONVERSION_ROLES = "config/rbac/webhook_conversion_role.yaml";

/** The configuration that tells kustomize that CRDs name Services. */
export const CRD_REFERENCES = "config/crd/kustomizeconfig.yaml";

/** The list of what webhooks need in the cluster. */
export const WEBHOOK_LIST = "config/webhook/kustomization.yaml";

/** The Service before the webhooks. */
export const WEBHOOK_SERVICE_FILE = "config/webhook/service.yaml";

/** The annotation of a role with the namespace that it stays in, when kustomize moves all others. */
export const NAMESPACE_ANNOTATION = "tsop.dev/namespace";

/** The file of the operator's roles and of their bindings. */
export const MANAGER_ROLES = "config/rbac/role.yaml";

/** The list of the CRDs. */
export const CRD_LIST = "config/crd/kustomization.yaml";

/** Folders of which every file may be generated. */
const GENERATED_FOLDERS: readonly string[] = ["config/crd/bases", "config/webhook"];

/** Files that may be generated beside those in the folders. */
const GENERATED_FILES = [
  CRD_LIST,
  CRD_REFERENCES,
  MANAGER_ROLES,
  USER_ROLES,
  CERTIFICATE_ROLES,
  CONVERSION_ROLES,
];

/** Whether a path in the project is one of those that `tsop manifests` writes. */
function isGeneratedPath(path: string): boolean {
  const slash = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, slash), path.slice(slash + 1)];
  const inFolder = GENERATED_FOLDERS.includes(folder) && /^[\w.-]+\.yaml$/.test(name);
  return inFolder || GENERATED_FILES.includes(path);
}

/** The parts of the disk that were read, by absolute path. */
export interface Reads {
  readonly files: ReadonlyMap<string, Buffer>;
  /** The names in folders that were listed. */
  readonly folders: ReadonlyMap<string, readonly string[]>;
  /** Files that were looked for and are not there: had they been, they would have been read. */
  readonly noFile: ReadonlySet<string>;
  readonly noFolder: ReadonlySet<string>;
}

/** The output of a run, as far as a later run wants it. */
export interface Kept {
  readonly files: ReadonlyMap<string, string>;
  readonly kinds: readonly unknown[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A file and how long it was. */
type Part = readonly [path: string, bytes: number];

/** The first line of the stamp. The contents of `read`, then of `made`, follow. */
interface Index {
  /** The project's folder. */
  readonly root: string;
  /** The build of tsop: another one may make something else of the same. */
  readonly program: string;
  /** The source files; others may have come. */
  readonly sources: readonly string[];
  readonly read: readonly Part[];
  readonly folders: readonly (readonly [path: string, names: readonly string[]])[];
  readonly noFile: readonly string[];
  readonly noFolder: readonly string[];
  /** The generated files by path in the project. */
  readonly made: readonly Part[];
  readonly diagnostics: readonly Diagnostic[];
  readonly kinds: readonly unknown[];
}

interface Stamp {
  readonly index: Index;
  readonly contents: Buffer;
}

const NEWLINE = 10;

/** How many projects' stamps are kept; the oldest ones are removed. */
const MAX_STAMPS = 64;
const STAMP_SUFFIX = ".stamp";

/**
 * The folder of stamps: `TSOP_CACHE_DIR`, or the platform's place for files that can be made again.
 */
function stampFolder(): string {
  const { TSOP_CACHE_DIR, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const said = [TSOP_CACHE_DIR, XDG_CACHE_HOME && join(XDG_CACHE_HOME, "tsop")];
  const platform =
    process.platform === "win32"
      ? join(LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "tsop", "Cache")
      : join(homedir(), process.platform === "darwin" ? "Library/Caches/tsop" : ".cache/tsop");
  const folder = said.find((path) => path !== undefined && isAbsolute(path)) ?? platform;
  return join(folder, "manifests");
}

const stampPath = (root: string): string =>
  join(stampFolder(), `${encodeURIComponent(root)}${STAMP_SUFFIX}`);

/**
 * The warnings of the last run, when nothing that it read and nothing that it made is different by now, and
 * nothing generated is left over.
 */
export function warningsIfUpToDate(root: string): readonly Diagnostic[] | undefined {
  const stamp = stampOf(root);
  if (!stamp || stamp.index.diagnostics.some(({ severity }) => severity === "error")) {
    return undefined;
  }
  const { diagnostics, made } = stamp.index;
  const asMade = madeOf(stamp).every(([path, bytes]) => isSame(join(root, path), bytes));
  const upToDate = asMade && leftOvers(root, new Map(made)).length === 0;
  return upToDate && isUnchanged(stamp, root) ? diagnostics : undefined;
}

/** The output of the last run, when everything that it read is as it was. */
export function keptResult(root: string): Kept | undefined {
  const stamp = stampOf(root);
  if (!stamp || !isUnchanged(stamp, root)) return undefined;
  const { kinds, diagnostics } = stamp.index;
  const files = new Map(madeOf(stamp).map(([path, bytes]) => [path, bytes.toString("utf8")]));
  return { files, kinds, diagnostics };
}

/**
 * Keeps the output of a run for the project's `sources` and everything else that it read. Where
 * nothing can be kept, the next run takes longer, and that is all.
 */
export function keepResult(
  root: string,
  sources: ReadonlyMap<string, string>,
  reads: Reads,
  result: Kept,
): void {
  const own = isOwn();
  const read = new Map([...reads.files].filter(([path]) => !own(path)));
  for (const [path, text] of sources) read.set(path, Buffer.from(text));
  const made = new Map([...result.files].map(([path, text]) => [path, Buffer.from(text)]));
  const index: Index = {
    root,
    program: buildId(),
    sources: [...sources.keys()],
    read: partsOf(read),
    folders: [...reads.folders],
    noFile: [...reads.noFile],
    noFolder: [...reads.noFolder],
    made: partsOf(made),
    diagnostics: result.diagnostics,
    kinds: result.kinds,
  };
  const head = Buffer.from(`${JSON.stringify(index)}\n`);
  const path = stampPath(root);
  const partial = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const bytes = Buffer.concat([head, ...read.values(), ...made.values()]);
    writeFileSync(partial, bytes, { mode: 0o600, flag: "wx" });
    renameSync(partial, path);
    dropOldest(dirname(path));
  } catch {
    drop(partial);
  }
}

function drop(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Where nothing can be written there is nothing to remove.
  }
}

function dropOldest(folder: string): void {
  const names = namesIn(folder).filter((name) => name.endsWith(STAMP_SUFFIX));
  if (names.length <= MAX_STAMPS) return;
  const times = new Map(names.map((name) => [name, lstatSync(join(folder, name)).mtimeMs]));
  const oldest = names.sort((a, b) => (times.get(a) ?? 0) - (times.get(b) ?? 0));
  for (const name of oldest.slice(0, -MAX_STAMPS)) drop(join(folder, name));
}

const partsOf = (files: ReadonlyMap<string, Buffer>): Part[] =>
  [...files].map(([path, bytes]) => [path, bytes.length]);

/** The build says what its own files are. */
function isOwn(): (path: string) => boolean {
  if (buildId() === "") return () => false;
  const folder = fileURLToPath(OWN);
  return (path) => path.startsWith(folder);
}

/** The folder of this program. */
const OWN = new URL("../", import.meta.url);

const buildId = (): string => bytesOf(new URL("build-id", OWN))?.toString("latin1") ?? "";

/** A stamp that cannot be read, or that another build or somebody else wrote, is as good as none. */
function stampOf(root: string): Stamp | undefined {
  const path = stampPath(root);
  try {
    const bytes = isOwnFile(path) ? bytesOf(path) : undefined;
    if (!bytes) return undefined;
    const end = bytes.indexOf(NEWLINE);
    const index = JSON.parse(bytes.toString("utf8", 0, Math.max(end, 0))) as Index;
    const fits =
      index.program === buildId() &&
      index.root === root &&
      index.made.every(([made]) => isGeneratedPath(made));
    return fits ? { index, contents: bytes.subarray(end + 1) } : undefined;
  } catch {
    return undefined;
  }
}

function isOwnFile(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const user = process.getuid?.();
  return stat?.isFile() === true && (user === undefined || stat.uid === user);
}

function isUnchanged({ index, contents }: Stamp, root: string): boolean {
  const { sources, read, folders, noFile, noFolder } = index;
  return (
    areSame(sourcePaths(root), sources) &&
    withContents(read, contents, 0).every(([path, bytes]) => isSame(path, bytes)) &&
    folders.every(([path, names]) => areSame(namesIn(path), names)) &&
    !noFile.some((path) => statSync(path, { throwIfNoEntry: false })?.isFile()) &&
    !noFolder.some((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory())
  );
}

const madeOf = ({ index: { read, made }, contents }: Stamp): [string, Buffer][] =>
  withContents(
    made,
    contents,
    read.reduce((sum, [, length]) => sum + length, 0),
  );

/** The parts with their contents, which lie one after the other from `start` on. */
function withContents(parts: readonly Part[], contents: Buffer, start: number): [string, Buffer][] {
  let at = start;
  return parts.map(([path, length]) => [path, contents.subarray(at, (at += length))]);
}

const isSame = (path: string, expected: Buffer): boolean =>
  bytesOf(path)?.equals(expected) ?? false;

const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name, index) => name === others[index]);

/**
 * Files that an earlier run generated of a class that is gone, or that does not ask for them any
 * more: by path in the project.
 */
export function leftOvers(root: string, made: ReadonlyMap<string, unknown>): string[] {
  const inFolders = GENERATED_FOLDERS.flatMap((folder) =>
    namesIn(join(root, folder))
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => `${folder}/${name}`),
  );
  return [...inFolders, CRD_REFERENCES, USER_ROLES, CERTIFICATE_ROLES, CONVERSION_ROLES].filter(
    (path) => !made.has(path) && isGenerated(bytesOf(join(root, path))?.toString("utf8")),
  );
}

function bytesOf(path: string | URL): Buffer | undefined {
  try {
    return readRegularFileSync(path);
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
