/**
 * The program of a process that will be an operator: it loads what does not change between two saves, and waits until it
 * is told which operator it is. It ends with the `tsop dev` that it waits for.
 *
 * @module
 */
import { pathToFileURL } from "node:url";

/** Which operator the process is, said once. */
export interface OperatorMessage {
  /** The bundled file, absolute. */
  readonly file: string;
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** From here on the process is as if the file had been its program. */
async function become({ file, args, env }: OperatorMessage): Promise<void> {
  process.disconnect();
  Object.assign(process.env, env);
  process.argv.splice(1, Infinity, file, ...args);
  await import(pathToFileURL(file).href);
}

const told = new Promise<OperatorMessage | undefined>((resolve) => {
  process.once("message", (message) => {
    resolve(message as OperatorMessage);
  });
  const end = (): void => {
    resolve(undefined);
  };
  process.once("disconnect", end);
  // It may be gone before this line.
  if (!process.connected) end();
});
for (const file of process.argv.slice(2)) {
  // A module that cannot be loaded is reported when the operator imports it.
  await import(pathToFileURL(file).href).catch(() => undefined);
}
const message = await told;
if (message) await become(message);
