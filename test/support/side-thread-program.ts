/** The side thread's program is made of sources: before any test runs, it is that of those that are tested. */
// @ts-expect-error: a script of the build, without declarations
import { writeSideThreadProgram } from "../../scripts/build/side-thread-program.mjs";

export async function setup(): Promise<void> {
  await (writeSideThreadProgram as () => Promise<void>)();
}
