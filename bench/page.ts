/**
 * The page of `tsop dev` in Chromium: the time to its first paint, and the times to draw, select,
 * scroll and change 5,000 objects.
 */
import type { Browser, Page } from "playwright-core";
import type { PageMessage } from "../src/cli/page/protocol.ts";
import { CHROMIUM, openBrowser, pageFiles, serve } from "../test/page/support/browser.ts";
import { crowd, shop } from "../test/page/support/session.ts";
import { median } from "./measure.ts";

const ROUNDS = 7;
const OBJECTS = 5000;

/** Prints a result with its goal. */
function tell(what: string, times: readonly number[], goalMs: number): void {
  const ms = median(times);
  const verdict = ms <= goalMs ? "met" : "MISSED";
  console.log(
    `page: ${what}`.padEnd(52) + `${ms.toFixed(0).padStart(4)} ms  goal ${goalMs} ms ${verdict}`,
  );
}

/**
 * Loads the page in a browser with an empty cache; the times count from the start of the
 * navigation.
 */
async function load(browser: Browser, url: string): Promise<{ paint: number; drawn: number }> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 850 } });
  const page = await context.newPage();
  await page.goto(url);
  const drawn = await page.evaluate<number>(`new Promise((resolve) => {
    const look = () => document.querySelector("[role=treeitem]")
      ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(look);
    look();
  })`);
  const paint = await page.evaluate<number>(
    `performance.getEntriesByName("first-contentful-paint")[0].startTime`,
  );
  await context.close();
  return { paint, drawn };
}

/**
 * The time until a frame shows the effect of an action; action and condition are code in the page.
 */
function until(page: Page, deed: string, condition: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const began = performance.now();
    ${deed};
    const look = () => (${condition}) ? resolve(performance.now() - began) : requestAnimationFrame(look);
    requestAnimationFrame(look);
  })`);
}

async function repeat<T>(work: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const result = await work(round);
    // The first round warms caches and is not counted.
    if (round > 0) results.push(result);
  }
  return results;
}

/** Runs the benchmark, where there is a Chromium. */
export async function benchPage(): Promise<void> {
  if (CHROMIUM === undefined) {
    console.log("page: skipped, there is no chromium on the PATH");
    return;
  }
  const files = await pageFiles();
  const browser = await openBrowser();
  const few = await serve(files, shop());
  const many = await serve(files, crowd(OBJECTS));
  try {
    const loads = await repeat(() => load(browser, few.server.url));
    tell(
      "first paint",
      loads.map(({ paint }) => paint),
      1000,
    );
    tell(
      "61 objects drawn",
      loads.map(({ drawn }) => drawn),
      1000,
    );
    const large = await repeat(() => load(browser, many.server.url));
    tell(
      "5,000 objects drawn",
      large.map(({ drawn }) => drawn),
      1500,
    );
    const page = await browser.newPage({ viewport: { width: 1360, height: 850 } });
    await page.goto(many.server.url);
    await page.getByRole("treeitem").first().waitFor();
    const selected = await repeat((round) => {
      const node = `document.querySelectorAll("[role=treeitem]")[${round}]`;
      return until(page, `${node}.click()`, `${node}.ariaSelected === "true"`);
    });
    tell("5,000 objects, one selected", selected, 100);
    const scrolled = await repeat((round) => {
      const place = (round + 1) * 5000;
      const isThere = `[...document.querySelectorAll("[role=treeitem]")].some((node) =>
        Math.abs(parseFloat(node.style.top) - ${place}) < 800)`;
      return until(page, `document.querySelector("[role=tree]").scrollTop = ${place}`, isThere);
    });
    tell("5,000 objects, scrolled elsewhere", scrolled, 50);
    const changed = await repeat(async (round) => {
      const word = round % 2 === 0 ? "Current" : "InProgress";
      await page.evaluate(`document.querySelector("[role=tree]").scrollTop = 0`);
      const condition = `document.querySelector("[role=treeitem] .mark").classList.contains("${word}")`;
      const messages = withStatus(crowd(OBJECTS), word);
      const began = performance.now();
      for (const message of messages) many.tell(message);
      await until(page, "", condition);
      return performance.now() - began;
    });
    tell("5,000 objects, all of them changed", changed, 500);
  } finally {
    await browser.close();
    await few.server.stop();
    await many.server.stop();
  }
}

function withStatus(
  messages: readonly PageMessage[],
  status: "InProgress" | "Current",
): PageMessage[] {
  return messages.flatMap((message) =>
    message.type === "objects"
      ? { ...message, changed: message.changed.map((object) => ({ ...object, status })) }
      : [],
  );
}
