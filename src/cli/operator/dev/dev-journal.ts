/** The journal of the operator of `tsop dev`: asked for when it is started, and found by `tsop why`. */
import { randomBytes } from "node:crypto";
import { DEBUG_SERVED, DEBUG_VARIABLE } from "../../../runtime/journal/debug-endpoint.ts";
import { journalState } from "../../journal/journal-place.ts";
import type { OwnState } from "../../../own-state.ts";
import { parseLogEntry } from "../log-lines.ts";

export class DevJournal {
  readonly #state: OwnState;
  readonly #token = randomBytes(24).toString("base64url");

  constructor(root: string) {
    this.#state = journalState(root);
  }

  /** The operator's environment: any free port, and a token of this session. */
  get env(): Readonly<Record<string, string>> {
    return { [DEBUG_VARIABLE]: `0:${this.#token}` };
  }

  /** Takes a line of the operator's log; returns whether the line was for this alone and is not to be printed. */
  hear(line: string): boolean {
    if (!line.includes(DEBUG_SERVED)) return false;
    const entry = parseLogEntry(line);
    const url = entry?.["url"];
    if (entry?.["msg"] !== DEBUG_SERVED || typeof url !== "string") return false;
    this.#state.write({ url, token: this.#token });
    return true;
  }

  /** Ends the journal: nobody can ask for it any more. */
  end(): void {
    this.#state.remove();
  }
}
