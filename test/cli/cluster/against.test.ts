import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startControlPlane } from "../../../src/controlplane/control-plane.ts";
import { newProject, runCli } from "../support/run-cli.ts";

const source = (
  field: string,
): string => `import { CustomResource, Resource, Maximum, type Int32 } from "tsop";
export class ZoneSpec {
  ${field}
}
@Resource({ group: "dns.example.com", version: "v1" })
export class Zone extends CustomResource<ZoneSpec> {}
`;

it("tsop manifests --against says what breaks, where, and exits with 3", async () => {
  const folder = await newProject();
  const file = join(folder, "src/zone.ts");
  const git = (...args: string[]): void => {
    const author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    execFileSync("git", [...author, ...args], { cwd: folder, stdio: "ignore" });
  };
  writeFileSync(file, source("@Maximum(9) ttl?: Int32;"));
  await runCli(folder, ["manifests"]);
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "first");

  const same = await runCli(folder, ["manifests", "--against", "HEAD"]);
  expect(same).toMatchObject({ code: 0, err: "" });
  expect(same.out).toContain("against HEAD: 0 breaking, 0 risky, 0 safe");

  const crd = "config/crd/bases/dns.example.com_zones.yaml";
  const before = readFileSync(join(folder, crd), "utf8");
  writeFileSync(file, source("@Maximum(5) ttl?: Int32;"));
  for (const against of ["HEAD", crd, "config/crd/bases", "config/crd", "config"]) {
    const changed = await runCli(folder, ["manifests", "--against", against]);
    expect(changed.code).toBe(3);
    expect(changed.out).toContain(
      "breaking src/zone.ts:3:4 zones.dns.example.com v1 spec.ttl: maximum was 9 and is 5; 9 was valid and is refused now.",
    );
  }
  expect(readFileSync(join(folder, crd), "utf8")).toBe(before);

  const nothing = await runCli(folder, ["manifests", "--against", "no-such-thing"]);
  expect(nothing.code).toBe(2);
  expect(nothing.err).toContain("neither a file, a folder nor a revision");
  git("rm", "-q", "--cached", "-r", "config/crd");
  git("commit", "-q", "-m", "not committed any more");
  for (const empty of ["src", "config/rbac", "PROJECT", "HEAD"]) {
    const unread = await runCli(folder, ["manifests", "--against", empty]);
    expect([empty, unread.code, unread.out]).toEqual([empty, 2, ""]);
    expect(unread.err).toContain(`There is no CustomResourceDefinition in ${empty}`);
  }
});

it("tsop manifests --against cluster knows what is installed, and in which versions objects are stored", async () => {
  const folder = await newProject();
  const cluster = await startControlPlane();
  try {
    const file = join(folder, "src/zone.ts");
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig);
    const tsop = (...argv: string[]): ReturnType<typeof runCli> =>
      runCli(folder, [...argv, "--kubeconfig", join(folder, "kubeconfig")]);
    const against = ["manifests", "--against", "cluster"];

    writeFileSync(file, source('@Maximum(9) ttl?: Int32;\n  kind: string = "a";'));
    expect((await tsop(...against)).out).toContain("against cluster: 0 breaking, 0 risky, 1 safe");
    expect(await tsop("install")).toMatchObject({ code: 0 });
    expect((await tsop(...against)).out).toContain("against cluster: 0 breaking, 0 risky, 0 safe");

    writeFileSync(file, source('@Maximum(12) ttl?: Int32;\n  kind: string = "b";'));
    const risky = await tsop(...against);
    expect(risky).toMatchObject({ code: 0 });
    expect(risky.out).toContain(
      'risky src/zone.ts:4:18 zones.dns.example.com v1 spec.kind: the default was "a" and is "b".',
    );

    writeFileSync(file, source("@Maximum(9) ttl?: Int32;").replace('"v1"', '"v2"'));
    const gone = await tsop(...against);
    expect(gone.code).toBe(3);
    expect(gone.out).toContain("v1 is gone, in which objects are stored (status.storedVersions)");
  } finally {
    await cluster.stop();
  }
});

it.each([
  ["no spec", "metadata: { name: zones.dns.example.com }", "it has no spec with a group and names"],
  ["a spec of null", "spec: null", "it has no spec with a group and names"],
  ["a spec that is a list", "spec: []", "it has no spec with a group and names"],
  ["no names", "spec: { group: dns.example.com }", "it has no spec with a group and names"],
  ["no versions", spec(""), "it has no versions"],
  ["versions that are a text", spec("versions: v1"), "spec.versions must be a list"],
  ["an empty version", spec("versions: [null]"), "spec.versions[0] is empty"],
  ["a version without a name", spec("versions: [{}]"), "spec.versions[0] has no name"],
  [
    "a schema that is a text",
    spec("versions: [{ name: v1, schema: { openAPIV3Schema: object } }]"),
    "the schema of v1 must be an object",
  ],
  [
    "fields that are a list",
    spec("versions: [{ name: v1, schema: { openAPIV3Schema: { properties: [1] } } }]"),
    "the schema of v1.properties must be an object",
  ],
  [
    "a required field that is a number",
    spec("versions: [{ name: v1, schema: { openAPIV3Schema: { required: [1] } } }]"),
    "the schema of v1.required must be a list of strings",
  ],
  [
    "labels that are a list",
    `metadata: { labels: [] }\n${spec("versions: [{ name: v1 }]")}`,
    "metadata.labels must be an object",
  ],
])("tsop manifests --against refuses a CRD at its line: %s", async (_what, rest, why) => {
  const folder = await newProject();
  const head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";
  const list = `items:\n- ${(head + rest).replaceAll("\n", "\n  ")}`;
  for (const [text, place] of [
    [`# before\n---\n${head}${rest}\n`, "old.yaml:3:1"],
    [`kind: List\n${list}\n`, "old.yaml:3:3"],
  ] as const) {
    writeFileSync(join(folder, "old.yaml"), text);
    const told = await runCli(folder, ["manifests", "--against", "old.yaml"]);
    expect(told).toMatchObject({ code: 1, out: "" });
    expect(told.err).toContain(`${place}: ${why}.`);
    expect(told.err).toContain("not-a-crd");
  }
});

function spec(versions: string): string {
  return `spec:\n  group: dns.example.com\n  names: { kind: Zone, plural: zones }\n  ${versions}`;
}
