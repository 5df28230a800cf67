import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { filesIn, newProject, runCli } from "./support/run-cli.ts";

const RECORD = ".tsop/scaffold.json";

interface RecordFile {
  version: string;
  files: Record<string, string>;
}

const recordOf = (folder: string): RecordFile =>
  JSON.parse(readFileSync(join(folder, RECORD), "utf8")) as RecordFile;

const read = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");

/** Has the project be one of an earlier version, which scaffolded some files in another way. */
function asOfEarlier(
  folder: string,
  earlier: Readonly<Record<string, (text: string) => string>>,
): void {
  const record = recordOf(folder);
  record.version = "0.0.1";
  for (const [path, change] of Object.entries(earlier)) {
    const before = record.files[path] ?? "";
    const text = change(before);
    if (text === before) throw new Error(`${path} has not what is to be changed`);
    record.files[path] = text;
    writeFileSync(join(folder, path), text);
  }
  writeFileSync(join(folder, RECORD), `${JSON.stringify(record, undefined, 2)}\n`);
}

const edit = (folder: string, path: string, change: (text: string) => string): void => {
  const before = read(folder, path);
  const text = change(before);
  if (text === before) throw new Error(`${path} has not what is to be changed`);
  writeFileSync(join(folder, path), text);
};

const oldMemory = (text: string): string => text.replace(/memory: 128Mi/, "memory: 8Mi");
const oldDockerfile = (text: string): string => `# Made by hand.\n${text}`;

describe("tsop upgrade", () => {
  it("finds nothing to do in a project of this version, whatever its user wrote", async () => {
    const folder = await newProject();
    await runCli(folder, ["create", "api", "--version", "v1", "--kind", "Web"]);
    edit(folder, "Dockerfile", (text) => `${text}# mine\n`);
    const before = filesIn(folder);
    const { code, out } = await runCli(folder, ["upgrade"]);
    expect([code, out]).toEqual([0, expect.stringContaining("nothing to change")]);
    expect(filesIn(folder)).toEqual(before);
  });

  it("replaces files that the user did not change, and merges the others", async () => {
    const folder = await newProject();
    const now = filesIn(folder);
    asOfEarlier(folder, {
      "config/manager/manager.yaml": oldMemory,
      Dockerfile: oldDockerfile,
      Makefile: (text) => text.replace("test lint:", "test:"),
    });
    edit(folder, "config/manager/manager.yaml", (text) =>
      text.replace("replicas: 1", "replicas: 3"),
    );
    edit(folder, "Dockerfile", (text) => `${text}\nLABEL mine=true\n`);
    const { code, out } = await runCli(folder, ["upgrade"]);
    expect([code, out]).toEqual([0, expect.stringContaining("0.0.1 -> ")]);
    expect(filesIn(folder)).toEqual({
      ...now,
      "config/manager/manager.yaml": (now["config/manager/manager.yaml"] ?? "").replace(
        "replicas: 1",
        "replicas: 3",
      ),
      Dockerfile: `${now["Dockerfile"] ?? ""}\nLABEL mine=true\n`,
    });
    expect((await runCli(folder, ["upgrade"])).out).toContain("nothing to change");
  });

  it("shows what it would do and writes nothing with --dry-run --diff", async () => {
    const folder = await newProject();
    asOfEarlier(folder, { Dockerfile: oldDockerfile });
    const before = [filesIn(folder), recordOf(folder)];
    const { out } = await runCli(folder, ["upgrade", "--dry-run", "--diff"]);
    expect(out).toContain("-# Made by hand.");
    expect([filesIn(folder), recordOf(folder)]).toEqual(before);
  });

  it("names the place where both changed the same, and writes nothing", async () => {
    const folder = await newProject();
    asOfEarlier(folder, { Dockerfile: oldDockerfile, "config/manager/manager.yaml": oldMemory });
    edit(folder, "config/manager/manager.yaml", (text) =>
      text.replace("memory: 8Mi", "memory: 1Gi"),
    );
    const line =
      read(folder, "config/manager/manager.yaml")
        .split("\n")
        .findIndex((one) => one.includes("memory: 1Gi")) + 1;
    const before = [filesIn(folder), recordOf(folder)];
    const { code, err } = await runCli(folder, ["upgrade"]);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`config/manager/manager.yaml:${line}`),
    ]);
    expect([filesIn(folder), recordOf(folder)]).toEqual(before);

    const marked = await runCli(folder, ["upgrade", "--conflicts", "markers"]);
    expect([marked.code, marked.err]).toEqual([1, expect.stringContaining(`manager.yaml:${line}`)]);
    expect(read(folder, "config/manager/manager.yaml")).toMatch(
      /<<<<<<< yours\n +memory: 1Gi\n\|\|\|\|\|\|\| tsop 0\.0\.1\n +memory: 8Mi\n=======\n +memory: 128Mi\n>>>>>>> tsop /,
    );
    // What was merged before is not merged again over what the user chooses.
    edit(folder, "config/manager/manager.yaml", (text) =>
      text.replace(/<<<<<<< yours\n(.*\n)[^]*?>>>>>>> .*\n/, "$1"),
    );
    const again = await runCli(folder, ["upgrade"]);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("nothing to change")]);
  });

  it("merges into YAML that was laid out anew, and takes its own layout where nothing else changed", async () => {
    const folder = await newProject();
    asOfEarlier(folder, { "config/manager/manager.yaml": oldMemory });
    const path = "config/metrics/metrics_service.yaml";
    asOfEarlier(folder, { [path]: (text) => text.replace("port: 8443", "port: 8444") });
    edit(folder, path, (text) => stringify(parse(text), { indent: 4, indentSeq: false }));
    edit(folder, "config/manager/manager.yaml", (text) => text.replaceAll("\n", "\r\n"));
    expect((await runCli(folder, ["upgrade"])).code).toBe(0);
    expect(read(folder, path)).toContain("port: 8443");
    expect(read(folder, "config/manager/manager.yaml")).toMatch(/memory: 128Mi\r\n/);
  });

  it("finds a main file with another name, with the controllers in it", async () => {
    const folder = await newProject();
    await runCli(folder, ["create", "api", "--version", "v1", "--kind", "Web"]);
    const wanted = read(folder, "src/main.ts");
    const record = recordOf(folder);
    record.version = "0.0.1";
    record.files["src/main.ts"] = `// Once upon a time.\n${record.files["src/main.ts"] ?? ""}`;
    writeFileSync(join(folder, RECORD), JSON.stringify(record));
    renameSync(join(folder, "src/main.ts"), join(folder, "src/operator.ts"));
    edit(folder, "src/operator.ts", (text) => `// Once upon a time.\n${text}`);
    expect((await runCli(folder, ["upgrade"])).code).toBe(0);
    expect(read(folder, "src/operator.ts")).toBe(wanted);
    expect(existsSync(join(folder, "src/main.ts"))).toBe(false);
  });

  it("adds new files, takes unchanged old ones away, and leaves what the user made or deleted", async () => {
    const folder = await newProject();
    const record = recordOf(folder);
    record.version = "0.0.1";
    record.files["hack/old.sh"] = "echo old\n";
    record.files["hack/changed.sh"] = "echo old\n";
    delete record.files["Makefile"];
    delete record.files[".dockerignore"];
    record.files["AGENTS.md"] = "old\n";
    writeFileSync(join(folder, RECORD), JSON.stringify(record));
    mkdirSync(join(folder, "hack"));
    writeFileSync(join(folder, "hack/old.sh"), "echo old\n");
    writeFileSync(join(folder, "hack/changed.sh"), "echo mine\n");
    rmSync(join(folder, "Makefile"));
    rmSync(join(folder, "AGENTS.md"));
    writeFileSync(join(folder, ".dockerignore"), "mine\n");
    const { code, err } = await runCli(folder, ["upgrade"]);
    expect(code).toBe(0);
    const files = filesIn(folder);
    expect(files["Makefile"]).toContain("test lint:");
    expect(files[".dockerignore"]).toBe("mine\n");
    expect(files["AGENTS.md"]).toBeUndefined();
    expect(files["hack/old.sh"]).toBeUndefined();
    expect(files["hack/changed.sh"]).toBe("echo mine\n");
    for (const told of [
      ".dockerignore is yours",
      "AGENTS.md changed, but you deleted it",
      "hack/changed.sh is no longer scaffolded",
    ]) {
      expect(err).toContain(told);
    }
  });

  it("knows parts and certificates that were added later, and those that went", async () => {
    const folder = await newProject();
    await runCli(folder, ["create", "api", "--version", "v1", "--kind", "Web"]);
    const flags = ["--version", "v1", "--kind", "Web"];
    await runCli(folder, ["edit", "--enable", "ha", "--disable", "metrics"]);
    await runCli(folder, [
      "create",
      "webhook",
      ...flags,
      "--validation",
      "--certificates",
      "cert-manager",
    ]);
    const { files } = recordOf(folder);
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        "config/ha/disruption_budget.yaml",
        "config/certmanager/issuer.yaml",
        "config/network-policy/allow-webhook-traffic.yaml",
      ]),
    );
    expect(Object.keys(files)).not.toContain("config/metrics/metrics_service.yaml");
    const before = filesIn(folder);
    await runCli(folder, ["upgrade"]);
    expect(filesIn(folder)).toEqual(before);
    const added = recordOf(folder);
    await runCli(folder, ["delete", "webhook", ...flags]);
    expect(Object.keys(recordOf(folder).files)).not.toContain("config/certmanager/issuer.yaml");
    expect(Object.keys(added.files)).toContain("config/certmanager/issuer.yaml");
    // A part whose line was taken out by hand keeps its files.
    edit(folder, "config/default/kustomization.yaml", (text) =>
      text.replace(/^ *- \.\.\/ha\n/m, ""),
    );
    await runCli(folder, ["upgrade"]);
    expect(filesIn(folder)["config/ha/disruption_budget.yaml"]).toBeDefined();
  });

  it("merges package.json by its keys, whatever stands beside them", async () => {
    const folder = await newProject();
    asOfEarlier(folder, {
      "package.json": (text) => text.replace('"vitest run --passWithNoTests"', '"vitest"'),
    });
    edit(folder, "package.json", (text) =>
      text.replace('"test": "vitest"', '"test": "vitest",\n    "zap": "zap"'),
    );
    expect((await runCli(folder, ["upgrade"])).code).toBe(0);
    expect(JSON.parse(read(folder, "package.json"))).toMatchObject({
      scripts: { test: "vitest run --passWithNoTests", zap: "zap" },
    });
  });

  it("refuses a project whose record is gone, broken, or of a later version", async () => {
    const folder = await newProject();
    const record = recordOf(folder);
    for (const [text, told] of [
      ["{", "broken-scaffold-record"],
      [JSON.stringify({ ...record, version: "99.0.0" }), "newer-scaffold"],
      [undefined, "no-scaffold-record"],
    ] as const) {
      if (text === undefined) rmSync(join(folder, RECORD));
      else writeFileSync(join(folder, RECORD), text);
      const before = filesIn(folder);
      const { code, err } = await runCli(folder, ["upgrade"]);
      expect([code, err]).toEqual([1, expect.stringContaining(told)]);
      expect(filesIn(folder)).toEqual(before);
    }
  });
});

const WEB = ["--group", "web", "--version", "v1", "--kind", "Web"];
const ZONE = ["--group", "net", "--version", "v1", "--kind", "Zone"];

/** The scaffold of an earlier version: every place where commands add something was another. */
const EARLIER: Readonly<Record<string, (text: string) => string>> = {
  "src/main.ts": (text) =>
    text
      .replace(" managerOptions,", "")
      .replace(
        /^ {2}\.\.\.managerOptions.*\n/m,
        '  health: { port: flags["health-port"] ?? 8081 },\n',
      )
      .replace("await manager.start(setupSignalHandler());", "await manager.start();"),
  "config/default/kustomization.yaml": (text) =>
    text.replace("  - ../manager\n", "").replace("components:", "commonLabels: {}\ncomponents:"),
  "config/rbac/kustomization.yaml": (text) => text.replace("  - service_account.yaml\n", ""),
  "config/network-policy/kustomization.yaml": (text) =>
    text.replace("  - allow-metrics-traffic.yaml\n", "  - allow-all.yaml\n"),
};

/** Runs them; each has to end well. */
async function runAll(folder: string, commands: readonly (readonly string[])[]): Promise<void> {
  for (const argv of commands) {
    const { code, err } = await runCli(folder, argv);
    expect([argv, code, err]).toEqual([argv, 0, expect.any(String)]);
  }
}

describe("tsop upgrade of a project that only commands changed", { timeout: 60_000 }, () => {
  const web = ["create", "api", ...WEB];
  const zone = ["create", "api", ...ZONE];
  const checked = ["create", "webhook", ...WEB, "--validation", "--defaulting"];
  const issued = ["create", "webhook", ...ZONE, "--validation", "--certificates", "cert-manager"];
  const pods = ["--group", "core", "--version", "v1", "--kind", "Pod", "--defaulting"];
  const beta = [...WEB.slice(0, 3), "v1beta1", ...WEB.slice(4)];
  const conversion = ["create", "webhook", ...WEB, "--conversion", "--spoke", "v1beta1"];
  const ORDERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
    "a webhook of a built-in kind before a kind": [["create", "webhook", ...pods], web, zone],
    "two kinds with webhooks": [web, checked, zone, ["create", "webhook", ...ZONE, "--validation"]],
    "parts around webhooks with certificates of cert-manager": [
      ["edit", "--enable", "ha", "--enable", "metrics-certs", "--disable", "network-policy"],
      zone,
      issued,
      ["edit", "--enable", "prometheus", "--enable", "network-policy"],
    ],
    "another mode of certificates, later parts": [
      web,
      checked,
      ["edit", "--enable", "metrics-certs"],
      ["edit", "--certificates", "cert-manager"],
      ["edit", "--enable", "dashboards", "--enable", "crd-patches"],
    ],
    "conversion, and manifests with roles of users": [
      web,
      ["create", "api", ...beta],
      conversion,
      ["create", "api", ...ZONE, "--user-roles", "separate"],
      ["manifests"],
    ],
    "what was deleted again": [web, checked, zone, ["delete", "api", ...WEB], web],
  };

  it.each(Object.entries(ORDERS))("has no conflict: %s", async (name, commands) => {
    const flags = name.includes("roles") ? ["--namespaced"] : [];
    const wanted = await newProject(...flags);
    await runAll(wanted, commands);
    const folder = await newProject(...flags);
    asOfEarlier(folder, EARLIER);
    await runAll(folder, commands);
    const { code, err } = await runCli(folder, ["upgrade"]);
    expect([code, err]).toEqual([0, ""]);
    expect(filesIn(folder)).toEqual(filesIn(wanted));
    expect((await runCli(folder, ["upgrade"])).out).toContain("nothing to change");
  });

  it("knows files of an earlier version as scaffolded when they go", async () => {
    const folder = await newProject();
    await runAll(folder, [zone, issued]);
    const comment = (text: string): string => text.replace("apiVersion", "# Once.\napiVersion");
    const policies = "config/network-policy";
    asOfEarlier(folder, {
      "config/certmanager/issuer.yaml": comment,
      "config/default/manager_webhook_patch.yaml": (text) => `# Once.\n${text}`,
      [`${policies}/allow-webhook-traffic.yaml`]: comment,
      [`${policies}/allow-metrics-traffic.yaml`]: comment,
    });
    await runAll(folder, [
      ["edit", "--certificates", "self-managed"],
      ["delete", "webhook", ...ZONE],
      ["edit", "--disable", "network-policy"],
    ]);
    const left = Object.keys(filesIn(folder)).filter((path) => /certm|_patch|policy/.test(path));
    expect(left).toEqual([]);
  });

  it("has no conflict with what the user wrote elsewhere in those files, and keeps it", async () => {
    const folder = await newProject();
    asOfEarlier(folder, EARLIER);
    await runAll(folder, [web, checked]);
    edit(folder, "src/main.ts", (text) =>
      text
        .replace(" * Starts the operator", " * Starts our operator")
        .replace("// Metrics, probes", "// Mine.\n// Metrics, probes"),
    );
    edit(folder, "src/controllers/index.ts", (text) =>
      text.replace("setUpWeb(manager);", "setUpWeb(manager); // the first one"),
    );
    edit(folder, "config/default/kustomization.yaml", (text) =>
      text
        .replace("  - ../crd\n", "  # Generated.\n  - ../crd\n  - ../mine\n")
        .replace("  - ../metrics\n", ""),
    );
    const { code, err } = await runCli(folder, ["upgrade"]);
    expect([code, err]).toEqual([0, ""]);
    const main = read(folder, "src/main.ts");
    expect(main).toContain("Starts our operator");
    expect(main).toContain("// Mine.");
    expect(read(folder, "src/controllers/index.ts")).toContain(
      "  setUpWeb(manager); // the first one\n",
    );
    for (const added of ["managerOptions,", "...managerOptions(flags", "setupSignalHandler());"])
      expect(main).toContain(added);
    expect(parse(read(folder, "config/default/kustomization.yaml"))).toMatchObject({
      components: ["../network-policy"],
      resources: ["../rbac", "../crd", "../mine", "../webhook", "../manager"],
    });
  });

  it("leaves a part off that new projects have by now, and tells of it", async () => {
    const folder = await newProject();
    const list = "config/default/kustomization.yaml";
    await runCli(folder, ["edit", "--disable", "network-policy"]);
    asOfEarlier(folder, { [list]: (text) => text.replace("  - ../network-policy\n", "") });
    const before = { ...filesIn(folder), [RECORD]: expect.any(String) as string };
    const { code, err } = await runCli(folder, ["upgrade"]);
    expect([code, err]).toEqual([0, expect.stringContaining("edit --enable network-policy")]);
    expect(filesIn(folder)).toEqual(before);
    expect((await runCli(folder, ["upgrade"])).err).toBe("");
  });
});
