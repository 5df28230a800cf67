import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { withoutNetwork } from "./support/no-network.ts";
import { emptyFolder, filesIn, newProject, runCli } from "./support/run-cli.ts";

/** A folder of programs, each of them the lines of a shell script, as the whole PATH. */
function pathWith(programs: Readonly<Record<string, string>>): { env: { PATH: string } } {
  const folder = emptyFolder();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { env: { PATH: folder } };
}

/** What happens to a program, and how that is told. */
const ENDS = {
  "is killed": ["echo half of it\nkill -9 $$", "was terminated by SIGKILL"],
  "finds no network": ["echo getaddrinfo EAI_AGAIN >&2\nexit 1", "getaddrinfo EAI_AGAIN"],
  "finds the disk full": ["echo no space left on device >&2\nexit 1", "no space left on device"],
} as const;
const EACH_END = Object.entries(ENDS).map(
  ([what, [script, told]]) => [what, script, told] as const,
);

describe("npm, which init runs last", () => {
  it("is missing: the project is there, and it is said how to go on", async () => {
    const folder = emptyFolder();
    const argv = ["init", "--domain", "example.com"];
    const { code, err } = await runCli(folder, argv, pathWith({}));
    expect([code, err]).toEqual([1, expect.stringContaining("npm-install-failed")]);
    expect(err).toContain("There is no program npm on the PATH");
    expect(err).toContain(`Run \`npm install\` in ${folder}`);
    expect(readFileSync(join(folder, "PROJECT"), "utf8")).toContain("domain: example.com");
  });

  it.each(EACH_END)(
    "%s: the project is whole, and it is said how to go on",
    async (_what, script, told) => {
      const folder = emptyFolder();
      const argv = ["init", "--domain", "example.com", "--project-name", "shop"];
      const { code, err } = await runCli(folder, argv, pathWith({ npm: script }));
      expect([code, err]).toEqual([1, expect.stringContaining(told)]);
      expect(err).toContain(`Run \`npm install\` in ${folder}`);
      const whole = await newProject();
      expect(Object.keys(filesIn(folder))).toEqual(Object.keys(filesIn(whole)));
      const upgrade = await runCli(folder, ["upgrade", "--dry-run"]);
      expect(upgrade.out).toContain("nothing to change");
    },
  );
});

describe("git, which manifests --against asks", () => {
  const AGAINST = ["manifests", "--against", "HEAD"];

  it("is missing: nothing was written, and it is said how to get it", async () => {
    const root = await newProject();
    const before = filesIn(root);
    const { code, err } = await runCli(root, AGAINST, pathWith({}));
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("There is no program git on the PATH"),
    ]);
    expect(err).toContain("https://git-scm.com/downloads");
    expect(filesIn(root)).toEqual(before);
  });

  it.each(EACH_END)(
    "%s: nothing was written, and what it said is told",
    async (_what, script, told) => {
      const root = await newProject();
      const before = filesIn(root);
      const { code, err } = await runCli(root, AGAINST, pathWith({ git: script }));
      expect(code).not.toBe(0);
      expect(err).toContain(told);
      expect(err).toMatch(/\n {2}fix \S/);
      expect(filesIn(root)).toEqual(before);
    },
  );

  it("is not told to know no such revision when it was killed", async () => {
    const root = await newProject();
    const { code, err } = await runCli(root, AGAINST, pathWith({ git: ENDS["is killed"][0] }));
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^error program-killed: `git rev-parse/),
    ]);
  });
});

describe("docker and podman, one of which image runs", () => {
  const IMAGE = ["image", "--image", "shop:1"];

  it("are missing: it is said how to get one, and how to do without", async () => {
    const root = await newProject();
    const { code, err } = await runCli(root, IMAGE, pathWith({}));
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("The Dockerfile is built by docker or podman, and neither runs here"),
    ]);
    expect(err).toContain("https://docs.docker.com");
    expect(err).toContain("--base");
  });

  it("start no program that the project's git config names", async () => {
    const root = await newProject();
    const said = join(emptyFolder(), "said");
    const docker = `[ "$1" = --version ] || { env; git config --get core.fsmonitor; } > ${said}`;
    const real = (process.env["PATH"] ?? "").split(delimiter);
    const { PATH } = pathWith({ docker }).env;
    const env = { PATH: [PATH, ...real].join(delimiter) };
    expect((await runCli(root, IMAGE, { env })).code).toBe(0);
    expect(readFileSync(said, "utf8")).toContain("BUILDX_GIT_INFO=0\n");
    expect(readFileSync(said, "utf8")).toMatch(/^false$/m);
  });

  describe.each(["docker", "podman"])("%s", (engine) => {
    it.each(EACH_END)(
      "%s: nothing was written, and it is said how to go on",
      async (_what, script, told) => {
        const root = await newProject();
        const before = filesIn(root);
        const program = `[ "$1" = --version ] && exit 0\n${script}`;
        const { code, out, err } = await runCli(root, IMAGE, pathWith({ [engine]: program }));
        expect([code, out]).toEqual([1, `${engine} build -t shop:1 .`]);
        expect(err).toMatch(
          /image-not-built: The image was not built: `\w+ build -t shop:1 \.` (?:exited with code|was terminated by)/,
        );
        expect(err).toContain(told);
        expect(err).toContain(`Fix what ${engine} reports, then run the command again`);
        expect(filesIn(root)).toEqual(before);
      },
    );
  });
});

describe("a machine without network and without any program", { timeout: 60_000 }, () => {
  const WEB = ["--group", "web", "--version", "v1", "--kind", "Page"];
  const IMAGE = ["--image", "registry.example.com/shop:1"];

  it("is enough for everything that writes files", async () => {
    const none = pathWith({});
    const tried = withoutNetwork();
    const root = join(emptyFolder(), "shop");
    mkdirSync(root);
    for (const argv of [
      ["init", "--domain", "example.com", "--no-install"],
      ["create", "api", ...WEB, "--field", "title:string"],
      ["create", "webhook", ...WEB, "--validation"],
      ["edit", "--enable", "ha"],
      ["manifests"],
      ["build"],
      ["chart", ...IMAGE],
      ["bundle", ...IMAGE],
      ["generate", "client"],
      ["deploy", "--render", ...IMAGE],
      ["doctor"],
      ["upgrade"],
      ["delete", "api", ...WEB],
    ]) {
      const { code, err } = await runCli(root, argv, none);
      // The packages of a project that was not installed are not there to be bundled: that is said.
      const expected = argv[0] === "build" ? [1, expect.stringMatching(/npm install/)] : [0, ""];
      expect([argv, code, argv[0] === "init" ? "" : err]).toEqual([argv, ...expected]);
    }
    expect(tried).toEqual([]);
  });
});
