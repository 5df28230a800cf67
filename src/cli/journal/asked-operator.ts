/** The operator that somebody asks about, as the flags of `tsop why` name it. */
import { TsopError, UsageError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import type { JournalPlace } from "./journal-place.ts";

/** The address of `--operator`. @throws UsageError `bad-operator-address` */
export function operatorPlace(operator: string, { env }: Pick<CliContext, "env">): JournalPlace {
  const token = env["TSOP_OPERATOR_TOKEN"];
  if (URL.canParse(operator) && /^https?:/.test(operator)) {
    return { url: operator, ...(token === undefined ? {} : { token }) };
  }
  throw new UsageError(
    "bad-operator-address",
    `${JSON.stringify(operator)} is not an address of a debug endpoint.`,
    "For example: --operator http://127.0.0.1:8089",
  );
}

/** The error where neither an operator is named nor one runs here. */
export function noOperatorToAsk(): TsopError {
  return new TsopError(
    "no-operator-to-ask",
    "No `tsop dev` of this project runs here.",
    "Start `tsop dev`, or select another operator with --context (in a cluster) or --operator (by address).",
  );
}
