/**
 * What `npm install tsop` brings: packed from a build of these sources, installed in an empty folder,
 * used from there. The registry, or npm's cache, has to have the dependencies.
 */
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  typeErrorsOf,
  type Consumer,
} from "../../scripts/verify/typescript-versions/consumer-types.ts";
import { builtCheckout } from "../support/built-checkout.ts";

const MAX_PACKAGES = 40;
// The bundled TypeScript compiler is a quarter of it; the control plane is there twice, once for `cluster` alone.
const MAX_UNPACKED_BYTES = 21_000_000;
const INSTALL = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
/** The oldest that is supported; `npm run verify -- typescript-versions` asks all between it and this project's own. */
const OLDEST_TYPESCRIPT = "5.4.5";
/** Between them, every setting. */
const CHECKED = [
  "nodenext, exact optional properties",
  "bundler, experimental decorators",
] as const satisfies readonly Consumer[];
const NODE_MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

describe("the published package", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "tsop-package-"));
  const project = join(folder, "operator");
  let packed: Packed;

  const run = async (command: string, args: readonly string[], cwd = project): Promise<string> =>
    (await promisify(execFile)(command, args, { cwd })).stdout;
  const tsop = (...args: string[]): Promise<string> =>
    run(process.execPath, [join(project, "node_modules/tsop/bin/tsop.js"), ...args]);

  const installed = (path: string): string =>
    readFileSync(join(project, "node_modules/tsop", path), "utf8");
  const prose = (page: string): string =>
    installed(page).replaceAll(/^```[^]*?^```|`[^`\n]*`/gm, "");
  /** What a page links to in the package: inline, and by a reference. */
  const linksOf = (page: string): string[] =>
    [...prose(page).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)]
      .map(([, inline, reference]) => inline ?? reference ?? "")
      .filter((target) => !/^[a-z]+:/.test(target));
  const headingsOf = (page: string): string[] =>
    [...installed(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    );

  beforeAll(async () => {
    const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
    [packed] = JSON.parse(await run("npm", pack, await builtCheckout())) as [Packed];
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
    await run("npm", [...INSTALL, join(folder, packed.filename)]);
  }, 300_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("holds what runs, its declarations, its templates and its guides; no sources, tests or maps", () => {
    const paths = packed.files.map(({ path }) => path);
    const expected =
      /^(bin\/(tsop\.js|package\.json)|dist\/.+\.(c?js|d\.ts|data\.json)|dist\/(build-id|THIRD-PARTY\.txt)|dist\/page\/(index\.html|page\.css|icon\.svg)|templates\/.+\.hbs|docs\/(README|[a-z-]+)\.md|docs\/images\/[a-z-]+\.(svg|png)|(LICENSE|NOTICE|README\.md|package\.json))$/;
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
    // The commands and the generator are in the bundles alone, but for what tests of operators render with.
    expect(paths.filter((path) => /^dist\/(cli\/commands|generator\/read)\//.test(path))).toEqual(
      [],
    );
    expect(paths).toContain("templates/init/.gitignore.hbs");
    expect(packed.unpackedSize).toBeLessThan(MAX_UNPACKED_BYTES);
  });

  it("has every page and heading that its README and its guides link to", () => {
    const paths = packed.files.map(({ path }) => path);
    const pages = paths.filter((path) => path.endsWith(".md"));
    const links = pages.flatMap((page) => linksOf(page).map((target) => ({ page, target })));
    expect(links.filter(({ page }) => page === "README.md").length).toBeGreaterThan(10);
    const broken = links.filter(({ page, target }) => {
      const [path = "", heading] = target.split("#");
      const file = path === "" ? page : posix.join(posix.dirname(page), path);
      if (!paths.includes(file)) return true;
      return heading !== undefined && !headingsOf(file).includes(heading);
    });
    expect(broken).toEqual([]);
  });

  it("has the licence of every package that is bundled", () => {
    const text = installed("dist/THIRD-PARTY.txt");
    const notices = text.split(`\n${"-".repeat(80)}\n`).map((notice) => notice.trim());
    expect(notices.length).toBeGreaterThan(100);
    expect(notices.filter((notice) => notice.length < 500)).toEqual([]);
    const compiler = notices.find((notice) => /^typescript \d/.test(notice));
    expect(compiler).toContain("Apache License");
    expect(text).toMatch(/^execa \d/m);
    expect(installed("NOTICE")).toContain("Microsoft Corporation");
  });

  it(`brings at most ${MAX_PACKAGES} packages`, () => {
    const lock = JSON.parse(
      readFileSync(join(project, "node_modules/.package-lock.json"), "utf8"),
    ) as { packages: object };
    const packages = Object.keys(lock.packages);
    expect(packages).toContain("node_modules/tsop");
    expect(packages.length).toBeLessThanOrEqual(MAX_PACKAGES);
  });

  it("runs: version, init, create api, manifests", async () => {
    const { version } = JSON.parse(
      readFileSync(join(project, "node_modules/tsop/package.json"), "utf8"),
    ) as { version: string };
    expect(await tsop("--version")).toBe(`${version}\n`);
    await tsop(
      "init",
      "--domain",
      "example.com",
      "--project-name",
      "shop",
      "--no-install",
      "--force",
    );
    // What was installed from a file is depended on as that file.
    expect(readFileSync(join(project, "package.json"), "utf8")).toContain(
      `"tsop": "file:../${packed.filename}"`,
    );
    await tsop("create", "api", "--group", "web", "--version", "v1", "--kind", "Page");
    expect(await tsop("manifests")).toContain("create config/crd/bases/web.example.com_pages.yaml");
    expect(await tsop("manifests", "--check")).toContain("nothing to change");
  });

  it("exports an operator's three doors, and nothing of its inside", async () => {
    const load = (specifier: string): Promise<string> =>
      run(process.execPath, [
        "--input-type=module",
        "--eval",
        `console.log(Object.keys(await import("${specifier}")).join(" "))`,
      ]);
    expect(await load("tsop")).toContain("controllerFor");
    expect(await load("tsop/k8s")).toContain("Deployment");
    expect(await load("tsop/testing")).toContain("startControlPlane");
    await expect(load("tsop/dist/cli/main.js")).rejects.toThrow("ERR_PACKAGE_PATH_NOT_EXPORTED");
  });

  it.each(["this project's TypeScript", `TypeScript ${OLDEST_TYPESCRIPT}`])(
    "has types that %s accepts in projects of each kind, libraries checked too",
    async (name) => {
      mkdirSync(join(project, "node_modules/@types"), { recursive: true });
      const types = join(project, "node_modules/@types/node");
      if (!existsSync(types)) symlinkSync(join(NODE_MODULES, "@types/node"), types);
      const isOldest = name.endsWith(OLDEST_TYPESCRIPT);
      const compiler = isOldest ? await oldestCompiler() : join(NODE_MODULES, "typescript");
      for (const consumer of CHECKED) {
        expect([consumer, await typeErrorsOf(project, compiler, consumer)]).toEqual([consumer, ""]);
      }
    },
  );

  /** Installed beside the operator: as a dependency of ours its `tsc` would take the place of the newest one's. */
  async function oldestCompiler(): Promise<string> {
    const home = join(folder, "oldest");
    mkdirSync(home);
    writeFileSync(join(home, "package.json"), '{ "private": true }\n');
    await run("npm", [...INSTALL, `typescript@${OLDEST_TYPESCRIPT}`], home);
    return join(home, "node_modules/typescript");
  }
});
