import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectionOf } from "../../test/conformance/replay.ts";
import { unknown } from "../programs/arguments.ts";
import { defineVerification } from "../programs/program.ts";
import { ServedControlPlane } from "../programs/served-control-plane.ts";
import { CLIENTS, CRDS, DEFINITION, type Login } from "./connections/clients.ts";

const NAMES = Object.keys(CLIENTS);

async function create({ url, ca, cert, key }: Login): Promise<void> {
  const { hostname: host, port } = url;
  const headers = { "content-type": "application/json" };
  const asked = { host, port, path: CRDS, method: "POST", headers, ca, cert, key };
  await new Promise<void>((resolve, reject) => {
    request(asked, (answer) => {
      answer.resume().on("end", resolve);
    })
      .on("error", reject)
      .end(DEFINITION);
  });
}

export const program = defineVerification({
  about:
    "Reads and patches a large CRD with several clients, a few requests per connection; every request must be answered with 200.",
  compares: "requests",
  needs: [],
  options: {
    count: { type: "number", default: 10_000, about: "pairs of a read and a patch" },
    clients: { type: "list", about: `some of ${NAMES.join(", ")}; missing ones are listed` },
    each: { type: "number", default: 5, about: "pairs on one connection" },
  },
  run: async ({ values: { count, clients, each }, tally }) => {
    const chosen = clients.length > 0 ? clients : NAMES;
    const wrong = chosen.find((name) => !NAMES.includes(name));
    if (wrong !== undefined) throw unknown(`client "${wrong}"`, wrong, NAMES);
    const server = await ServedControlPlane.start();
    const folder = await mkdtemp(join(tmpdir(), "tsop-connections-"));
    try {
      const { kubeconfig } = server;
      const { server: address, ...tls } = connectionOf(kubeconfig);
      const login: Login = { url: new URL(address), kubeconfig, ...tls, folder, each };
      await create(login);
      console.log(`Node ${process.versions.node}, a body of ${DEFINITION.length} bytes`);
      const share = Math.ceil(count / chosen.length);
      for (const name of chosen) {
        const client = await CLIENTS[name]?.(login);
        if (!client) {
          console.log(`${name}: not on this machine`);
          continue;
        }
        const failures = await client(share);
        const failed = [...failures.values()].reduce((sum, some) => sum + some, 0);
        const reasons = [...failures].map(([why, times]) => `${times} times ${why}`).join(", ");
        console.log(`${name}: ${share} pairs, ${reasons || "no request failed"}`);
        tally.add(2 * share, 2 * share - failed);
      }
    } finally {
      await server.stop();
      await rm(folder, { recursive: true });
    }
  },
});
