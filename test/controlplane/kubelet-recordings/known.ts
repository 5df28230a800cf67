/** Where the simulated nodes and controllers differ from the recordings on purpose, or by chance, and why. */

/** Reasons by recording and subject; `events` for all of a recording's. The page of differences lists them. */
export const KNOWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  unschedulable: {
    events:
      "a pod that fits no node is tried again when something changes that may help it, and not now and then besides",
  },
  "statefulset-ordered": {
    events:
      "a readiness probe that meets the end of its container fails in a real run now and then; no simulated one does",
  },
};
