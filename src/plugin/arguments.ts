/** The arguments of a command, as help shows them: `NAME [OTHER]`, `[NAME...]`. */

/** How many arguments a command takes. */
export interface ArgumentCount {
  readonly min: number;
  readonly max: number;
}

/** How many arguments a text stands for; `undefined` for a text that cannot be read. */
export function argumentsOf(text: string): ArgumentCount | undefined {
  let [min, max] = [0, 0];
  for (const word of text.split(" ").filter((one) => one !== "")) {
    const [, optional, again] = /^(\[?)[A-Z][A-Z0-9_-]*(\.\.\.)?\]?$/.exec(word) ?? [];
    if (optional === undefined || (optional === "[") !== word.endsWith("]")) return undefined;
    // Nothing may follow one that may be left out, or be given several times, but what may be left out.
    if (max === Infinity || (optional === "" && max > min)) return undefined;
    if (optional === "") min += 1;
    max = again === undefined ? max + 1 : Infinity;
  }
  return { min, max };
}
