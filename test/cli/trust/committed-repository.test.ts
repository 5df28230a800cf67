/** A clone can contain the files of a bare repository, and a config that names programs: git must not take it for one. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { emptyFolder, newProject, runCli } from "../support/run-cli.ts";

const SOURCE = `import { CustomResource, Resource } from "tsop";
export class ZoneSpec { ttl?: string; }
@Resource({ group: "dns.example.com", version: "v1" })
export class Zone extends CustomResource<ZoneSpec> {}
`;

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function git(folder: string, ...args: string[]): void {
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  execFileSync("git", [...author, ...args], { cwd: folder, stdio: "ignore" });
}

/** Makes the project a bare repository that lacks its objects, and starts a program to get them. */
function makeBare(project: string, mark: string): void {
  const program = join(project, "evil", "x.sh");
  write(join(project, "HEAD"), "ref: refs/heads/main\n");
  write(join(project, "commondir"), "evil\n");
  write(join(project, "evil/refs/heads/main"), `${"1".repeat(40)}\n`);
  write(join(project, "evil/objects/a"), "");
  write(program, `#!/bin/sh\ntouch ${mark}\n`);
  chmodSync(program, 0o755);
  write(
    join(project, "evil/config"),
    `[core]
  repositoryformatversion = 1
  bare = true
  fsmonitor = ${program}
[extensions]
  partialClone = origin
[remote "origin"]
  url = ext::${program}
  promisor = true
[protocol "ext"]
  allow = always
`,
  );
}

it("a project that looks like a bare repository is compared with the repository around it", async () => {
  const outer = emptyFolder();
  const project = join(outer, "operator");
  cpSync(await newProject(), project, { recursive: true });
  const mark = join(emptyFolder(), "ran");
  writeFileSync(join(project, "src/zone.ts"), SOURCE);
  expect(await runCli(project, ["manifests"])).toMatchObject({ code: 0 });
  git(outer, "init", "-q", "-b", "main");
  git(outer, "add", "-f", join(project, "config"), join(project, "PROJECT"));
  git(outer, "commit", "-q", "-m", "first");
  makeBare(project, mark);

  const compared = await runCli(project, ["manifests", "--against", "main"]);

  expect(compared).toMatchObject({ code: 0, err: "" });
  expect(compared.out).toContain("against main: 0 breaking, 0 risky, 0 safe");
  expect(existsSync(mark)).toBe(false);
});

it("a project that looks like a bare repository is not one outside a repository", async () => {
  const project = await newProject();
  const mark = join(emptyFolder(), "ran");
  writeFileSync(join(project, "src/zone.ts"), SOURCE);
  makeBare(project, mark);

  const compared = await runCli(project, ["manifests", "--against", "main"]);

  expect(compared).toMatchObject({ code: 2 });
  expect(compared.err).toContain("main is neither a file, a folder nor a revision of git");
  expect(existsSync(mark)).toBe(false);
});
