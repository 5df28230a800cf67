import { mkdirSync } from "node:fs";
import { openBrowser, pageFiles, serve } from "../../test/page/support/browser.ts";
import { shop } from "../../test/page/support/session.ts";
import { defineMaker } from "../programs/program.ts";

const PICTURE = "docs/images/page.png";

export const program = defineMaker({
  about: "Takes the picture of the page of `tsop dev` for the docs.",
  needs: ["Chromium"],
  options: {},
  run: async () => {
    const browser = await openBrowser();
    const { server } = await serve(await pageFiles(), shop("search-tls"));
    try {
      const page = await browser.newPage({ viewport: { width: 1360, height: 680 } });
      await page.goto(server.url);
      await page.getByRole("treeitem", { name: "catalog Deployment" }).click();
      await page.locator(".timeline summary").nth(1).click();
      await page.getByText("spec.image").waitFor();
      // A hovered element would look different in the picture.
      await page.mouse.move(0, 0);
      mkdirSync("docs/images", { recursive: true });
      await page.screenshot({ path: PICTURE });
    } finally {
      await browser.close();
      await server.stop();
    }
    return [PICTURE];
  },
});
