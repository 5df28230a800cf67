/** The check of what workflows and images run: every line that is not pinned is reported. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { emptyFolder } from "../cli/support/run-cli.ts";

const CHECK = fileURLToPath(new URL("../../scripts/lint/pinned.mjs", import.meta.url));
const DIGEST = "0123456789abcdef0123456789abcdef01234567";

it("reports actions without a digest or a version, and base images without a digest or a reason", () => {
  const root = emptyFolder();
  mkdirSync(join(root, ".github/workflows"), { recursive: true });
  writeFileSync(
    join(root, ".github/workflows/ci.yml"),
    [
      "jobs:",
      `  - uses: actions/checkout@${DIGEST} # v4.2.2`,
      "  - uses: actions/checkout@v4",
      `  - uses: actions/checkout@${DIGEST}`,
      "    uses: owner/repo/.github/workflows/x.yml@main",
      "  - uses: ./local",
    ].join("\n"),
  );
  mkdirSync(join(root, "a"));
  const pinned = `node@sha256:${"a".repeat(64)}`;
  writeFileSync(
    join(root, "a/Dockerfile"),
    `FROM ${pinned} AS one\nFROM one\nFROM node:22\nFROM scratch\n`,
  );
  writeFileSync(
    join(root, "Dockerfile.hbs"),
    "# The images are pinned by tag, so that ...\nFROM node:22\n",
  );
  const { status, stderr } = spawnSync(process.execPath, [CHECK, root], { encoding: "utf8" });
  expect([
    status,
    stderr
      .trim()
      .split("\n")
      .map((line) => line.split(": ")[0]),
  ]).toEqual([
    1,
    [
      ".github/workflows/ci.yml:3",
      ".github/workflows/ci.yml:4",
      ".github/workflows/ci.yml:5",
      "a/Dockerfile:3",
    ],
  ]);
});
