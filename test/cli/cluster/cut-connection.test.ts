import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startControlPlane } from "../../../src/testing.ts";
import { filesIn, newProject, runCli } from "../support/run-cli.ts";

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
    const cluster = await startControlPlane();
    try {
      await using line = await Line.to(cluster.url);
      const root = await newProject();
      await runCli(root, ["create", "api", ...KIND]);
      await runCli(root, ["manifests"]);
      writeFileSync(
        join(root, "kubeconfig"),
        cluster.kubeconfig.replaceAll(new URL(cluster.url).port, String(line.port)),
      );
      const before = filesIn(root);
      const flags = ["--kubeconfig", "kubeconfig"];
      const image = ["--image", "registry.example.com/shop:1"];
      // Where each command is cut: after the first line of this sort.
      for (const [argv, after] of [
        [["deploy", ...image, "--no-wait"], /created/],
        [["import", "cluster"], undefined],
        [["undeploy"], /deleted/],
      ] as const) {
        if (!after) line.cut();
        const onLine = (text: string): void => {
          if (after?.test(text)) line.cut();
        };
        const cut = await runCli(root, [...argv, ...flags, "--timeout", "2"], { onLine });
        expect([argv, cut.code]).toEqual([argv, 1]);
        expect([argv, cut.err]).toEqual([
          argv,
          expect.stringMatching(/error timeout: [^]*\n {2}fix .*Then run the command again/),
        ]);
        expect(filesIn(root)).toEqual(before);
        line.mend();
        const again = await runCli(root, [...argv, ...flags]);
        // `import` finds the project's own classes, and overwrites none.
        expect([argv, again.code]).toEqual([argv, argv[0] === "import" ? 1 : 0]);
      }
    } finally {
      await cluster.stop();
    }
  });
});
