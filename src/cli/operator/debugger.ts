/** Debugging of Node programs: they wait for a debugger. */
import type { CliContext } from "../context.ts";

/** The value of `--inspect-brk`: true, or the debugger's address: `9229`, `127.0.0.1:9229`. */
export type InspectBrk = boolean | string;

/** The environment in which a program of Node waits for a debugger at its first line, if that is asked for. */
export function debuggerEnv(
  inspectBrk: InspectBrk,
  { env }: Pick<CliContext, "env">,
): Readonly<Record<string, string>> {
  if (inspectBrk === false) return {};
  const flag = inspectBrk === true ? "--inspect-brk" : `--inspect-brk=${inspectBrk}`;
  return { NODE_OPTIONS: `${env["NODE_OPTIONS"] ?? ""} ${flag}`.trim() };
}
