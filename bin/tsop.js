#!/usr/bin/env node
// CommonJS, as package.json beside this file says: it starts sooner.
const { main } = require("../dist/cli/main.cjs");
// Whoever reads may stop to: `tsop --help | head -1`.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
});
main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
