/** A recorded reconcile as a test. */
import { silentLogger, type Logger } from "../log.ts";
import type { Manager } from "../runtime/manager/manager.ts";
import { replayManager } from "../runtime/manager/create-manager.ts";
import { readRecording } from "../runtime/replay/recording.ts";
import { Replay, type ReplayReport } from "../runtime/replay/replay.ts";
import { present } from "../present.ts";

/** The options of a replay; every field is optional. */
export interface ReplayOptions {
  /** The log; silent when absent. */
  readonly log?: Logger;
}

/**
 * Repeats a recorded reconcile without a server: its reads are answered from the file, and its
 * writes are compared with the file, byte by byte.
 *
 * @param file - a recording of `tsop dev` from `.tsop/dev/recordings`
 * @param setUp - adds the controller to a manager, as `main.ts` does
 *
 * @example
 * const { differences } = await replayReconcile("test/recordings/web.recording.json", (operator) => {
 *   controllerFor(operator).for(Web).complete({ reconcile: async () => {} });
 * });
 * expect(differences).toEqual([]);
 *
 * @throws TsopError `bad-recording`, `replay-no-controller`
 */
export async function replayReconcile(
  file: string,
  setUp: (manager: Manager) => unknown,
  { log = silentLogger }: ReplayOptions = {},
): Promise<ReplayReport> {
  const recording = readRecording(file);
  const replay = new Replay(recording);
  const manager = replayManager(replay, present({ name: recording.operator, log }));
  await setUp(manager);
  await manager.start(new AbortController().signal);
  const { report } = replay;
  if (!report) throw new Error("the replay has no report");
  return report;
}
