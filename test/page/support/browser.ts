/** A Chromium for the tests of the page, where the machine has one. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Browser } from "playwright-core";
import { systemClock } from "../../../src/clock.ts";
import { PageServer } from "../../../src/cli/page/page-server.ts";
import type { PageMessage } from "../../../src/cli/page/protocol.ts";
import { bundlePage } from "../../../scripts/build/page.mjs";

const FOLDER = "node_modules/.cache/tsop-page";
const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** Where the browser is; `undefined` where there is none: then its tests show as skipped. */
export const CHROMIUM = (process.env["PATH"] ?? "")
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

/** Starts it. @throws Error where there is none */
export function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) {
    throw new Error("there is no chromium on the PATH: `apt-get install chromium` brings one");
  }
  // In a container there is no sandbox for the sandbox.
  const args = ["--no-sandbox", "--font-render-hinting=none"];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** The files of the page, made anew. */
export async function pageFiles(): Promise<URL> {
  await bundlePage(process.cwd(), FOLDER);
  return pathToFileURL(join(process.cwd(), FOLDER, "/"));
}

/** A server that tells these messages, and more when it is told to. */
export interface ToldServer {
  readonly server: PageServer;
  tell(message: PageMessage): void;
}

/** Serves a page that is told these messages. */
export async function serve(files: URL, messages: readonly PageMessage[]): Promise<ToldServer> {
  const listeners = new Set<(message: PageMessage) => void>();
  const server = new PageServer({
    files,
    clock: systemClock,
    model: {
      look(listener, signal) {
        for (const message of messages) listener(message);
        listeners.add(listener);
        signal.addEventListener("abort", () => listeners.delete(listener));
      },
    },
  });
  await server.start();
  return {
    server,
    tell: (message) => {
      for (const listener of listeners) listener(message);
    },
  };
}
