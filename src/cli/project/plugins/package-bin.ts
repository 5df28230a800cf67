/** The programs of a project's `package.json`: who installs the package has them on the PATH. */
import { TsopError } from "../../../errors.ts";
import { isJsonObject } from "../../../kube/json.ts";
import { completionOf, PROGRAMS, programOf } from "./plugin-names.ts";

/** The path of the file. */
export const PACKAGE_FILE = "package.json";

/** The text of the file with the programs of a plugin. @throws TsopError `broken-package-json` */
export const withPrograms = (text: string, name: string): string =>
  edited(text, (programs) => ({
    ...programs,
    ...Object.fromEntries(namesOf(name).map((program) => [program, `${PROGRAMS}/${program}`])),
  }));

/** The text of the file without the programs of a plugin. @throws TsopError `broken-package-json` */
export const withoutPrograms = (text: string, name: string): string =>
  edited(text, (programs) =>
    Object.fromEntries(
      Object.entries(programs).filter(([program]) => !namesOf(name).includes(program)),
    ),
  );

const namesOf = (name: string): readonly string[] => [programOf(name), completionOf(name)];

function edited(
  text: string,
  change: (programs: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): string {
  const said = parsed(text);
  // A text is the path of one program, which is called as the package.
  const before = said["bin"] ?? {};
  const programs = isJsonObject(before) ? before : { [String(said["name"])]: before };
  const after = change(programs);
  const whole: Record<string, unknown> = { ...said, bin: after };
  if (Object.keys(after).length === 0) delete whole["bin"];
  const indent = /^[ \t]+/m.exec(text)?.[0] ?? "  ";
  return JSON.stringify(whole, undefined, indent) + (text.endsWith("\n") ? "\n" : "");
}

function parsed(text: string): Record<string, unknown> {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    said = undefined;
  }
  if (isJsonObject(said)) return said;
  throw new TsopError(
    "broken-package-json",
    `${PACKAGE_FILE} is not a JSON object.`,
    "Correct it; nothing was written.",
  );
}
