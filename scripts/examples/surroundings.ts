/** What an example needs around it where no containers run and no hosts answer. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AcmeServer } from "../../examples/mini-cert/test/support/acme-server.ts";
import { Edge } from "../../examples/mini-cert/test/support/edge.ts";
import { systemClock } from "../../src/clock.ts";
import { createClient, loadClusterConfig } from "../../src/index.ts";

const DAYS_90_MS = 90 * 24 * 3_600_000;
/** It is loaded into the operator: requests of the example's hosts go to the loopback interface. */
const HOSTS = `import { request } from "node:http";
const { fetch } = globalThis;
globalThis.fetch = (url, init) => {
  const { host, hostname, pathname } = new URL(url);
  if (!hostname.endsWith(".example.com")) return fetch(url, init);
  return new Promise((resolve, reject) => {
    request({ port: EDGE_PORT, host: "127.0.0.1", path: pathname, headers: { host } })
      .once("error", reject)
      .once("response", async (response) => {
        const body = (await response.toArray()).join("");
        resolve(new Response(body, { status: response.statusCode }));
      })
      .end();
  });
};
`;

/** The surroundings of an example. */
export interface Surroundings {
  readonly hasWebhooks: boolean;
  /** Of the operator's process. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const NOTHING: Surroundings = {
  hasWebhooks: false,
  environment: {},
  stop: () => Promise.resolve(),
};

/** Prepares the copy of an example, and starts what it needs. */
export async function surroundingsOf(
  name: string,
  folder: string,
  kubeconfigText: string,
): Promise<Surroundings> {
  if (name === "gateway") return { ...NOTHING, hasWebhooks: true };
  if (name === "postgres") {
    const flags = "          args:\n";
    editManager(folder, (text) =>
      text.replace(flags, `${flags}            - --simulate-instances\n`),
    );
  }
  if (name !== "mini-cert") return NOTHING;
  const client = createClient(loadClusterConfig({ kubeconfigText }), { name: "edge" });
  const edge = await Edge.start(client);
  const acme = await AcmeServer.start({
    clock: systemClock,
    fetch: edge.fetch,
    lifetimeMs: () => DAYS_90_MS,
  });
  editManager(folder, (text) =>
    text.replace(/--acme-directory=.*/, `--acme-directory=${acme.directoryUrl}`),
  );
  const hosts = join(folder, "hosts.mjs");
  writeFileSync(hosts, HOSTS.replace("EDGE_PORT", String(edge.port)));
  return {
    ...NOTHING,
    environment: { NODE_OPTIONS: `--import=${hosts}` },
    stop: async () => {
      await acme.stop();
      await edge.stop();
    },
  };
}

function editManager(folder: string, edit: (text: string) => string): void {
  const path = join(folder, "config/manager/manager.yaml");
  writeFileSync(path, edit(readFileSync(path, "utf8")));
}
