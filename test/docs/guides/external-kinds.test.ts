import { afterAll, expect, it } from "vitest";
import { createManager } from "../../../src/index.ts";
import {
  clientFor,
  installCrds,
  installOperator,
  silentLogger,
  startControlPlane,
  VirtualClock,
} from "../../../src/testing.ts";
import { Certificate, Domain, setUpDomain } from "./external-kinds.ts";
import { manifestsOf } from "./support.ts";

const cluster = await startControlPlane({ clock: new VirtualClock(), listen: false });
const client = clientFor(cluster);
// In a project: `await installCrds(cluster, "test/fixtures/cert-manager.crds.yaml")`.
const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
await installCrds(cluster, {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "certificates.cert-manager.io" },
  spec: {
    group: "cert-manager.io",
    scope: "Namespaced",
    names: { kind: "Certificate", plural: "certificates", singular: "certificate" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: { status: {} },
      },
    ],
  },
});
const config = await installOperator(cluster, await manifestsOf(import.meta.url));
const manager = createManager({ config, log: silentLogger });
setUpDomain(manager);
const stop = new AbortController();
const running = manager.start(stop.signal);

afterAll(async () => {
  stop.abort();
  await running;
  await cluster.stop();
});

it("waits for the certificate of cert-manager", async () => {
  const shop = { namespace: "default", name: "shop" };
  await client.create(Domain, { metadata: shop, spec: { host: "shop.example.com" } });
  await manager.idle();
  expect((await client.get(Domain, shop)).status?.secured).toBe(false);

  // What cert-manager would do: there is none in this control plane.
  const certificate = await client.get(Certificate, shop);
  expect(certificate.spec.dnsNames).toEqual(["shop.example.com"]);
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const issued = { type: "Ready", status: "True", reason: "Issued", message: "" } as const;
  await client.status.patch(certificate, { conditions: [{ ...issued, lastTransitionTime }] });
  await manager.idle();
  expect((await client.get(Domain, shop)).status?.secured).toBe(true);
});
