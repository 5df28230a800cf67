import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/clock.ts";
import { download } from "../../../src/cli/project/download.ts";

let server: Server | undefined;

afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

async function serve(listener: RequestListener): Promise<string> {
  const created = createServer(listener);
  server = created;
  await new Promise<void>((resolve) => created.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(created.address() as AddressInfo).port}`;
}

const load = (url: string, seconds = 30): Promise<string> => download(url, seconds, systemClock);

describe("A download", () => {
  it("follows redirects", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/crd") response.end("found");
      else response.writeHead(302, { location: "/crd" }).end();
    });
    expect(await load(`${url}/old`)).toBe("found");
  });

  it.each([
    ["for ever", "/loop", "redirected more than 5 times"],
    ["to a file", "file:///etc/passwd", "redirected to file:"],
    ["to nowhere", undefined, "redirected to no address"],
  ])("does not follow redirects %s", async (_, location, why) => {
    const url = await serve((_request, response) =>
      response.writeHead(301, location === undefined ? {} : { location }).end(),
    );
    await expect(load(url)).rejects.toMatchObject({
      code: "download-failed",
      message: expect.stringContaining(why),
    });
  });

  it("takes no answer without end", async () => {
    let written = 0;
    const url = await serve((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && written < 2 ** 28) {
          written += 2 ** 16;
          if (!response.write(Buffer.alloc(2 ** 16, "x"))) {
            response.once("drain", more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    await expect(load(url)).rejects.toThrow("the answer is larger than 64 MiB");
    expect(written).toBeLessThan(2 ** 28);
  });

  it.each([
    ["never comes", () => undefined],
    [
      "never ends",
      (_: unknown, response: { write(text: string): void }) => {
        response.write("a: b\n");
      },
    ],
  ])("takes no answer that %s", async (_, listener) => {
    const url = await serve(listener);
    await expect(load(url, 0.3)).rejects.toMatchObject({
      code: "download-failed",
      message: `${url} could not be read: it took longer than 0.3 s.`,
    });
  });

  it("says what the server answered, and never a password of the address", async () => {
    const url = await serve((_request, response) => response.writeHead(404).end("x"));
    await expect(load(url)).rejects.toThrow(`${url} could not be read: the server answered 404.`);
    const failing = load(url.replace("//", "//me:hidden@"));
    await expect(failing).rejects.toMatchObject({
      code: "download-failed",
      message: expect.not.stringContaining("hidden"),
    });
  });

  it("says neither the query of a signed address nor the login that a server redirects to", async () => {
    const url = await serve((request, response) => {
      if (request.url?.startsWith("/old") !== true) response.writeHead(404).end();
      else response.writeHead(302, { location: "https://me:hidden@example.com/crd" }).end();
    });
    await expect(load(`${url}/crd?signature=hidden`)).rejects.toMatchObject({
      message: `${url}/crd could not be read: the server answered 404.`,
    });
    await expect(load(`${url}/old`)).rejects.toMatchObject({
      message: `${url}/old could not be read: the server redirected to an address with a user name or password, which are not sent.`,
    });
  });
});
