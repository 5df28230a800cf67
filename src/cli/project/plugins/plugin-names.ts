/** The names of a plugin of kubectl: of its program, its files, and what it may be called. */
import { UsageError } from "../../../errors.ts";

/** The folder of the built programs. */
export const PROGRAMS = "dist/plugins";

/** The commands of kubectl 1.36: a plugin of their name is never called. */
export const KUBECTL_COMMANDS: ReadonlySet<string> = new Set(
  (
    "alpha annotate api-resources api-versions apply attach auth autoscale certificate cluster-info completion config cordon " +
    "cp create debug delete describe diff drain edit events exec explain expose get help kuberc kustomize label logs options " +
    "patch plugin port-forward proxy replace rollout run scale set taint top uncordon version wait"
  ).split(" "),
);

/** kubectl reads the dashes of a program's name as spaces, and underscores as dashes. */
const inProgram = (name: string): string => name.replaceAll("-", "_");

/** The program of `kubectl NAME`. */
export const programOf = (name: string): string => `kubectl-${inProgram(name)}`;

/** The program that kubectl asks for the completion of its command line. */
export const completionOf = (name: string): string => `kubectl_complete-${inProgram(name)}`;

/** @throws UsageError `bad-plugin-name` unless kubectl can call a plugin of that name, and krew can hold it */
export function checkPluginName(name: string): void {
  const bad = (problem: string): UsageError =>
    new UsageError(
      "bad-plugin-name",
      `The plugin's name ${JSON.stringify(name)} ${problem}.`,
      "For example: tsop create plugin webs, for `kubectl webs`",
    );
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    throw bad("must consist of lower-case letters, digits and single dashes");
  }
  if (name.startsWith("kubectl-")) {
    throw bad(`must not begin with kubectl-: the program is called ${programOf(name.slice(8))}`);
  }
  if (KUBECTL_COMMANDS.has(name)) throw bad("is a kubectl command, which would run instead");
}
