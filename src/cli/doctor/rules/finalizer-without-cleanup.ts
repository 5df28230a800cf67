/** Code that adds a finalizer and never takes it away. */
import type { Rule } from "../rule.ts";

const ADDS = /\b(?:[aA]ddFinalizer|controllerutil\.AddFinalizer)\s*\(|\bfinalizers\s*\.push\s*\(/;
const REMOVES =
  /\b(?:[rR]emoveFinalizer)\s*\(|\bcleanup\s*\(|finalizers\s*=\s*|\.filter\s*\(|\bSetFinalizers\s*\(|"op":\s*"remove"/;

export const finalizerWithoutCleanup: Rule = {
  name: "finalizer-without-cleanup",
  about:
    "The code adds a finalizer but never removes it, so deleted objects and their namespace are stuck in deletion.",
  example: "controllerutil.AddFinalizer(object, name) // and no RemoveFinalizer",
  *find({ sources }) {
    if (sources.some(({ text }) => REMOVES.test(text) && /finalizer/i.test(text))) return;
    for (const { file, text } of sources) {
      for (const [index, line] of text.split("\n").entries()) {
        const at = line.search(ADDS);
        if (at === -1 || /^\s*(?:\/\/|#|\*)/.test(line)) continue;
        yield {
          place: `${file}:${index + 1}:${at + 1}`,
          message: "A finalizer is added, but nothing here removes it.",
          fix: "Remove it when the object has a deletionTimestamp and its resources are deleted. In tsop, a reconciler with a cleanup() method does both.",
        };
      }
    }
  },
};
