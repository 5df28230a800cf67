import { diffLines } from "diff";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { withTerminal } from "../../test/journeys/support/terminal.ts";
import {
  type TranscriptStep,
  formatTranscript,
  parseTranscript,
  play,
} from "../../test/journeys/support/transcript.ts";
import { defineVerification } from "../programs/program.ts";

const RECORDINGS = "test/journeys/recordings/";

/** The recorded sessions, except those of other versions of kubectl, which end in a number. */
const recorded = (): string[] =>
  readdirSync(RECORDINGS)
    .filter((file) => /[a-z]\.txt$/.test(file))
    .map((file) => RECORDINGS + file);

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

export const program = defineVerification({
  about: "Plays recorded terminal sessions of kubectl and helm, and shows the differences.",
  compares: "commands",
  needs: ["kubectl", "helm"],
  words: { name: "FILE", about: `sessions (default: those in ${RECORDINGS})` },
  options: {
    record: { type: "switch", about: "write the files with the answers of the server" },
    kubeconfig: {
      type: "text",
      about: "of a real control plane without nodes, new for each file, which signs certificates",
    },
    kubectl: { type: "text", about: "path of another kubectl" },
  },
  run: async ({ values: { record, kubeconfig, kubectl }, words, tally }) => {
    for (const file of words.length > 0 ? words : recorded()) {
      const played: { step: TranscriptStep; lines: string[] }[] = [];
      await withTerminal(
        kubeconfig,
        async (terminal, settle) => {
          for (const step of parseTranscript(readFileSync(file, "utf8"))) {
            await settle();
            played.push({ step, lines: await play(step.command, terminal) });
          }
        },
        kubectl,
      );
      if (record) writeFileSync(file, formatTranscript(played));
      for (const { step, lines } of played) {
        const [old, now] = [textOf(step.expected), textOf(lines)];
        tally.count(old === now || record);
        if (old === now || record) continue;
        console.log(`${file}\n$ ${step.command}`);
        for (const { added, removed, value } of diffLines(old, now)) {
          if (!added && !removed) continue;
          console.log(value.replace(/^(?=.)/gm, added ? "+ " : "- ").trimEnd());
        }
      }
    }
  },
});
