/** The dependency of a new project: the tsop that made it. */
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isSourceCheckout, packageRoot, packageVersion } from "../../package-info.ts";
import { readIfThere } from "../plan.ts";
import { foldersUp } from "../project-root.ts";

/** The dependency on tsop of a new project's `package.json`. */
export interface TsopDependency {
  /** The version specifier for npm, such as `^1.2.0` or `file:../tsop-1.2.0.tgz`. */
  readonly spec: string;
  /** The packed tsop, when it is a file within the project: relative to the project's root, with slashes. */
  readonly archive?: string;
  /** A file or folder outside of the project: the build of an image cannot read it. */
  readonly outside?: string;
}

/** The place where tsop is installed, for tests. */
interface Installation {
  readonly root: string;
  readonly version: string;
  readonly isCheckout: boolean;
}

/**
 * The spec by which the tsop that runs was installed: a file, a git repository or a range of versions. A
 * checkout of the source is depended on as it is, so that everything works before a release.
 *
 * @param root - the new project's folder
 */
export async function tsopDependency(
  root: string,
  installed: Installation = {
    root: packageRoot(),
    version: packageVersion(),
    isCheckout: isSourceCheckout(),
  },
): Promise<TsopDependency> {
  if (installed.isCheckout) return { spec: `file:${installed.root}`, outside: installed.root };
  const asked = await installedBy(installed.root);
  if (asked === undefined || !isForNpm(asked.spec)) return { spec: `^${installed.version}` };
  const path = pathOf(asked.spec);
  if (path === undefined) return { spec: asked.spec };
  const file = resolve(asked.folder, path);
  const fromRoot = relative(root, file);
  const slashes = fromRoot.replaceAll("\\", "/");
  // On Windows there is no relative path to another drive.
  if (isAbsolute(fromRoot)) return { spec: `file:${slashes}`, outside: file };
  const spec = `file:${slashes}`;
  return slashes.startsWith("..") ? { spec, outside: file } : { spec, archive: slashes };
}

interface AskedFor {
  /** The folder of the `package.json` that depends on tsop. */
  readonly folder: string;
  readonly spec: string;
}

/** The nearest `package.json` above the installed package that depends on it: also that of npx's own cache. */
async function installedBy(root: string): Promise<AskedFor | undefined> {
  for (const folder of foldersUp(dirname(root))) {
    const spec = specIn(await readIfThere(join(folder, "package.json")).catch(() => undefined));
    if (spec !== undefined) return { folder, spec };
  }
  return undefined;
}

/** A package.json that cannot be read says nothing. */
function specIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const manifest = JSON.parse(text) as Partial<Record<string, Record<string, unknown>>> | null;
    const lists = ["dependencies", "devDependencies", "optionalDependencies"];
    const specs = lists.map((list) => manifest?.[list]?.["tsop"]);
    return specs.find((spec) => typeof spec === "string" && spec !== "") as string | undefined;
  } catch {
    return undefined;
  }
}

/** Whether npm can resolve the specifier: some are for another package manager's workspace only. */
const isForNpm = (spec: string): boolean => !/^(?:workspace|catalog|portal|link|patch):/.test(spec);

/** The path of a spec that names a file or folder; `undefined` for all others. */
function pathOf(spec: string): string | undefined {
  if (spec.startsWith("file://")) return fileURLToPath(spec);
  if (spec.startsWith("file:")) return spec.slice("file:".length);
  return /^(?:\.{1,2}[/\\]|[/\\]|~[/\\]|[A-Za-z]:[/\\])/.test(spec) ? spec : undefined;
}
