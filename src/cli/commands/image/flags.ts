import { defineCommand } from "../../command.ts";
import { dryRun, operatorImage } from "../../shared-flags.ts";

export const image = defineCommand({
  name: "image",
  summary: "build the operator image",
  description:
    "Build the operator image with Docker or Podman, or, with --base, directly on an OCI image layout.",
  examples: [
    "tsop image --image registry.example.com/web-operator:0.1.0",
    "tsop image --image web-operator:0.1.0 --platform linux/amd64,linux/arm64",
    "tsop image --image web-operator:0.1.0 --base base.tar",
  ],
  flags: (command) =>
    command
      .addOption(operatorImage)
      .option("--base <path>", "OCI image layout with Node.js, a directory or a tar archive")
      .option("--output <file>", "with --base: archive to write", "dist/image.tar")
      .option("--platform <platforms>", "without --base: target platforms, comma-separated")
      .addOption(dryRun),
});
