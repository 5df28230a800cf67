import { describe, expect, it } from "vitest";
import { FIELD_TYPES } from "../../src/cli/project/scaffold/field.ts";
import { packageVersion } from "../../src/cli/package-info.ts";
import { emptyFolder, runCli } from "./support/run-cli.ts";

describe("tsop", () => {
  it("prints its version, its help, and the versions around it", async () => {
    const folder = emptyFolder();
    expect((await runCli(folder, ["--version"])).out).toBe(packageVersion());
    const help = await runCli(folder, []);
    expect(help.code).toBe(0);
    for (const command of "init create manifests build install uninstall run deploy undeploy dev cluster version completion".split(
      " ",
    )) {
      expect(help.out).toMatch(new RegExp(`^  ${command}\\b`, "m"));
    }
    const json = JSON.parse((await runCli(folder, ["version", "--json"])).out) as object;
    expect(json).toMatchObject({ tsop: packageVersion(), node: process.versions.node });
  });

  it("lists commands in groups, with the commands behind a common word", async () => {
    const { out } = await runCli(emptyFolder(), ["--help"]);
    const headings = out.match(/^\w+(?=:$)/gm) ?? [];
    expect(headings.filter((heading) => heading !== "Options")).toEqual([
      "Project",
      "Generate",
      "Cluster",
      "Develop",
      "Debug",
      "Package",
      "Other",
      "Environment",
    ]);
    expect(out).toMatch(/^Generate:\n {2}create api .*\n(?: {2}.*\n)* {2}generate client /m);
    const create = await runCli(emptyFolder(), ["create", "--help"]);
    expect(create.out).toMatch(/^ {2}api /m);
  });

  it("lists the types of fields in the help of create api", async () => {
    const { out } = await runCli(emptyFolder(), ["create", "api", "--help"]);
    expect(out).toContain(`Types of --field: ${FIELD_TYPES}.`);
  });

  it.each([
    [["instal"], "Did you mean install?"],
    [["init", "--domian", "x"], "Did you mean --domain?"],
    [["deploy"], "For example: tsop deploy --image registry.example.com/web-operator:0.1.0"],
    [["plan"], "For example: tsop plan --image"],
    [["create", "api"], "--group, --version and --kind are missing."],
    [["create", "api", "--group", "web"], "--version and --kind are missing."],
    [["edit", "--enable", "promethus"], "Did you mean prometheus?"],
    [["help", "instal"], "unknown command 'instal'"],
    [["help", "instal"], "Did you mean install?"],
    [["create", "ap", "--help"], "unknown command 'ap'"],
    [["cluster", "--controllers", "some"], "Allowed choices are on, off, no-kubelet"],
    [["completion", "tcsh"], "Allowed choices are bash"],
  ])("exits with 2 for %j and helps", async (argv, help) => {
    const { code, err } = await runCli(emptyFolder(), argv);
    expect([code, err]).toEqual([2, expect.stringContaining(help)]);
  });

  it.each([
    [["cluster", "--port", "99999"], "bad-port"],
    [["cluster", "--port", "http"], "bad-port"],
    [["cluster", "--nodes", "-1"], "bad-nodes"],
    [["cluster", "--parent-pid", "0"], "bad-parent-pid"],
    [["cluster", "--route-service", "webhook=9443"], "bad-route"],
    [["cluster", "--route-service", "a/b=127.0.0.1"], "bad-route"],
    [["install", "--timeout", "soon"], "bad-timeout"],
    [["install", "--timeout", "1d"], "bad-timeout"],
    [["install", "--timeout=-5s"], "bad-timeout"],
  ])("refuses %j", async (argv, code) => {
    const result = await runCli(emptyFolder(), argv);
    expect([result.code, result.err]).toEqual([2, expect.stringContaining(code)]);
  });
});
