/** Questions on the terminal. */
import { createInterface } from "node:readline/promises";
import { UsageError } from "../../errors.ts";

/**
 * Asks on the terminal; `fallback` is the answer to an empty line.
 *
 * @throws UsageError `no-answer` when the terminal is closed, by Ctrl-D or Ctrl-C
 */
export async function ask(question: string, fallback: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<never>((_, reject) =>
    terminal.once("close", () =>
      reject(
        new UsageError(
          "no-answer",
          "The question was not answered; nothing was written.",
          "Run the command again, or give the value as a flag: --help lists them.",
        ),
      ),
    ),
  );
  try {
    const answer = await Promise.race([
      terminal.question(`${question} ${fallback === "" ? "" : `(${fallback}) `}`),
      closed,
    ]);
    return answer.trim() === "" ? fallback : answer.trim();
  } finally {
    terminal.close();
  }
}
