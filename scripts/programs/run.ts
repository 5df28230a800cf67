/** Runs a program: prints how to repeat the run, its failure, and its result last. */
import { inspect } from "node:util";
import type { AnyProgram, Given } from "./program.ts";
import { Tally } from "./tally.ts";

/** Runs a program. Returns whether it succeeded. */
export async function runProgram(
  command: string,
  program: AnyProgram,
  given: Given,
): Promise<boolean> {
  if ("seed" in program.options) console.log(repeatable(command, given));
  const tally = new Tally();
  let holds = true;
  try {
    if (program.kind === "verify") await program.run({ ...given, tally });
    else if (program.kind === "measure") await program.run(given);
    else for (const path of await program.run(given)) console.log(path);
  } catch (error) {
    console.log(`FAIL: ${inspect(error)}`);
    tally.breakOff();
    holds = false;
  }
  if (program.kind !== "verify") return holds;
  console.log(tally.figure(program.compares));
  return tally.holds;
}

/** The command line with all its values, defaults included. */
function repeatable(command: string, { values, words }: Given): string {
  const options = Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) {
      return [];
    }
    return value === true ? [`--${name}`] : [`--${name}`, String(value)];
  });
  return [command, ...words, ...options].join(" ");
}
