/** Operators that act on events in place of states. */
import type { Rule } from "../rule.ts";

/** A comparison with the type of a watch's event. */
const ON_EVENT =
  /(?:==|===|\bcase\b|\bin\b)\s*\(?\s*(?:["'`](?:MODIFIED|DELETED|ADDED)["'`]|watch\.(?:Modified|Deleted|Added)\b)/;

export const edgeTriggered: Rule = {
  name: "edge-triggered",
  about:
    "The code does something because an event of a watch came, such as restarting pods on MODIFIED. What happens while it does not run, or while the watch is broken, is missed forever; a watch that starts again acts on all objects once more.",
  example: 'if event_type == "MODIFIED":\n    kill_pods(labels)',
  *find({ sources }) {
    for (const { file, text } of sources) {
      for (const [index, line] of text.split("\n").entries()) {
        if (!ON_EVENT.test(line) || /^\s*(?:\/\/|#|\*)/.test(line)) continue;
        yield {
          place: `${file}:${index + 1}:${line.search(/\S/) + 1}`,
          message: "What is done depends on the type of a watch's event.",
          fix: "Compare the state that is wanted with the one that is there, whatever woke the code up; a hash of the configuration in the pods' annotations rolls them when it changes.",
        };
      }
    }
  },
};
