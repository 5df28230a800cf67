/** What the page about testing shows is run, as it stands there. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENTRIES, ROOT } from "../support/compiled.ts";

const file = `${ROOT}.cache/docs/testing-page-${process.pid}.ts`;

interface Page {
  aDay(): Promise<number>;
  anHourWithoutAnAnswer(): Promise<number>;
  neverTwoAtATime(): Promise<void>;
  twiceIsOnce(): Promise<void>;
}

describe("the page about testing", { timeout: 60_000 }, () => {
  let page: Page;
  beforeAll(async () => {
    const text = readFileSync(`${ROOT}docs/testing.md`, "utf8");
    const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
    const code = blocks.join("\n").replaceAll(/"(tsop[^"]*)"/g, (quoted, name: string) => {
      const entry = Object.entries(ENTRIES).find(([entryName]) => entryName === name)?.[1];
      return entry ? JSON.stringify(entry) : quoted;
    });
    mkdirSync(`${ROOT}.cache/docs`, { recursive: true });
    writeFileSync(file, code);
    page = (await import(pathToFileURL(file).href)) as Page;
  }, 60_000);
  afterAll(() => {
    rmSync(file, { force: true });
  });

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
