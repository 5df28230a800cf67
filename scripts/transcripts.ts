/**
 * Plays transcripts of terminal sessions and shows the differences of the control plane, or records
 * them anew.
 *
 *   node scripts/run-ts.mjs scripts/transcripts.ts FILE ...
 *   node scripts/run-ts.mjs scripts/transcripts.ts --record --kubeconfig OF-A-REAL-CLUSTER [--kubectl PATH] FILE ...
 *
 * A real cluster has to be new for each file: its kube-apiserver and kube-controller-manager, which
 * signs certificates (`--cluster-signing-cert-file`, `--cluster-signing-key-file`), and no nodes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { diffLines } from "diff";
import { withTerminal } from "../test/journeys/support/terminal.ts";
import {
  type TranscriptStep,
  formatTranscript,
  parseTranscript,
  play,
} from "../test/journeys/support/transcript.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    record: { type: "boolean" },
    kubeconfig: { type: "string" },
    kubectl: { type: "string" },
  },
});

for (const file of positionals) {
  const text = readFileSync(file, "utf8");
  const played: { step: TranscriptStep; lines: string[] }[] = [];
  await withTerminal(
    values.kubeconfig,
    async (terminal, settle) => {
      for (const step of parseTranscript(text)) {
        await settle();
        played.push({ step, lines: await play(step.command, terminal) });
      }
    },
    values.kubectl,
  );
  if (values.record) writeFileSync(file, formatTranscript(played));
  else {
    for (const { step, lines } of played) {
      const [old, now] = [step.expected, lines].map((all) =>
        all.map((line) => `${line}\n`).join(""),
      );
      if (old === now) continue;
      console.log(`$ ${step.command}`);
      for (const { added, removed, value } of diffLines(old ?? "", now ?? "")) {
        if (added || removed) console.log(value.replace(/^(?=.)/gm, added ? "+ " : "- ").trimEnd());
      }
    }
  }
}
