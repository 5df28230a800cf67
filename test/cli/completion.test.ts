import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyFolder, newProject, runCli } from "./support/run-cli.ts";

const scriptOf = async (shell: string): Promise<string> =>
  (await runCli(emptyFolder(), ["completion", shell])).out;

function hasShell(name: string): boolean {
  try {
    execFileSync(name, ["-c", "true"]);
    return true;
  } catch {
    return false;
  }
}

/** Runs lines in a shell, for which `tsop completion-words` answers as it does in the folder. */
async function inShell(shell: string, lines: string, folder: string): Promise<string[]> {
  const programs = emptyFolder();
  for (const flag of ["group", "kind"]) {
    const { out } = await runCli(folder, ["completion-words", flag]);
    writeFileSync(join(programs, flag), `${out}\n`);
  }
  writeFileSync(
    join(programs, "tsop"),
    `#!/bin/sh\n[ "$1" = completion-words ] && cat "${programs}/$2"\n`,
  );
  chmodSync(join(programs, "tsop"), 0o755);
  const env = { ...process.env, PATH: `${programs}:${process.env["PATH"] ?? ""}` };
  const text = execFileSync(shell, ["-c", lines], { encoding: "utf8", cwd: folder, env });
  return text.trim().split(/\s+/).filter(Boolean);
}

const LINES: Readonly<Record<string, (script: string, words: readonly string[]) => string>> = {
  bash: (script, words) =>
    `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _tsop; echo "\${COMPREPLY[@]}"`,
  zsh: (script, words) =>
    `compdef() { : }; compadd() { shift; print -l -- "$@" }\n${script}\nwords=(${words.map((word) => `'${word}'`).join(" ")}); CURRENT=\${#words}; _tsop`,
  fish: (script, words) => `${script}\ncomplete -C '${words.join(" ")}'; true`,
};

describe.each(Object.keys(LINES))("the completion of %s", (shell) => {
  it.skipIf(!hasShell(shell))(
    "knows commands, flags, their values, and the kinds of the project",
    async () => {
      const script = await scriptOf(shell);
      const folder = await newProject();
      const kind = ["--group", "web", "--version", "v1", "--kind", "Page"];
      await runCli(folder, ["create", "api", ...kind, "--no-controller"]);
      // zsh's own compadd filters by what is typed; the words alone are asked here.
      const complete = async (...words: string[]): Promise<string[]> => {
        const found = await inShell(shell, LINES[shell]?.(script, words) ?? "", folder);
        return found.filter((word) => word.startsWith(words.at(-1) ?? ""));
      };
      expect(await complete("tsop", "un")).toEqual(
        ["uninstall", "undeploy"].sort(sameOrder(shell)),
      );
      expect(await complete("tsop", "create", "a")).toContain("api");
      expect(await complete("tsop", "create", "api", "--ki")).toEqual(["--kind"]);
      expect(await complete("tsop", "completion", "z")).toEqual(["zsh"]);
      expect(await complete("tsop", "delete", "api", "--kind", "P")).toEqual(["Page"]);
      expect(await complete("tsop", "delete", "api", "--kind", "Page", "--group", "")).toEqual([
        "web",
      ]);
      expect(await complete("tsop", "init", "--license", "m")).toEqual(["mit"]);
    },
    60_000,
  );
});

/** fish sorts what it offers. */
const sameOrder =
  (shell: string) =>
  (one: string, other: string): number =>
    shell === "fish" ? (one < other ? -1 : 1) : 0;

describe("tsop completion", () => {
  it.each(["bash", "zsh", "fish", "powershell"])("knows every command in %s", async (shell) => {
    const script = await scriptOf(shell);
    for (const word of ["manifests", "--domain", "undeploy", "completion-words", "apache2"]) {
      expect(script).toContain(word);
    }
  });

  it("offers nothing of a project where there is none, and says nothing of it", async () => {
    expect(await runCli(emptyFolder(), ["completion-words", "kind"])).toEqual({
      code: 0,
      out: "",
      err: "",
    });
  });
});
