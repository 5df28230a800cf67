import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TsopError } from "../../../src/errors.ts";
import type { SentObject } from "../../../src/kube/object.ts";
import { StoreLog } from "../../../src/controlplane/store/log.ts";
import { Store } from "../../../src/controlplane/store/store.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tsop-log-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const configMap = (name: string, value = ""): SentObject =>
  ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default" },
    data: { value },
  }) as SentObject;

async function opened(path = folder, logMaxBytes?: number) {
  const disk = new StoreLog(path, logMaxBytes);
  const { version, objects } = await disk.open();
  const start = version === undefined ? {} : { startVersion: version };
  const store = new Store({ sink: disk, ...start });
  for (const [collection, object] of objects) store.restore(collection, object);
  return { disk, store };
}

const valuesOf = (store: Store): Record<string, unknown> =>
  Object.fromEntries(
    store
      .list("configmaps")
      .map((object) => [
        object.metadata.name,
        (object as SentObject & { data: { value: string } }).data.value,
      ]),
  );

describe("StoreLog", () => {
  it("keeps objects, deletions and the version over a restart", async () => {
    const first = await opened();
    first.store.put("configmaps", configMap("a", "1"));
    first.store.put("configmaps", configMap("a", "2"));
    first.store.put("configmaps", configMap("b"));
    first.store.remove("configmaps", "default/b");
    await first.store.durable();
    await first.disk.close();
    const second = await opened();
    expect(valuesOf(second.store)).toEqual({ a: "2" });
    expect(second.store.version).toBe(first.store.version);
    await second.disk.close();
  });

  it("loses only the line that a crash cut, wherever that was", async () => {
    const { disk, store } = await opened();
    const states = [JSON.stringify(valuesOf(store))];
    for (let index = 0; index < 40; index++) {
      if (index % 7 === 6) store.remove("configmaps", `default/n${index % 5}`);
      else store.put("configmaps", configMap(`n${index % 5}`, `välue ${index} 🖖`));
      states.push(JSON.stringify(valuesOf(store)));
    }
    await store.durable();
    const log = readFileSync(join(folder, "changes.jsonl"));
    const lastLine = log.lastIndexOf(10, log.length - 2);
    const cuts = new Set<number>();
    // Spread over the whole log, never twice the same place in a line; and everywhere in the last one.
    for (let step = 0; step < 40; step++) cuts.add(Math.floor((log.length * step) / 39));
    for (let cut = lastLine; cut <= log.length; cut++) cuts.add(cut);
    for (const cut of cuts) {
      const copy = join(folder, `cut-${cut}`);
      mkdirSync(copy);
      copyFileSync(join(folder, "snapshot.jsonl"), join(copy, "snapshot.jsonl"));
      writeFileSync(join(copy, "changes.jsonl"), log);
      truncateSync(join(copy, "changes.jsonl"), cut);
      const after = await opened(copy);
      const part = log.subarray(0, cut);
      // A line that is whole but for its end of line has been written whole, too.
      const isWhole = cut < log.length && log[cut] === 10;
      const lines = part.filter((byte) => byte === 10).length + (isWhole ? 1 : 0);
      expect(valuesOf(after.store)).toEqual(JSON.parse(states[lines] ?? ""));
      await after.disk.close();
    }
    await disk.close();
  });

  it("folds a log that has grown into a new snapshot, and loses nothing by it", async () => {
    const { disk, store } = await opened(folder, 500);
    for (let index = 0; index < 200; index++) {
      store.put("configmaps", configMap(`n${index % 20}`, String(index)));
      if (index % 3 === 0) await store.durable();
    }
    await store.durable();
    const size = readFileSync(join(folder, "changes.jsonl")).length;
    expect(size).toBeLessThan(20_000);
    await disk.close();
    const after = await opened();
    expect(valuesOf(after.store)).toEqual(valuesOf(store));
    await after.disk.close();
  });

  it.skipIf(process.platform === "win32")("lets nobody but its owner read the files", async () => {
    const path = join(folder, "data");
    const { disk, store } = await opened(path, 200);
    for (let index = 0; index < 10; index++) store.put("secrets", configMap(`s${index}`));
    await store.durable();
    const rights = (file: string): number => statSync(join(path, file)).mode & 0o777;
    expect(rights(".")).toBe(0o700);
    expect(readdirSync(path).map(rights)).toEqual([0o600, 0o600, 0o600]);
    await disk.close();
    chmodSync(join(path, "changes.jsonl"), 0o644);
    await (await opened(path)).disk.close();
    expect(rights("changes.jsonl")).toBe(0o600);
  });

  it("takes nothing from a log that a crash left beside a newer snapshot", async () => {
    const first = await opened();
    first.store.put("configmaps", configMap("a", "old"));
    await first.store.durable();
    const oldLog = readFileSync(join(folder, "changes.jsonl"));
    first.store.put("configmaps", configMap("a", "new"));
    await first.disk.close();
    await (await opened()).disk.close();
    writeFileSync(join(folder, "changes.jsonl"), oldLog);
    const after = await opened();
    expect(valuesOf(after.store)).toEqual({ a: "new" });
    await after.disk.close();
  });

  it("says where a folder is broken, and leaves it as it is", async () => {
    writeFileSync(join(folder, "snapshot.jsonl"), '{"v":1}\nnonsense\n{"v":2}\n');
    await expect(new StoreLog(folder).open()).rejects.toThrow(TsopError);
    expect(readFileSync(join(folder, "snapshot.jsonl"), "utf8")).toContain("nonsense");
    rmSync(join(folder, "snapshot.jsonl"));
    await (await opened()).disk.close();
  });

  it("is one control plane's at a time, until that closes it", async () => {
    const first = await opened();
    await expect(new StoreLog(folder).open()).rejects.toMatchObject({
      code: "data-dir-in-use",
      message: expect.stringContaining(`(process ${process.pid} on `) as string,
      fix: expect.stringContaining(join(folder, "lock")) as string,
    });
    first.store.put("configmaps", configMap("a"));
    await first.disk.close();
    const second = await opened();
    expect(valuesOf(second.store)).toEqual({ a: "" });
    await second.disk.close();
  });

  it("leaves a folder alone that a process of another machine may use", async () => {
    const holder = { pid: process.pid, host: "another-machine", id: "a" };
    writeFileSync(join(folder, "lock"), JSON.stringify(holder));
    await expect(new StoreLog(folder).open()).rejects.toThrow(`on another-machine, since`);
    expect(readdirSync(folder)).toEqual(["lock"]);
  });

  it("holds every acknowledged write after its process was killed at any moment", async () => {
    for (const lines of [1, 17, 60]) {
      const acknowledged = await writeUntilKilled(folder, lines);
      const { disk, store } = await opened();
      const names = store.list("configmaps").map(({ metadata }) => metadata.name);
      expect(names.length).toBeGreaterThan(acknowledged);
      // In order, none missing: nothing is half there.
      expect(names).toEqual(names.map((_, index) => `write-${String(index).padStart(6, "0")}`));
      await disk.close();
    }
  }, 60_000);
});

/** Starts the writer, kills it after it said some lines, and returns the last number that it said. */
async function writeUntilKilled(path: string, lines: number): Promise<number> {
  const child: ChildProcess = spawn(
    process.execPath,
    ["scripts/run-ts.mjs", "test/controlplane/store/writer.ts", path],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  if (!child.stdout) throw new Error("the writer has no standard output");
  let last = -1;
  let seen = 0;
  for await (const line of createInterface(child.stdout)) {
    last = Number(line);
    if (++seen === lines) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return last;
}
