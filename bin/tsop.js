#!/usr/bin/env node
import { main } from "../dist/cli/main.js";
// Whoever reads may stop to: `tsop --help | head -1`.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
});
process.exitCode = await main(process.argv.slice(2));
