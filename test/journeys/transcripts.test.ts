import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasKubectl } from "../support/kubectl.ts";
import { withTerminal } from "./support/terminal.ts";
import { parseTranscript, play } from "./support/transcript.ts";

const recordings = new URL("recordings", import.meta.url).pathname;
/** Where kubectl of other minor versions may be: beside a dispatcher of the same folder, as `kubectl.1.31`. */
const FOLDERS = (process.env["PATH"] ?? "").split(":").concat("/usr/lib/google-cloud-sdk/bin");

/** The kubectl of a minor version, if it is installed. */
const findKubectl = (minor: string): string | undefined =>
  FOLDERS.map((folder) => join(folder, `kubectl.${minor}`)).find((path) => existsSync(path));

const played = async (
  name: string,
  kubectl?: string,
): Promise<{ expected: string; actual: string }> => {
  const text = readFileSync(join(recordings, `${name}.txt`), "utf8");
  const [expected, actual]: [string[], string[]] = [[], []];
  await withTerminal(
    undefined,
    async (terminal, settle) => {
      for (const step of parseTranscript(text)) {
        await settle();
        expected.push(`$ ${step.command}`, ...step.expected);
        actual.push(`$ ${step.command}`, ...(await play(step.command, terminal)));
      }
    },
    kubectl,
  );
  return { expected: expected.join("\n"), actual: actual.join("\n") };
};

// What a real cluster answered, line by line.
describe.skipIf(!hasKubectl)("Terminal sessions", { timeout: 600_000 }, () => {
  const names = readdirSync(recordings)
    .filter((file) => file.endsWith(".txt"))
    .map((file) => file.replace(/\.txt$/, ""));

  it.concurrent.each(names.filter((name) => !/\d$/.test(name)))(
    "of %s read as on a real cluster",
    async (name) => {
      const { expected, actual } = await played(name);
      expect(actual).toBe(expected);
    },
  );

  for (const name of names.filter((known) => /\d$/.test(known))) {
    const kubectl = findKubectl(name.replace("kubectl-", ""));
    (kubectl ? it.concurrent : it.skip)(`of ${name} read as on a real cluster`, async () => {
      const { expected, actual } = await played(name, kubectl);
      expect(actual).toBe(expected);
    });
  }
});
