/** The `tsop` command from the sources, without a build: `node PATH/scripts/run-ts.mjs PATH/scripts/tsop.ts manifests`. */
import { main } from "../src/cli/main.ts";

process.exitCode = await main(process.argv.slice(2));
