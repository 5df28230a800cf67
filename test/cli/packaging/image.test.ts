import { execa } from "execa";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { imageArchive, type ImageSource } from "../../../src/cli/packaging/oci/image.ts";
import { digestOf, readLayout } from "../../../src/cli/packaging/oci/layout.ts";
import { readTar, writeTar } from "../../../src/cli/packaging/oci/tar.ts";
import { killed, stopped } from "../support/killed.ts";
import { withoutNetwork } from "../support/no-network.ts";
import { emptyFolder, filesIn, runCli } from "../support/run-cli.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** A layout with an image for each platform; the layer of each is one file. */
function baseLayout(
  architectures: readonly string[],
  { mediaType = OCI, env = ["PATH=/bin"] }: { mediaType?: string; env?: readonly string[] } = {},
): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const put = (content: Buffer): { digest: string; size: number } => {
    const digest = digestOf(content);
    files.set(`blobs/${digest.replace(":", "/")}`, content);
    return { digest, size: content.length };
  };
  const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
  const manifests = architectures.map((architecture) => {
    const layer = writeTar(new Map([["nodejs/bin/node", Buffer.from(architecture)]]));
    const config = json({
      os: "linux",
      architecture,
      config: { Entrypoint: ["/nodejs/bin/node"], Cmd: ["repl"], Env: env },
      rootfs: { type: "layers", diff_ids: [digestOf(layer)] },
      history: [{ created_by: "base" }],
    });
    const manifest = json({
      schemaVersion: 2,
      mediaType,
      config: { mediaType: "application/vnd.oci.image.config.v1+json", ...put(config) },
      layers: [{ mediaType: "application/vnd.oci.image.layer.v1.tar", ...put(layer) }],
      annotations: { "org.opencontainers.image.base.name": "base" },
    });
    return { mediaType, ...put(manifest), platform: { os: "linux", architecture } };
  });
  files.set("oci-layout", json({ imageLayoutVersion: "1.0.0" }));
  files.set("index.json", json({ schemaVersion: 2, manifests }));
  return files;
}
const OCI = "application/vnd.oci.image.manifest.v1+json";

function written(files: ReadonlyMap<string, Buffer>): string {
  const folder = emptyFolder();
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const source = async (layout: string): Promise<ImageSource> => ({
  bases: await readLayout(layout, "base"),
  files: new Map([["main.mjs", Buffer.from("run()")]]),
  name: "registry.example.com/web:1",
  tag: "1",
  labels: { team: "web" },
  created: "1970-01-01T00:00:00Z",
});

describe("a tar", () => {
  it("is read by tar, with the folders, and has no time, owner or order of its own", async () => {
    const files = new Map([
      ["b/two.txt", Buffer.from("2".repeat(513))],
      ["a.txt", Buffer.alloc(0)],
      ["b/c/three.txt", Buffer.from("3")],
    ]);
    const folder = emptyFolder();
    writeFileSync(join(folder, "x.tar"), writeTar(files));
    const listed = await execa("tar", ["-tvf", "x.tar", "--full-time", "--utc"], {
      cwd: folder,
      reject: false,
    });
    if (listed.exitCode === 0) {
      const lines = listed.stdout.split("\n");
      expect(lines.map((line) => line.split(/\s+/).at(-1))).toEqual([
        "a.txt",
        "b/",
        "b/c/",
        "b/c/three.txt",
        "b/two.txt",
      ]);
      for (const line of lines) expect(line).toMatch(/0\/0 .*1970-01-01 00:00/);
    }
    expect(readTar(writeTar(files), "x.tar")).toEqual(new Map([...files].sort()));
    expect(writeTar(new Map([...files].reverse()))).toEqual(writeTar(files));
  });

  it.each([
    ["no archive", Buffer.from("PK".padEnd(1024, "x"))],
    [
      "an archive that is cut off",
      writeTar(new Map([["a", Buffer.alloc(2000)]])).subarray(0, 1024),
    ],
  ])("is refused when it is %s", (_what, content) => {
    expect(() => readTar(content, "base.tar")).toThrow("base.tar is not a whole tar archive");
  });
});

describe("an image on a base", () => {
  it("is the base with one layer more, which starts the operator as nobody", async () => {
    const archive = imageArchive(await source(written(baseLayout(["amd64"]))));
    const files = readTar(archive, "image.tar");
    const at = (digest: string): Buffer => {
      const content = files.get(`blobs/${digest.replace(":", "/")}`);
      expect(content && digestOf(content)).toBe(digest);
      return content ?? Buffer.alloc(0);
    };
    const index = JSON.parse(String(files.get("index.json"))) as { manifests: Descriptor[] };
    const manifest = JSON.parse(String(at(index.manifests[0]?.digest ?? ""))) as Manifest;
    const config = JSON.parse(String(at(manifest.config.digest))) as Config;
    expect(manifest.layers).toHaveLength(2);
    const layer = gunzipSync(at(manifest.layers[1]?.digest ?? ""));
    expect(readTar(layer, "layer")).toEqual(new Map([["operator/main.mjs", Buffer.from("run()")]]));
    expect(config.rootfs.diff_ids[1]).toBe(digestOf(layer));
    expect(config.config).toEqual({
      Env: ["PATH=/bin"],
      User: "65532:65532",
      WorkingDir: "/operator",
      Entrypoint: ["/nodejs/bin/node", "--enable-source-maps", "/operator/main.mjs"],
      Labels: { team: "web" },
    });
    expect(JSON.parse(String(files.get("manifest.json")))).toMatchObject([
      { RepoTags: ["registry.example.com/web:1"] },
    ]);
  });

  it.each([
    [[], false],
    [["NODE_VERSION=22.20.0"], true],
    [["NODE_VERSION=24.6.0"], true],
    [["NODE_VERSION=26.1.0"], true],
    [["NODE_VERSION=22.19.0"], false],
    [["NODE_VERSION=20.19.0"], false],
    [["NODE_VERSION=23.11.0"], false],
    [["NODE_VERSION=24.5.0"], false],
    [["NODE_OPTIONS=--trace-warnings"], false],
  ])("limits the heap on a base with %j: %s", async (env, isLimited) => {
    const archive = imageArchive(await source(written(baseLayout(["amd64"], { env }))));
    const configs = [...readTar(archive, "image.tar").values()]
      .map(String)
      .filter((text) => text.includes('"Entrypoint"'))
      .map((text) => JSON.parse(text) as Config);
    const added = isLimited ? ["NODE_OPTIONS=--max-old-space-size-percentage=75"] : [];
    expect(configs.map(({ config }) => (config as { Env: string[] }).Env)).toEqual([
      [...env, ...added],
    ]);
  });

  it("has the platforms of the base, all with the same layer", async () => {
    const folder = written(baseLayout(["amd64", "arm64"]));
    const layouts = [folder, join(emptyFolder(), "base.tar")];
    writeFileSync(layouts[1] ?? "", writeTar(baseLayout(["amd64", "arm64"])));
    const [ofFolder, ofTar] = await Promise.all(
      layouts.map(async (layout) => imageArchive(await source(layout))),
    );
    expect(ofTar).toEqual(ofFolder);
    const again = join(emptyFolder(), "image.tar");
    writeFileSync(again, ofFolder ?? "");
    const images = await readLayout(again, "image.tar");
    expect(images.map(({ platform }) => platform.architecture)).toEqual(["amd64", "arm64"]);
    const [one, other] = images.map(({ manifest }) => manifest.layers[1]?.digest);
    expect(one).toBe(other);
  });

  it("keeps to Docker's media types where the base has them", async () => {
    const docker = "application/vnd.docker.distribution.manifest.v2+json";
    const archive = imageArchive(
      await source(written(baseLayout(["amd64"], { mediaType: docker }))),
    );
    const path = join(emptyFolder(), "image.tar");
    writeFileSync(path, archive);
    const [image] = await readLayout(path, "image.tar");
    expect(image?.manifest.layers[1]?.mediaType).toBe(
      "application/vnd.docker.image.rootfs.diff.tar.gzip",
    );
  });

  it("is refused on a base whose blob was changed, or is not there", async () => {
    const layout = baseLayout(["amd64"]);
    const [blob = ""] = [...layout.keys()].filter((path) => path.startsWith("blobs/"));
    const changed = new Map(layout).set(blob, Buffer.from("else"));
    await expect(readLayout(written(changed), "base")).rejects.toThrow("has another content");
    const less = new Map(layout);
    less.delete(blob);
    await expect(readLayout(written(less), "base")).rejects.toThrow("it lacks the blob");
    await expect(readLayout(emptyFolder(), "base")).rejects.toThrow("it has no index.json");
  });
});

interface Descriptor {
  readonly digest: string;
}
interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}
interface Config {
  readonly config: object;
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

/** The digests of the files in `dist`, by path. */
function builtIn(root: string): Record<string, string> {
  const entries = Object.entries(filesIn(join(root, "dist")));
  return Object.fromEntries(entries.map(([path, text]) => [path, digestOf(Buffer.from(text))]));
}

describe("tsop image", () => {
  const project = (): string => {
    const root = emptyFolder();
    const from = join(repository, "examples/configmonitor");
    for (const path of ["PROJECT", "package.json", "tsconfig.json", "src", "Dockerfile"]) {
      cpSync(join(from, path), join(root, path), { recursive: true });
    }
    mkdirSync(join(root, "node_modules"));
    symlinkSync(repository, join(root, "node_modules/tsop"), "junction");
    return root;
  };
  const NAME = "registry.example.com/monitor:0.1.0";

  it("writes the same archive twice, with a list of the packages in it", async () => {
    const root = project();
    const base = written(baseLayout(["amd64"]));
    const flags = ["image", "--image", NAME, "--base", base];
    expect(await runCli(root, [...flags, "--dry-run"])).toMatchObject({ code: 0, err: "" });
    const first = await runCli(root, flags);
    expect([first.code, first.err]).toEqual([0, ""]);
    await runCli(root, [...flags, "--output", "again.tar"]);
    const archive = readFileSync(join(root, "dist/image.tar"));
    expect(readFileSync(join(root, "again.tar")).equals(archive)).toBe(true);
    const parts = JSON.parse(readFileSync(join(root, "dist/main.cdx.json"), "utf8")) as {
      components: { name: string; version: string; licenses?: object[] }[];
    };
    const names = parts.components.map(({ name }) => name);
    expect(names).toContain("tsop");
    expect(names).toContain("prom-client");
    expect(names).not.toContain("configmonitor");
    expect(names).not.toContain("esbuild");
  }, 60_000);

  it.skipIf(process.platform === "win32")(
    "leaves each file as it was or as it is wanted when it is killed",
    async () => {
      const root = project();
      const flags = ["image", "--image", NAME, "--base", written(baseLayout(["amd64"]))];
      expect((await runCli(root, flags)).code).toBe(0);
      const before = builtIn(root);
      writeFileSync(join(root, "package.json"), JSON.stringify({ name: "m", version: "2.0.0" }));
      writeFileSync(join(root, "src/main.ts"), 'console.log("the next version");\n');
      const undisturbed = emptyFolder();
      cpSync(root, undisturbed, { recursive: true });
      expect((await runCli(undisturbed, flags)).code).toBe(0);
      const after = builtIn(undisturbed);
      expect(Object.keys(after)).toEqual(Object.keys(before));
      // In the order of the writes: the bundle, its map, the list of packages; then the archive.
      for (const at of ["writeFile:0", "writeFile:2", "rename:1", "writeFile:3", "rename:3"]) {
        const folder = emptyFolder();
        cpSync(root, folder, { recursive: true });
        // One in a process of its own; the others leave the same behind.
        if (at === "rename:1") expect(await killed(folder, flags, at)).toBe("SIGKILL");
        else await stopped(folder, flags, at);
        const left = Object.entries(builtIn(folder));
        for (const [path, content] of left) {
          if (/\.tsop-\d+$/.test(path)) continue;
          expect([at, path, content === before[path] || content === after[path]]).toEqual([
            at,
            path,
            true,
          ]);
        }
        expect(left.map(([path]) => path)).toEqual(expect.arrayContaining(Object.keys(before)));
        expect(await runCli(folder, flags)).toMatchObject({ code: 0, err: "" });
        expect([at, builtIn(folder)]).toEqual([at, after]);
      }
    },
    60_000,
  );

  it("pulls no base: a reference of a registry is refused with the command that pulls it", async () => {
    const tried = withoutNetwork();
    const root = project();
    const before = readdirSync(root);
    const base = "docker.io/library/node:22";
    const { code, err } = await runCli(root, ["image", "--image", NAME, "--base", base]);
    expect([code, err]).toEqual([
      1,
      [
        `error image-base: ${base} is not an OCI layout that can be built on: there is no such file or folder.`,
        `  fix Create one from a base image with Node.js: \`crane pull --format=oci gcr.io/distroless/nodejs22-debian12:nonroot base\`, then pass it with --base base.`,
      ].join("\n"),
    ]);
    expect(tried).toEqual([]);
    expect(readdirSync(root)).toEqual(before);
  });

  it.each<[string[], Record<string, string>, string]>([
    [["--image", "Web Operator"], {}, "is not an image reference"],
    [
      ["--image", NAME, "--base", "b", "--platform", "linux/arm64"],
      {},
      "the platforms of the base",
    ],
    [["--image", NAME, "--base", "b"], {}, "there is no such file or folder"],
    [["--image", NAME], { PATH: "/nowhere" }, "neither runs here"],
  ])("refuses %j", async (flags, env, message) => {
    const { code, err } = await runCli(project(), ["image", ...flags], { env });
    expect(code).not.toBe(0);
    expect(err).toContain(message);
  });
});
