import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { systemClock } from "../../../src/clock.ts";
import { clusterJournals } from "../../../src/cli/journal/cluster-journal.ts";
import { readJournal } from "../../../src/cli/journal/journal-place.ts";
import { createClient } from "../../../src/runtime/client/create-client.ts";
import { fixedCredentials } from "../../../src/runtime/transport/credentials/credentials.ts";

let server: Server | undefined;

afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

const labels = { app: "web" };
const rendered = [
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "web-system" },
    spec: { selector: { matchLabels: labels } },
  },
];
const pod = {
  metadata: { name: "web-0", namespace: "web-system", labels },
  spec: { containers: [{ name: "manager", args: ["--debug-port=8089"] }] },
  status: { phase: "Running" },
};

async function urlOf(one: Server): Promise<string> {
  server = one;
  await new Promise<void>((resolve) => one.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
}

it("says why the journal of a pod does not answer", async () => {
  const message =
    'pods "web-0" is forbidden: User "jane" cannot create resource "pods/portforward" in the namespace "web-system"';
  const status = { kind: "Status", status: "Failure", reason: "Forbidden", message, code: 403 };
  const url = await urlOf(
    createServer((_request, response) => {
      response.writeHead(403, { "Content-Type": "application/json" }).end(JSON.stringify(status));
    }),
  );
  const credentials = fixedCredentials({});
  const { pods } = createClient({ server: url, namespace: "default", credentials });
  const client = { list: () => Promise.resolve([pod]), pods } as never;
  await expect(clusterJournals(client, rendered, systemClock)).rejects.toMatchObject({
    code: "journal-away",
    message: `The operator's journal in the pod web-system/web-0 did not answer: ${message}.`,
    fix: expect.stringContaining("pods/portforward") as string,
  });
});

it("says why an address does not answer, or stops in the middle", async () => {
  const nobody = readJournal({ url: "http://127.0.0.1:1" }, systemClock);
  await expect(nobody).rejects.toMatchObject({
    code: "journal-away",
    message: expect.stringMatching(/ECONNREFUSED|bad port/) as string,
  });
  const url = await urlOf(
    createServer((_request, response) => {
      response.writeHead(200, { "Content-Length": "100" }).write("{");
      response.socket?.destroySoon();
    }),
  );
  await expect(readJournal({ url }, systemClock)).rejects.toMatchObject({
    code: "journal-away",
    message: expect.stringMatching(/did not answer: other side closed|terminated|closed/) as string,
  });
});
