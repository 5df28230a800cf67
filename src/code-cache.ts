/**
 * Makes scripts start fast: the engine's compiled code of a large bundle is kept on disk for the
 * next start. (Node has this built in from version 22.1 on, but not for a part of a process.)
 */
import { hash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire, Module } from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

/** After so many seconds, a process checks whether it was the first one with real work. */
const LONG_RUN_S = 2;
/** The cache of a process that only printed its usage is smaller by more than this factor. */
const POOR_FACTOR = 1.5;

/**
 * `require` of a CommonJS bundle by way of the code cache.
 *
 * The cache lies in `.cache/tsop` of the nearest `node_modules` above the bundle, or of the one in its
 * package. Where that folder cannot be written, or the cache is of other code, another Node or another kind of
 * machine, the bundle is compiled as usual.
 *
 * @param file - absolute path of the bundle, a function as Node makes of a CommonJS module: ASCII only, without
 *   `import()`
 * @param use - what this process uses of it, such as the name of a command: each use has a cache of the
 *   functions that it calls
 * @returns what the bundle exports; loaded once per process
 */
export function requireCached(file: string, use = "all"): unknown {
  const require = createRequire(file);
  const loaded = require.cache[file];
  if (loaded) return loaded.exports;
  // ASCII: the quickest of the decoders, and the engine takes the text as it is.
  const text = readPages(file);
  const source = text.toString("latin1");
  const code = hash("sha256", text);
  const cache = join(cacheFolder(file), `${basename(file)}.${use}.${process.version}`);
  const cachedData = readCache(cache, code);
  const script = new Script(source, {
    filename: file,
    ...(cachedData ? { cachedData } : {}),
  });
  const known = script.cachedDataRejected === true ? undefined : cachedData;
  // At the end: by then the functions that this use needs have been compiled.
  process.once("exit", () => {
    if (known && process.uptime() < LONG_RUN_S) return;
    const data = script.createCachedData();
    if (!known || data.length > POOR_FACTOR * known.length) writeCache(cache, code, data);
  });
  const module = new Module(file);
  module.filename = file;
  module.paths = require.resolve.paths("x") ?? [];
  require.cache[file] = module;
  const run = script.runInThisContext() as (...scope: unknown[]) => void;
  run.call(module.exports, module.exports, require, module, file, dirname(file));
  module.loaded = true;
  return module.exports;
}

function cacheFolder(file: string): string {
  const parts = file.split(/[/\\]/);
  const at = parts.lastIndexOf("node_modules");
  const modules =
    at === -1 ? join(packageOf(dirname(file)), "node_modules") : parts.slice(0, at + 1).join("/");
  return join(modules, ".cache", "tsop");
}

function packageOf(folder: string): string {
  const above = dirname(folder);
  return above === folder || existsSync(join(folder, "package.json")) ? folder : packageOf(above);
}

/** The engine takes a cache as it lies in memory when that begins at a multiple of this, and copies it otherwise. */
const ALIGNMENT = 8;

/**
 * The stamp at the beginning of the cache: the hashes of its code and of itself. The engine itself
 * compares no more than the length of the source, and would run what another text of that length
 * was compiled to.
 */
function stampOf(code: string, data: Buffer): Buffer {
  const stamp = Buffer.from(`${code} ${hash("sha256", data)} ${process.arch}\n`);
  const padding = -stamp.length & (ALIGNMENT - 1);
  return Buffer.concat([stamp, Buffer.alloc(padding)]);
}

const STAMP_LENGTH = stampOf(hash("sha256", ""), Buffer.alloc(0)).length;

/**
 * Reads a file into pages of its own.
 *
 * In memory that `malloc` gives, bundle and cache would have it keep for itself, in each of the engine's threads,
 * twice the largest of what was given back to it: megabytes, for as long as the process lives.
 */
function readPages(file: string): Buffer {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    // A resizable buffer is not in malloc's memory.
    const bytes = Buffer.from(new ArrayBuffer(size, { maxByteLength: size }));
    let length = 0;
    while (length < size) {
      const read = readSync(descriptor, bytes, length, size - length, null);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

function readCache(cache: string, code: string): Buffer | undefined {
  try {
    const bytes = readPages(cache);
    const data = bytes.subarray(STAMP_LENGTH);
    return bytes.subarray(0, STAMP_LENGTH).equals(stampOf(code, data)) ? data : undefined;
  } catch {
    return undefined; // none yet
  }
}

/** A folder that cannot be written costs time at the next start, nothing else. */
function writeCache(cache: string, code: string, data: Buffer): void {
  const partial = `${cache}.${process.pid}`;
  try {
    mkdirSync(dirname(cache), { recursive: true });
    writeFileSync(partial, Buffer.concat([stampOf(code, data), data]));
    renameSync(partial, cache); // Two processes may write; each of them wholly.
  } catch {
    if (existsSync(partial)) unlinkSync(partial);
  }
}
