import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startControlPlane } from "../../../src/testing.ts";
import { filesIn, projectAfter, runCli } from "../support/run-cli.ts";
import { WaitingClock } from "../support/waiting-clock.ts";

/** A line to an API server that can be cut, and mended. */
class Line implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(server: Server, port: number, target: number) {
    this.#server = server;
    this.port = port;
    server.on("connection", (near) => {
      if (this.#isCut) {
        near.destroy();
        return;
      }
      const far = connect(target, "127.0.0.1");
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined);
        socket.on("close", () => this.#sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
    });
  }

  static async to(url: string): Promise<Line> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Line(server, (server.address() as AddressInfo).port, Number(new URL(url).port));
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}

const KIND = ["--group", "web", "--version", "v1", "--kind", "Page"];

describe("a network that is cut in the middle", { timeout: 120_000 }, () => {
  it("leaves the project as it was, says how to go on, and the same command goes on", async () => {
    const clock = new WaitingClock();
    const cluster = await startControlPlane({ clock });
    try {
      await using line = await Line.to(cluster.url);
      const root = await projectAfter([
        ["create", "api", ...KIND],
        ["create", "webhook", ...KIND, "--validation"],
        ["manifests"],
      ]);
      writeFileSync(
        join(root, "kubeconfig"),
        cluster.kubeconfig.replaceAll(new URL(cluster.url).port, String(line.port)),
      );
      const before = filesIn(root);
      const flags = ["--kubeconfig", "kubeconfig"];
      const image = ["--image", "registry.example.com/shop:1"];
      const goesOn = / {2}fix .*(?:Then run the command again|can be run again)/;
      // Where each command is cut: after the first line of this sort, which --verbose prints; and how far it came.
      for (const [argv, after, told] of [
        [["install"], /POST .*reviews ok/, /note nothing was applied\./],
        [["install"], /PATCH .*pages.web.example.com ok/, /note done with 1 of 1 objects\. /],
        [["plan", ...image], /PATCH .* ok/, /error timeout/],
        [
          ["deploy", ...image, "--no-wait"],
          /created .*clusterroles/,
          /done with \d+ of \d+ objects; it is not known whether \w+ [\w/-]+ was applied; not applied: .* and \d+ more/,
        ],
        [["import", "cluster"], undefined, /error/],
        [
          ["undeploy"],
          /deleted .*clusterroles/,
          /note done with \d+ of \d+ objects; .*not deleted: .* and \d+ more\. /,
        ],
        [["uninstall"], /GET .* ok/, /note nothing was deleted\./],
      ] as const) {
        if (!after) line.cut();
        let isRunning = true;
        const onLine = (text: string): void => {
          // Of requests that are under way together, some are still tried when the command has failed.
          if (isRunning && after?.test(text)) line.cut();
        };
        const cut = await runCli(root, [...argv, ...flags, "--timeout", "1", "--verbose"], {
          onLine,
          clock,
        });
        isRunning = false;
        expect([argv, cut.code, cut.err]).toEqual([argv, 1, expect.any(String)]);
        expect([argv, cut.err]).toEqual([argv, expect.stringMatching(told)]);
        expect([argv, cut.err]).toEqual([argv, expect.stringMatching(goesOn)]);
        expect(filesIn(root)).toEqual(before);
        line.mend();
        const again = await runCli(root, [...argv, ...flags], { clock });
        // `plan` says that something would change; `import` finds the project's own classes, and overwrites none.
        const code = { plan: 3, import: 1 }[argv[0] as string] ?? 0;
        expect([argv, again.code, again.err]).toEqual([argv, code, expect.any(String)]);
      }
    } finally {
      await cluster.stop();
    }
  });
});
