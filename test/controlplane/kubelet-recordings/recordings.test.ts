import { expect, it } from "vitest";
import { describeShared, hasShared, sharedPath } from "../../support/shared.ts";
import { type Comparison, compareRecording } from "./compare.ts";
import { recordingNames } from "./replay.ts";

const folder = sharedPath("kubelet");

describeShared("kubelet", "A simulated node does what a real one was seen to do with", () => {
  for (const name of hasShared("kubelet") ? recordingNames(folder) : []) {
    it(name, async () => {
      const found = await compareRecording(folder, name);
      const isOfNode = ({ subject }: Comparison): boolean => /^(?:pod |events$)/.test(subject);
      const different = found.filter((one) => isOfNode(one) && one.reason === undefined);
      expect(different.map(({ subject, difference }) => [subject, difference])).toEqual(
        different.map(({ subject }) => [subject, undefined]),
      );
    });
  }
});
