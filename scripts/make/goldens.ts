import { execa } from "execa";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineMaker } from "../programs/program.ts";

const GOLDENS = "test/kube/goldens";

export const program = defineMaker({
  about: `Writes quantities, durations, selectors and statuses as Go computes them, ${GOLDENS}/.`,
  needs: ["Go", "the network"],
  options: {},
  run: async () => {
    const cwd = fileURLToPath(new URL("goldens", import.meta.url));
    await execa("go", ["run", ".", `../../../${GOLDENS}`], { cwd, stdio: "inherit" });
    return readdirSync(GOLDENS).map((file) => `${GOLDENS}/${file}`);
  },
});
