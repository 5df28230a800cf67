/** The question about a file whose text is the user's and not the scaffold's, asked as Yeoman asks it. */
import { TsopError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { showPlan, type FileChange, type PlanOptions } from "./plan.ts";
import { ask } from "./ask.ts";

/** The answer: the scaffold's text, the user's, or both between markers. */
export type Answer = "overwrite" | "skip" | "merge";

/** The dialog of a run: "overwrite all" holds until its end. */
export class ConflictDialog {
  readonly #context: CliContext;
  readonly #ask: typeof ask;
  #overwritesAll = false;

  /** @param asking - asks on the terminal of the process when absent */
  constructor(context: CliContext, asking = ask) {
    this.#context = context;
    this.#ask = asking;
  }

  /**
   * Shows the difference, then asks.
   *
   * @param canMerge - whether both texts can be written, between markers
   * @throws TsopError `aborted`
   */
  async ask(change: FileChange, { canMerge = false } = {}): Promise<Answer> {
    if (this.#overwritesAll) return "overwrite";
    const context = this.#context;
    context.doing(undefined);
    await showPlan({ root: "", changes: [change], unchanged: [] }, context, { diff: true });
    const overwrite = change.after === undefined ? "delete" : "overwrite";
    const merge = canMerge ? "[m]erge with markers, " : "";
    const question = `${change.path}: [o] ${overwrite}, [a] ${overwrite} this and all others, [s]kip, ${merge}a[b]ort?`;
    for (;;) {
      const answer = (await this.#ask(question, "s")).toLowerCase();
      if (answer === "o") return "overwrite";
      if (answer === "s") return "skip";
      if (answer === "m" && canMerge) return "merge";
      if (answer === "a") {
        this.#overwritesAll = true;
        return "overwrite";
      }
      if (answer === "b")
        throw new TsopError("aborted", "You chose to abort.", "Nothing was written.");
      context.err(`Answer with o, a, s, ${canMerge ? "m, " : ""}or b.`);
    }
  }
}

/** The dialog of a command; none without a terminal, and none where nothing is written. */
export const dialogFor = (
  context: CliContext,
  { dryRun }: Pick<PlanOptions, "dryRun">,
): ConflictDialog | undefined =>
  context.interactive && !dryRun ? new ConflictDialog(context) : undefined;
