/** Operators that act on events in place of states. */
import type { Rule } from "../rule.ts";

/** A comparison with the type of a watch's event. */
const ON_EVENT =
  /(?:==|===|\bcase\b|\bin\b)\s*\(?\s*(?:["'`](?:MODIFIED|DELETED|ADDED)["'`]|watch\.(?:Modified|Deleted|Added)\b)/;

export const edgeTriggered: Rule = {
  name: "edge-triggered",
  about:
    "The code acts on a watch event, for example restarts pods on MODIFIED. It never sees changes that happen while it is not running or the watch is broken, and after a restart of the watch it acts on all objects again.",
  example: 'if event_type == "MODIFIED":\n    kill_pods(labels)',
  *find({ sources }) {
    for (const { file, text } of sources) {
      for (const [index, line] of text.split("\n").entries()) {
        if (!ON_EVENT.test(line) || /^\s*(?:\/\/|#|\*)/.test(line)) continue;
        yield {
          place: `${file}:${index + 1}:${line.search(/\S/) + 1}`,
          message: "The action depends on the type of a watch event.",
          fix: "Compare the desired state with the observed state, whatever triggered the code. A hash of the configuration in the pod annotations rolls the pods when it changes.",
        };
      }
    }
  },
};
