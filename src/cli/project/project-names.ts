/** Checks of what a PROJECT file says: names of it become parts of paths, of source code, and of manifests. */
import { join } from "node:path";
import { TsopError } from "../../errors.ts";
import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
} from "../../kube/names.ts";
import { PROJECT_FILE } from "./project-root.ts";

/** A mistake in the file. */
export function broken(
  root: string,
  what: string,
  fix: string,
  place = join(root, PROJECT_FILE),
): TsopError {
  return new TsopError("broken-project-file", `${place}: ${what}.`, `${fix}; nothing was written.`);
}

/** The kinds of names, and what is wrong with one. */
const CHECKS = {
  projectName: dns1123LabelErrors,
  domain: dns1123SubdomainErrors,
  group: dns1123SubdomainErrors,
  version: dns1035LabelErrors,
  plural: dns1123LabelErrors,
  kind: (kind: string) =>
    /^[A-Za-z][A-Za-z0-9]*$/.test(kind)
      ? []
      : ["must consist of letters and digits, and start with a letter"],
  plugin: (name: string) =>
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) && !name.includes("..")
      ? []
      : ["must consist of letters, digits, '-', '_', and '.', and start with a letter or digit"],
  file: (path: string) =>
    /^[^/\\\0]/.test(path) && !/^[A-Za-z]:/.test(path) && !path.split(/[/\\]/).includes("..")
      ? []
      : ["must be a path in the project"],
} as const;

/** What is wrong with a name, as the end of a sentence; `undefined` if nothing is, or if it may be empty and is. */
export function nameProblem(of: keyof typeof CHECKS, value: string): string | undefined {
  if (value === "" && (of === "domain" || of === "group")) return undefined;
  const [problem] = CHECKS[of](value);
  return problem && `is ${JSON.stringify(value)}: ${problem}`;
}
