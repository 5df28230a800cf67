/** An operator that converts the objects which its own cache waits for. */
import { describe, expect, it } from "vitest";
import {
  ConversionWebhook,
  type Converter,
  controllerFor,
  createManager,
  CustomResource,
  Resource,
  type Sent,
  keyOf,
  mergePatch,
} from "../../src/index.ts";
import { CustomResourceDefinition } from "../../src/k8s.ts";
import { silentLogger } from "../../src/testing.ts";
import { eventually } from "../support/eventually.ts";
import { connect, TARGETS } from "./targets.ts";
import { freePort, webhookCertificate } from "./webhook-certificate.ts";
import type { NewObject } from "../../src/kube/input.ts";

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

const definition = (webhook?: object): NewObject<CustomResourceDefinition> => ({
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

@ConversionWebhook(OldLamp, Lamp)
class LampConversion implements Converter<OldLamp, Lamp> {
  toHub({ spec }: Sent<Lamp>) {
    return { spec: { watts: Number.parseInt(spec.power, 10) } };
  }

  fromHub({ spec }: Sent<OldLamp>) {
    return { spec: { power: `${spec.watts} W` } };
  }
}

describe.each(TARGETS)("an operator that converts, on %s", (_, kubeconfig) => {
  it(
    "T43: starts although its cache waits for its own conversion webhook",
    async () => {
      const target = await connect(kubeconfig);
      const { client, config } = target;
      const key = { namespace: target.namespaces[0], name: "desk" };
      const certificate = webhookCertificate();
      const port = await freePort();
      const stop = new AbortController();
      let running: Promise<void> | undefined;
      try {
        await client.create(CustomResourceDefinition, definition());
        await eventually(() => client.create(OldLamp, { metadata: key, spec: { watts: 9 } }));
        const crd = await client.get(CustomResourceDefinition, { name: NAME });
        const { spec } = definition({
          conversionReviewVersions: ["v1"],
          clientConfig: {
            url: `https://127.0.0.1:${String(port)}/convert`,
            caBundle: certificate.caBundle,
          },
        });
        await client.patch(CustomResourceDefinition, keyOf(crd), mergePatch({ spec }));
        // Nobody can read them in the version that the cache asks for.
        await eventually(() =>
          expect(client.get(Lamp, key)).rejects.toThrow(/conversion webhook for .* failed/),
        );

        const seen: string[] = [];
        const manager = createManager({
          config,
          log: silentLogger,
          webhooks: { port, host: "127.0.0.1", certificate: certificate.files },
        });
        manager.webhooks.add(new LampConversion());
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
        certificate.remove();
        await client.delete(CustomResourceDefinition, { name: NAME });
        await target.end();
      }
    },
    2 * TIMEOUT_MS,
  );
});
