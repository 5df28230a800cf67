/** The page in a browser: what it shows, how it is used, and that what objects say stays text. */
import { mkdirSync } from "node:fs";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, openBrowser, pageFiles, serve, type ToldServer } from "./support/browser.ts";
import { beginning, crowd, HOSTILE, shop } from "./support/session.ts";

/** Looked at by people when the page is changed. */
const PICTURES = "node_modules/.cache/tsop-page/pictures";
const WIDE: BrowserContextOptions = { viewport: { width: 1360, height: 850 } };
const DARK: BrowserContextOptions = { ...WIDE, colorScheme: "dark" };
const NARROW: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true };

/** However slow the browser is. */
const poll = <T>(get: () => T): ReturnType<typeof expect.poll<T>> =>
  expect.poll(get, { timeout: 50_000 });

describe.skipIf(CHROMIUM === undefined)("the page in a browser", () => {
  let browser: Browser;
  let told: ToldServer;
  let files: URL;

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    files = await pageFiles();
    told = await serve(files, shop());
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await told.server.stop();
  });

  /** Opens the page; what it complains of and what it loads is in `page.faults`. */
  async function open(
    options: BrowserContextOptions = WIDE,
    { server } = told,
  ): Promise<Page & { faults: string[] }> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => faults.push(message.text()));
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url.replace(/#.*/, ""))) faults.push(request.url());
    });
    await page.goto(server.url);
    await page.getByRole("status").filter({ hasText: "The operator is running" }).waitFor();
    return Object.assign(page, { faults });
  }

  const view = (page: Page, name: string): Promise<void> =>
    page.getByRole("navigation").getByRole("button", { name }).click();

  /** What axe finds wrong. */
  async function violations(page: Page): Promise<unknown[]> {
    // Scripts of strangers are not let in by the page's policy; the tool comes by another way.
    const client = await page.context().newCDPSession(page);
    await client.send("Page.enable");
    const { default: axe } = (await import("axe-core")) as { default: { source: string } };
    await client.send("Runtime.evaluate", { expression: axe.source });
    const run = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
      JSON.stringify(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])))`;
    const { result } = await client.send("Runtime.evaluate", {
      expression: run,
      awaitPromise: true,
      returnByValue: true,
    });
    return JSON.parse(String(result.value)) as unknown[];
  }

  it("draws what owns what, with the state of each, and takes its token out of the address", async () => {
    const page = await open();
    const items = page.getByRole("treeitem");
    await poll(() => items.count()).toBe(22);
    await page.getByRole("treeitem", { name: "catalog Deployment · shop In progress" }).waitFor();
    await page.getByRole("treeitem", { name: "40 Pods 40 current" }).waitFor();
    expect(await page.title()).toBe("shop - tsop");
    expect(new URL(page.url()).hash).toBe("");
    await page.screenshot({ path: `${PICTURES}/graph.png` });
    await page.reload();
    await poll(() => items.count()).toBe(22);
    expect(page.faults).toEqual([]);
  });

  it("marks objects whose last reconcile failed, in graph and list", async () => {
    const page = await open();
    const marked = page.getByRole("treeitem", { name: "Last reconcile failed" });
    await poll(() => marked.count()).toBe(1);
    expect(await marked.textContent()).toContain("MyWeb");
    await page.getByLabel("List", { exact: true }).check();
    const row = page.getByRole("row").filter({ has: page.getByLabel("Last reconcile failed") });
    await poll(() => row.count()).toBe(1);
    expect(page.faults).toEqual([]);
  });

  it("leaves out the middle of long names, so that siblings can be told apart", async () => {
    const uid = (name: string): string => `uid-${name}`;
    const prefix = "rediscache-sample-with-a-very-long-name-that-has-no-room";
    const names = [`${prefix}-config-map`, `${prefix}-headless`];
    const changed = names.map((name) => ({
      ...{ uid: uid(name), kind: "Service", resource: "services", namespace: "shop", name },
      ...{ status: "Current" as const, message: "", createdMs: 0 },
    }));
    const messages = shop().map((message) =>
      message.type === "objects" ? { ...message, changed } : message,
    );
    const live = await serve(files, messages);
    const page = await open(WIDE, live);
    for (const name of names) await page.getByRole("treeitem", { name }).waitFor();
    const tails = await page.locator(".name.cut > :last-child").allTextContents();
    expect(tails).toEqual(expect.arrayContaining(["onfig-map", "-headless"]));
    const boxes = await page.locator(".name.cut > :last-child").evaluateAll((all) =>
      all.map((one) => {
        const node = one.closest(".node")!.getBoundingClientRect();
        return one.getBoundingClientRect().right <= node.right;
      }),
    );
    expect(boxes).not.toContain(false);
    await page.screenshot({ path: `${PICTURES}/long-names.png` });
    await live.server.stop();
  });

  it("filters by the object that is selected, and tells a reconcile with its differences", async () => {
    const page = await open(DARK);
    await page.getByRole("treeitem", { name: "catalog Deployment" }).click();
    const rows = page.locator(".timeline > li");
    await poll(() => rows.count()).toBe(3);
    await rows.nth(0).locator("summary").click();
    await rows.nth(0).getByRole("button", { name: "162957-40" }).click();
    const origin = page.locator("#reconcile-162957-40");
    await poll(() => origin.locator("del").first().textContent()).toBe('"shop/web:1.4"');
    expect(await origin.locator("ins").first().textContent()).toBe('"shop/web:1.5-rc1"');
    await page.screenshot({ path: `${PICTURES}/dark.png` });
    await page.getByRole("button", { name: "Show all" }).click();
    await poll(() => rows.count()).toBe(4);
    await page.getByLabel("Also those that changed nothing").check();
    await poll(() => rows.count()).toBe(28);
    expect(page.faults).toEqual([]);
  });

  it("shows what objects, events and errors say as text", async () => {
    const page = await open();
    await poll(() => page.getByRole("treeitem", { name: HOSTILE }).count()).toBe(1);
    await view(page, "Events");
    expect(await page.locator(".events").textContent()).toContain(HOSTILE);
    await view(page, "Errors");
    expect(await page.locator(".errors").textContent()).toContain(HOSTILE);
    expect(await page.locator(".errors .place").textContent()).toBe(
      "at src/controllers/myweb-controller.ts:41:9",
    );
    expect(await page.locator("#page img, #page script").count()).toBe(0);
    expect(await page.evaluate("window.harmed")).toBeUndefined();
    expect(page.faults).toEqual([]);
  });

  it("can be walked by keys alone", async () => {
    const page = await open();
    await page.getByRole("tree").focus();
    const active = (): Promise<string | null> =>
      page.evaluate(`(() => {
        const id = document.activeElement.getAttribute("aria-activedescendant");
        return document.getElementById(id).querySelector(".names").innerText.replace("\\n", " ");
      })()`);
    expect(await active()).toBe("catalog MyWeb · shop");
    for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    await poll(active).toBe("catalog Deployment · shop");
    await page.keyboard.press("Enter");
    await page.getByLabel("Selected object").waitFor();
    const count = await page.getByRole("treeitem").count();
    await page.keyboard.press("ArrowLeft");
    await poll(() => page.getByRole("treeitem").count()).toBe(count - 4);
    await page.keyboard.press("ArrowLeft");
    await poll(active).toBe("catalog MyWeb · shop");
    await page.keyboard.press("End");
    await poll(active).toBe("search Service · shop");
  });

  it.each([
    ["light", WIDE],
    ["dark", DARK],
    ["narrow", NARROW],
  ])("has nothing that axe finds wrong: %s", async (name, options) => {
    const page = await open(options);
    const found: unknown[] = [await violations(page)];
    for (const one of ["Reconciles", "Events", "Queues", "Rights", "Errors"]) {
      await view(page, one);
      if (one === "Reconciles") await page.locator(".timeline summary").nth(1).click();
      found.push(await violations(page));
      if (name === "narrow") {
        await page.screenshot({ path: `${PICTURES}/narrow-${one.toLowerCase()}.png` });
      }
    }
    expect(found.flat()).toEqual([]);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect(width).toBe(options.viewport?.width);
  });

  it("draws no more of 5,000 objects than fits, as a graph and as a list", async () => {
    const many = await serve(files, crowd(5000));
    const page = await open(WIDE, many);
    await page.getByText("5,000 objects").waitFor();
    expect(await page.getByRole("treeitem").count()).toBeLessThan(80);
    await page.getByRole("tree").focus();
    await page.keyboard.press("End");
    await page.getByRole("treeitem", { name: "page-0499 Service" }).waitFor();
    expect(await page.getByRole("treeitem").count()).toBeLessThan(80);
    await page
      .getByLabel("Kind, namespace or name")
      .or(page.getByRole("searchbox"))
      .fill("0250 deployment");
    await poll(() => page.getByRole("treeitem").count()).toBe(2);
    await page.getByRole("searchbox").fill("");
    await page.getByLabel("List", { exact: true }).check();
    const rows = page.locator(".list tbody tr:not(.gap)");
    expect(await rows.count()).toBeLessThan(60);
    await page.locator(".list").evaluate((list) => {
      list.scrollTop = list.scrollHeight;
    });
    await page.getByRole("button", { name: "page-0499 Service" }).waitFor();
    await many.server.stop();
  });

  it("follows what changes, and says so when tsop is gone", async () => {
    const live = await serve(files, beginning());
    const page = await open(WIDE, live);
    const empty = page.locator(".objects .empty");
    expect(await empty.textContent()).toBe("Loading the objects.");
    live.tell({ type: "objects", isLoaded: true, changed: [], gone: [] });
    await poll(() => empty.textContent()).toContain("Press a in the terminal");
    for (const message of shop()) if (message.type === "objects") live.tell(message);
    await page.getByRole("treeitem", { name: "search MyWeb" }).waitFor();
    await live.server.stop();
    await page.getByRole("status").filter({ hasText: "tsop does not answer" }).waitFor();
  });

  it("says where the address is to be found when its token is of another session", async () => {
    const context = await browser.newContext(WIDE);
    const page = await context.newPage();
    await page.goto(`${told.server.url.slice(0, -8)}12345678`);
    await page.getByRole("status").filter({ hasText: "belongs to another session" }).waitFor();
    expect(await page.getByRole("treeitem").count()).toBe(0);
  });
});
