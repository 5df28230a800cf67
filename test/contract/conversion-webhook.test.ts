/** An operator that converts the objects which its own cache waits for. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type Server, createServer } from "node:https";
import { type AddressInfo, createServer as createSocket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/clock.ts";
import { CertificateAuthority } from "../../src/controlplane/auth/certificates.ts";
import { createKeys } from "../../src/controlplane/auth/keys.ts";
import {
  controllerFor,
  createManager,
  CustomResource,
  Resource,
  type Runnable,
} from "../../src/index.ts";
import { CustomResourceDefinition } from "../../src/k8s.ts";
import { eventually, silentLogger } from "../../src/testing.ts";
import { connect, TARGETS } from "./targets.ts";

const TIMEOUT_MS = 60_000;
const GROUP = "conversion.k8s-summit.org";
const NAME = `lamps.${GROUP}`;

@Resource({ group: GROUP, version: "v1", plural: "lamps", kind: "Lamp" })
class OldLamp extends CustomResource<{ watts: number }> {}

@Resource({ group: GROUP, version: "v2", plural: "lamps" })
class Lamp extends CustomResource<{ power: string }> {}

const version = (name: string, properties: object): object => ({
  name,
  served: true,
  storage: name === "v1",
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties } },
    },
  },
});

const definition = (webhook?: object): Omit<CustomResourceDefinition, "apiVersion" | "kind"> => ({
  metadata: { name: NAME },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: { plural: "lamps", singular: "lamp", kind: "Lamp", listKind: "LampList" },
    versions: [
      version("v1", { watts: { type: "integer" } }),
      version("v2", { power: { type: "string" } }),
    ],
    ...(webhook ? { conversion: { strategy: "Webhook", webhook } } : {}),
  } as CustomResourceDefinition["spec"],
});

interface Review {
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly (OldLamp & Lamp)[];
  };
}

/** The answer to a review: watts of v1 are power in v2. */
async function converted(incoming: IncomingMessage): Promise<object> {
  const { request } = JSON.parse(await text(incoming)) as Review;
  const { uid, desiredAPIVersion } = request;
  const isNew = desiredAPIVersion.endsWith("/v2");
  const convertedObjects = request.objects.map(({ spec, ...object }) => ({
    ...object,
    apiVersion: desiredAPIVersion,
    spec: isNew ? { power: `${spec.watts} W` } : { watts: Number.parseInt(spec.power, 10) },
  }));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    response: { uid, convertedObjects, result: { status: "Success" } },
  };
}

async function freePort(): Promise<number> {
  const socket = createSocket().listen(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address() as AddressInfo;
  socket.close();
  await once(socket, "close");
  return port;
}

/** The webhook as a part of a manager: it serves while that runs. */
function conversionWebhook(port: number, tls: { cert: string; key: string }): Runnable {
  const server: Server = createServer(tls, (incoming, response) => {
    void converted(incoming).then((review) => response.end(JSON.stringify(review)));
  });
  return {
    needLeaderElection: false,
    async start(signal) {
      server.listen(port, "127.0.0.1");
      if (!signal.aborted) await once(signal, "abort");
      server.closeAllConnections();
      server.close();
    },
  };
}

describe.each(TARGETS)("an operator that converts, on %s", (_, kubeconfig) => {
  it(
    "T43: starts although its cache waits for its own conversion webhook",
    async () => {
      const target = await connect(kubeconfig);
      const { client, config } = target;
      const key = { namespace: target.namespaces[0], name: "desk" };
      const authority = new CertificateAuthority(systemClock, createKeys().authority);
      const { certificate, key: privateKey } = authority.server(["127.0.0.1"]);
      const port = await freePort();
      const stop = new AbortController();
      let running: Promise<void> | undefined;
      try {
        await client.create(CustomResourceDefinition, definition());
        await eventually(() => client.create(OldLamp, { metadata: key, spec: { watts: 9 } }));
        const { metadata } = await client.get(CustomResourceDefinition, { name: NAME });
        const { spec } = definition({
          conversionReviewVersions: ["v1"],
          clientConfig: {
            url: `https://127.0.0.1:${String(port)}/convert`,
            caBundle: Buffer.from(authority.certificate).toString("base64"),
          },
        });
        await client.update(CustomResourceDefinition, { metadata, spec });
        // Nobody can read them in the version that the cache asks for.
        await eventually(() =>
          expect(client.get(Lamp, key)).rejects.toThrow(/conversion webhook for .* failed/),
        );

        const seen: string[] = [];
        const manager = createManager({ config, log: silentLogger });
        manager.add(conversionWebhook(port, { cert: certificate, key: privateKey }));
        controllerFor(manager)
          .for(Lamp)
          .complete({
            async reconcile({ key: lamp }) {
              seen.push((await manager.client.get(Lamp, lamp)).spec.power);
            },
          });
        running = manager.start(stop.signal);
        await eventually(
          () => {
            expect(seen).toContain("9 W");
          },
          { timeoutMs: TIMEOUT_MS },
        );
      } finally {
        stop.abort();
        await running;
        await client.delete(CustomResourceDefinition, { name: NAME });
        await target.end();
      }
    },
    2 * TIMEOUT_MS,
  );
});
