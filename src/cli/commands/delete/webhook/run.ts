/** `tsop delete webhook`. */
import { deleteFrom } from "../delete-from.ts";
import type { Run } from "../../../command.ts";
import type { deleteWebhook } from "./flags.ts";

/** Deletes webhooks of a kind; returns the exit code. */
export const run: Run<typeof deleteWebhook> = (options, context) =>
  deleteFrom("webhook", options, context);
