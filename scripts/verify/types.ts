import { runCampaign } from "../../test/generator/type-judge/campaign.ts";
import { defineVerification, SEED } from "../programs/program.ts";

const share = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(2)} %`;

export const program = defineVerification({
  about:
    "Writes random types, and compares what TypeScript says of random values with what the API server would say by the generated schema.",
  compares: "types",
  needs: ["a build"],
  options: {
    count: { type: "number", default: 2000, about: "number of types" },
    seed: SEED,
    only: { type: "number", about: "number of the only type to judge" },
    reports: {
      type: "number",
      default: 10,
      about: "failing types that are made smaller and shown",
    },
  },
  run: async ({ values: { count, seed, only, reports }, tally }) => {
    const figures = runCampaign({
      count,
      seed,
      reports,
      ...(only === undefined ? {} : { only }),
      onProgress: (done) => {
        if (done % 2000 === 0) console.log(`${done} types`);
      },
      onFailure: ({ number, found, smallest }) => {
        console.log(`--- ${found.kind}, type ${number}: ${JSON.stringify(found.value)}`);
        console.log(`${found.detail}\n${smallest}\n`);
      },
    });
    const { types, judged, values, rewritten, failed, announced, disagreements, mistakes } =
      figures;
    for (const [code, times] of [...announced].sort(([, a], [, b]) => b - a)) {
      console.log(`announced: ${code} ${times}, ${share(times, types)}`);
    }
    for (const [code, times] of mistakes) console.log(`does not compile: ${code} ${times}`);
    for (const [kind, times] of disagreements) console.log(`types with ${kind}: ${times}`);
    console.log(
      `${types} types, ${judged} judged with ${values} values, ${rewritten} written in another way, ${failed} with disagreements`,
    );
    tally.add(judged, judged - failed);
    await Promise.resolve();
  },
});
