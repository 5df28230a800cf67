import { execa } from "execa";
import { readFileSync } from "node:fs";
import type { Kubectl } from "../../test/support/kubectl.ts";
import { exampleNames } from "../../test/support/example.ts";
import { playExample } from "../examples/play.ts";
import { withEmbedded, withServer } from "../examples/servers.ts";
import { defineVerification } from "../programs/program.ts";

export const program = defineVerification({
  about:
    "Deploys each example, runs its operator here with only its roles until the samples are ready, removes all, and counts every object.",
  compares: "examples",
  needs: ["kubectl"],
  options: {
    kubeconfig: { type: "text", about: "of a real API server, which also plays the examples" },
    only: { type: "list", about: "names of examples" },
    quickstart: { type: "switch", about: "run `npm run quickstart` for each example instead" },
  },
  run: async ({ values: { kubeconfig, only, quickstart }, tally }) => {
    const names = exampleNames().filter((name) => only.length === 0 || only.includes(name));
    if (quickstart) {
      for (const name of names) {
        await tally.check(`quickstart ${name}`, async () => {
          const args = ["scripts/quickstart.mjs", "--example", name];
          await execa(process.execPath, args, { all: true });
        });
      }
      return;
    }
    const playOn = (server: string) => async (text: string, kubectl: Kubectl) => {
      for (const name of names) {
        await tally.check(`${name} on ${server}`, () => playExample(name, text, kubectl));
      }
    };
    await withEmbedded(playOn("the embedded control plane"));
    if (kubeconfig !== undefined) {
      await withServer(readFileSync(kubeconfig, "utf8"), playOn(kubeconfig));
    }
  },
});
