/** What the pages about testing and traces show is run, as it stands there. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Manager, ManagerOptions } from "../../src/index.ts";
import { inProcess, silentLogger, startControlPlane, VirtualClock } from "../../src/testing.ts";
import { registerMemoryTracing } from "../runtime/tracing/memory-tracing.ts";
import { ENTRIES, ROOT } from "../support/compiled.ts";
import { codeOf } from "./support/code-blocks.ts";

interface TestingPage {
  aDay(): Promise<number>;
  anHourWithoutAnAnswer(): Promise<number>;
  neverTwoAtATime(): Promise<void>;
  twiceIsOnce(): Promise<void>;
}

interface TracingPage {
  tracedOperator(options: ManagerOptions): Manager;
}

const files: string[] = [];

/** The module that a page's blocks are. */
async function load(page: string): Promise<unknown> {
  const code = codeOf(readFileSync(`${ROOT}docs/${page}.md`, "utf8"));
  const linked = code.replaceAll(/"(tsop[^"]*)"/g, (quoted, name: string) => {
    const entry = Object.entries(ENTRIES).find(([entryName]) => entryName === name)?.[1];
    return entry ? JSON.stringify(entry) : quoted;
  });
  const file = `${ROOT}.cache/docs/${page}-page-${process.pid}.ts`;
  mkdirSync(`${ROOT}.cache/docs`, { recursive: true });
  writeFileSync(file, linked);
  files.push(file);
  return import(pathToFileURL(file).href);
}

afterAll(() => {
  for (const file of files) rmSync(file, { force: true });
});

describe("the page about traces", { timeout: 60_000 }, () => {
  it("has an operator whose spans are told of its reconciles", async () => {
    const page = (await load("tracing")) as TracingPage;
    const memory = registerMemoryTracing();
    const clock = new VirtualClock();
    await using cluster = await startControlPlane({ clock, listen: false });
    const manager = page.tracedOperator({ transport: inProcess(cluster), log: silentLogger });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await manager.idle();
    stop.abort();
    await clock.advance(60_000);
    await running;
    memory.end();
    const reconciles = memory.spans.filter(({ name }) => name === "reconcile configmap");
    expect(reconciles.map(({ attributes }) => attributes)).toContainEqual(
      expect.objectContaining({ "tsop.outcome": "success", "shop.keys": 1 }),
    );
  });
});

describe("the page about testing", { timeout: 60_000 }, () => {
  let page: TestingPage;
  beforeAll(async () => {
    page = (await load("testing")) as TestingPage;
  }, 60_000);

  it("has a day of 25 looks at each object", async () => {
    const looks = await page.aDay();
    expect(looks).toBeGreaterThan(25);
    expect(looks % 25).toBe(0);
  });

  it("has a pass that changes nothing when it is made again", async () => {
    await page.twiceIsOnce();
  });

  it("has an hour in which a watch breaks, and seeds for which nothing does", async () => {
    expect(await page.anHourWithoutAnAnswer()).toBeGreaterThan(3);
    await page.neverTwoAtATime();
  });
});
