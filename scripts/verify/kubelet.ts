import { sharedPath } from "../../test/support/shared.ts";
import { compareRecording } from "../../test/controlplane/kubelet-recordings/compare.ts";
import { recordingNames } from "../../test/controlplane/kubelet-recordings/replay.ts";
import { defineVerification } from "../programs/program.ts";

export const program = defineVerification({
  about:
    "Plays manifests on simulated nodes, and compares pods, their owners and events with what a real node did.",
  compares: "recorded subjects",
  needs: ["the shared recordings"],
  words: { name: "RECORDING", about: "names of recordings, as exit0-never" },
  options: {
    recordings: { type: "text", about: "folder of other recordings than the shared ones" },
    brief: { type: "switch", about: "leave out the differences" },
  },
  run: async ({ values: { recordings, brief }, words, tally }) => {
    const folder = recordings ?? sharedPath("kubelet");
    const names = words.length > 0 ? words : recordingNames(folder);
    for (const name of names) {
      const found = await compareRecording(folder, name);
      for (const { subject, difference, reason } of found) {
        tally.add(1, difference === undefined ? 1 : 0, reason === undefined ? 0 : 1);
        if (difference === undefined) continue;
        console.log(`${name}: ${subject}${reason === undefined ? "" : ` (${reason})`}`);
        if (!brief && reason === undefined) console.log(difference);
      }
      if (found.every(({ difference }) => difference === undefined)) console.log(`${name}: equal`);
    }
  },
});
