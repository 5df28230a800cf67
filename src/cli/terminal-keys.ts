/** Keys of the terminal, one at a time, without Enter. */

const CTRL_C = "\u0003";

/** Called with each key but Ctrl-C, which interrupts as ever. */
type OnKey = (key: string) => void;

/** Listens on a terminal; `undefined` where stdin or stdout is none. The returned function gives the terminal back. */
export function listenToKeys(onKey: OnKey): (() => void) | undefined {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) return undefined;
  const hear = (text: string): void => {
    // In this mode the terminal sends no signal.
    if (text === CTRL_C) process.emit("SIGINT");
    else onKey(text);
  };
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stdin.on("data", hear);
  stdin.resume();
  return () => {
    stdin.off("data", hear);
    stdin.setRawMode(false);
    stdin.pause();
  };
}
