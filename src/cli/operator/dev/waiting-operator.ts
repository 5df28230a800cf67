/**
 * The program of a process that will be an operator: it loads what does not change between two saves, and waits until it
 * is told which operator it is. `ends-with-command.ts` ends it with the `tsop dev` that it waits for.
 */
import { pathToFileURL } from "node:url";

/** The operator that the process becomes, sent once. */
export interface OperatorMessage {
  /** The bundled file, absolute. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the file in this process, as if it had been its program from the start. */
async function become({ file, args, env }: OperatorMessage): Promise<void> {
  process.channel?.unref();
  Object.assign(process.env, env);
  process.argv.splice(1, Infinity, file, ...args);
  await import(pathToFileURL(file).href);
}

const told = new Promise<OperatorMessage>((resolve) => {
  process.once("message", (message) => {
    resolve(message as OperatorMessage);
  });
  process.channel?.ref();
});
for (const file of process.argv.slice(2)) {
  // A module that cannot be loaded is reported when the operator imports it.
  await import(pathToFileURL(file).href).catch(() => undefined);
}
await become(await told);
