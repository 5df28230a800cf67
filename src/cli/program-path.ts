/** Programs by their names: found on the PATH alone, also on Windows, which looks in the current folder first. */
import { existsSync } from "node:fs";
import { win32 } from "node:path";

const PATHEXT = ".COM;.EXE;.BAT;.CMD";

/**
 * The program that a name means. On Windows it is an absolute path: a cloned repository can contain a `git.cmd`. A name
 * that is not on the PATH becomes a path that does not exist.
 *
 * @param exists - whether there is a file of that path
 */
export function programPath(
  { program, env }: { program: string; env: Readonly<Record<string, string | undefined>> },
  platform: NodeJS.Platform = process.platform,
  exists: (path: string) => boolean = existsSync,
): string {
  if (platform !== "win32" || /[\\/]/.test(program)) return program;
  const valueOf = (name: string): string | undefined =>
    Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
  const folders = (valueOf("PATH") ?? "")
    .split(";")
    .map((folder) => folder.replaceAll('"', ""))
    .filter((folder) => win32.isAbsolute(folder));
  const endings = (valueOf("PATHEXT") ?? PATHEXT).split(";").filter((ending) => ending !== "");
  const names = win32.extname(program) === "" ? endings.map((end) => program + end) : [program];
  for (const folder of folders) {
    const found = names.map((name) => win32.join(folder, name)).find(exists);
    if (found !== undefined) return found;
  }
  return win32.join("C:\\not-on-the-path", program);
}
