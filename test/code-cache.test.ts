import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("../src/code-cache.ts", import.meta.url));
const BUNDLE = `(function (exports, require, module, __filename, __dirname) {
const { join } = require("node:path");
exports.answer = (text) => join("a", text);
exports.here = __dirname;
})`;

let folder: string;
let bundle: string;
let cache: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "code-cache-")));
  bundle = join(folder, "node_modules/pack/bundle.cjs");
  cache = join(folder, "node_modules/.cache/tsop");
  mkdirSync(join(folder, "node_modules/pack"), { recursive: true });
  const { code } = transformSync(readFileSync(SOURCE, "utf8"), { loader: "ts" });
  writeFileSync(join(folder, "code-cache.mjs"), code);
  writeFileSync(bundle, BUNDLE);
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What a fresh process prints that has `bundle` as the loaded bundle. */
function inProcess(script: string, use = "test"): string {
  const program = `
    import { requireCached } from "./code-cache.mjs";
    const bundle = requireCached(${JSON.stringify(bundle)}, ${JSON.stringify(use)});
    ${script}`;
  writeFileSync(join(folder, "main.mjs"), program);
  return execFileSync(process.execPath, ["main.mjs"], { cwd: folder, encoding: "utf8" }).trim();
}

describe("requireCached", () => {
  it("gives the bundle what a CommonJS module has: require and its folder", () => {
    expect(inProcess("console.log(bundle.answer('b'), bundle.here)")).toBe(
      `${join("a", "b")} ${join(folder, "node_modules/pack")}`,
    );
  });

  it("loads a bundle once", () => {
    const same = `console.log(requireCached(${JSON.stringify(bundle)}) === bundle)`;
    expect(inProcess(same)).toBe("true");
  });

  it("keeps one cache for each use, in the nearest node_modules", () => {
    inProcess("");
    inProcess("");
    inProcess("", "other");
    expect(readdirSync(cache)).toEqual([
      `bundle.cjs.other.${process.version}`,
      `bundle.cjs.test.${process.version}`,
    ]);
  });

  it("keeps a better cache of a process that lived for long and used more", () => {
    const more = Array.from(
      { length: 50 },
      (_, n) => `exports.f${n} = () => [${n}, "${n}"].join();`,
    );
    writeFileSync(bundle, BUNDLE.replace("exports.here", `${more.join("\n")}\nexports.here`));
    const file = join(cache, `bundle.cjs.test.${process.version}`);
    const useAll = "for (const f of Object.values(bundle)) if (typeof f === 'function') f('');";
    inProcess("");
    const poor = readFileSync(file);
    inProcess(useAll);
    expect(readFileSync(file)).toEqual(poor);
    inProcess(`${useAll} process.uptime = () => 60;`);
    const rich = readFileSync(file);
    expect(rich.length).toBeGreaterThan(1.5 * poor.length);
    inProcess("process.uptime = () => 60;");
    expect(readFileSync(file)).toEqual(rich);
  });

  it("takes no cache of another bundle, nor one that is damaged", () => {
    const print = "console.log(bundle.answer('b'))";
    inProcess(print);
    writeFileSync(bundle, BUNDLE.replace('"a"', '"z"'));
    expect(inProcess(print)).toBe(join("z", "b"));
    const file = join(cache, `bundle.cjs.test.${process.version}`);
    writeFileSync(file, readFileSync(file).subarray(0, -100));
    expect(inProcess(print)).toBe(join("z", "b"));
  });

  it("takes no cache of other code, though path, length and time are the same", () => {
    const print = "console.log(bundle.answer('b'))";
    const { atime, mtime } = statSync(bundle);
    expect(inProcess(print)).toBe(join("a", "b"));
    writeFileSync(bundle, BUNDLE.replace('"a"', '"z"'));
    utimesSync(bundle, atime, mtime);
    expect(inProcess(print)).toBe(join("z", "b"));
  });

  it("takes no cache whose bytes are not those that were written", () => {
    const print = "console.log(bundle.answer('b'))";
    inProcess(print);
    const file = join(cache, `bundle.cjs.test.${process.version}`);
    const bytes = readFileSync(file);
    for (let at = bytes.length >> 1; at < bytes.length; at++) bytes[at] = 0;
    writeFileSync(file, bytes);
    expect(inProcess(print)).toBe(join("a", "b"));
    // One that is right takes its place.
    expect(readFileSync(file)).not.toEqual(bytes);
  });

  it("takes a cache of the same code, at whatever time that was written", () => {
    inProcess("");
    const file = join(cache, `bundle.cjs.test.${process.version}`);
    const { ino } = statSync(file);
    utimesSync(bundle, new Date(0), new Date(0));
    inProcess("");
    expect(statSync(file).ino).toBe(ino);
  });

  it("works where no cache can be written", () => {
    mkdirSync(join(folder, "node_modules/.cache"));
    writeFileSync(cache, "a file, not a folder");
    expect(inProcess("console.log(bundle.answer('b'))")).toBe(join("a", "b"));
  });
});
