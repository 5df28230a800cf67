import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../src/controlplane/control-plane.ts";
import { connectionOf } from "../conformance/replay.ts";

const open: ControlPlane[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.stop()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function started(
  options: Parameters<typeof startControlPlane>[0] = {},
): Promise<ControlPlane> {
  const controlPlane = await startControlPlane({ controllers: "off", ...options });
  open.push(controlPlane);
  return controlPlane;
}

interface Reply {
  readonly status: number;
  readonly body: { metadata?: { uid?: string; resourceVersion?: string }; message?: string };
}

async function ask(
  { kubeconfig }: Pick<ControlPlane, "kubeconfig">,
  method: string,
  path: string,
  body?: object,
): Promise<Reply> {
  const { server, ca, cert, key } = connectionOf(kubeconfig);
  return new Promise((resolve, reject) => {
    const sent = request(
      `${server}${path}`,
      { method, ca, cert, key, headers: { "content-type": "application/json" } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Reply["body"] });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body));
  });
}

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string): object => ({ metadata: { name }, data: { by: name } });

describe("A control plane with a data directory", () => {
  it("has everything again after a restart: objects, versions, and access for old kubeconfigs", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "tsop-data-"));
    folders.push(dataDir);
    const first = await started({ dataDir });
    const created = await ask(first, "POST", CONFIG_MAPS, configMap("kept"));
    expect(created.status).toBe(201);
    const { port } = new URL(first.url);
    const { kubeconfig } = first;
    await first.stop();
    const second = await started({ dataDir, port: Number(port) });
    const found = await ask({ kubeconfig }, "GET", `${CONFIG_MAPS}/kept`);
    expect(found.body.metadata).toEqual(created.body.metadata);
    // What happened before the restart is forgotten, and whoever asks for it is told so.
    const old = await ask(second, "GET", `${CONFIG_MAPS}?resourceVersion=2&limit=1`);
    expect(old.status).toBe(410);
  });
});

describe("A fork", () => {
  it("begins with the same objects, and then goes its own way", async () => {
    const original = await started();
    const before = await ask(original, "POST", CONFIG_MAPS, configMap("shared"));
    const fork = await original.fork();
    open.push(fork);
    const copy = await ask(fork, "GET", `${CONFIG_MAPS}/shared`);
    expect(copy.body.metadata).toEqual(before.body.metadata);
    expect((await ask(fork, "DELETE", `${CONFIG_MAPS}/shared`)).status).toBe(200);
    expect((await ask(original, "GET", `${CONFIG_MAPS}/shared`)).status).toBe(200);
    expect((await ask(original, "POST", CONFIG_MAPS, configMap("other"))).status).toBe(201);
    expect((await ask(fork, "GET", `${CONFIG_MAPS}/other`)).status).toBe(404);
  });

  it("serves the custom kinds of the original", async () => {
    const original = await started();
    const definition = {
      metadata: { name: "ships.starfleet.example" },
      spec: {
        group: "starfleet.example",
        scope: "Namespaced",
        names: { plural: "ships", kind: "Ship" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object" } },
          },
        ],
      },
    };
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    expect((await ask(original, "POST", path, definition)).status).toBe(201);
    await original.settle();
    const fork = await original.fork();
    open.push(fork);
    const ships = "/apis/starfleet.example/v1/namespaces/default/ships";
    const ship = {
      apiVersion: "starfleet.example/v1",
      kind: "Ship",
      metadata: { name: "enterprise" },
    };
    expect((await ask(fork, "POST", ships, ship)).status).toBe(201);
  });
});
