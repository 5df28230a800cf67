/** A self-managed certificate is replaced while a real API server asks: no write fails. */
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/clock.ts";
import {
  mergePatch,
  type Unstored,
  ValidatingWebhook,
  type ValidationReview,
  type Validator,
} from "../../src/index.ts";
import { ConfigMap, Secret, Service, ValidatingWebhookConfiguration } from "../../src/k8s.ts";
import { certificatesIn } from "../../src/runtime/serving/pem.ts";
import { SelfManaged } from "../../src/runtime/webhook/certificates/self-managed.ts";
import { WebhookHandlers } from "../../src/runtime/webhook/handlers.ts";
import { admissionPath } from "../../src/runtime/webhook/served-paths.ts";
import { WebhookMetrics } from "../../src/runtime/webhook/requests/webhook-metrics.ts";
import { WebhookServer } from "../../src/runtime/webhook/webhook-server.ts";
import { silentLogger } from "../../src/testing.ts";
import { eventually } from "../support/eventually.ts";
import { boundsOf } from "../runtime/webhook/support.ts";
import { connect, TARGETS } from "./targets.ts";

const ROTATE = "certificates.tsop.dev/rotate";
const WRITERS = 8;
const WAIT = { timeoutMs: 60_000 };
// The embedded control plane is told of addresses, and knows no Services of the type ExternalName.
const REAL = TARGETS.filter(([, kubeconfig]) => kubeconfig !== undefined);

@ValidatingWebhook(ConfigMap, { path: "/validate" })
class Checks implements Validator<ConfigMap> {
  validateCreate({ data }: Unstored<ConfigMap>, review: ValidationReview<ConfigMap>): void {
    if (data?.["refuse"]) review.deny("not today");
  }
}

describe.skipIf(REAL.length === 0).each(REAL.length === 0 ? TARGETS : REAL)(
  "a self-managed certificate, on %s",
  (_, kubeconfig) => {
    it("is told to the API server, and replaced with its authority under load without a write that fails", async () => {
      const target = await connect(kubeconfig);
      const { client, run } = target;
      const [namespace] = target.namespaces;
      const namePrefix = `${run}-`;
      const stop = new AbortController();
      const { signal } = stop;
      const handlers = new WebhookHandlers();
      handlers.add(new Checks());
      const routes = [...handlers.routes.values()];
      const marks = { webhooks: routes.map(({ mark }) => mark), conversions: [] };
      const [configuration = ""] = marks.webhooks.map((mark) => namePrefix + mark.configuration);
      const metrics = new WebhookMetrics(new Registry(), systemClock);
      const bounds = boundsOf(systemClock);
      const { largestBytes } = bounds.memory;
      const told = { clock: systemClock, log: silentLogger, metrics, largestBytes };
      const paths = new Map(routes.map((route) => [route.path, admissionPath(route, told)]));
      const provider = new SelfManaged({
        client,
        clock: systemClock,
        log: silentLogger,
        namespace,
        namePrefix,
        marks,
        times: { lookMs: 500, settleMs: 3000 },
      });
      let server: WebhookServer | undefined;
      try {
        const first = await provider.start((renewed) => server?.renew(renewed), signal);
        server = new WebhookServer(systemClock, paths, first, bounds);
        const port = await server.listen({ port: 0 });
        const service = { namespace, name: `${namePrefix}webhook-service` };
        const spec = { type: "ExternalName" as const, externalName: "localhost" };
        await client.create(Service, { metadata: service, spec });
        await client.create(ValidatingWebhookConfiguration, {
          metadata: { name: configuration },
          webhooks: [
            {
              name: "checks.example.com",
              clientConfig: { service: { ...service, path: "/validate", port } },
              rules: [
                {
                  apiGroups: [""],
                  apiVersions: ["v1"],
                  resources: ["configmaps"],
                  operations: ["CREATE"],
                },
              ],
              admissionReviewVersions: ["v1"],
              sideEffects: "None",
              failurePolicy: "Fail",
              namespaceSelector: { matchLabels: { "tsop-e2e": run } },
            },
          ],
        });
        const create = (name: string, data: Record<string, string> = {}) =>
          client.create(ConfigMap, { metadata: { namespace, name }, data });
        const bundle = async (): Promise<string> => {
          const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, {
            name: configuration,
          });
          return Buffer.from(webhooks[0]?.clientConfig.caBundle ?? "", "base64").toString();
        };
        await eventually(async () => {
          await expect(create("refused", { refuse: "yes" })).rejects.toThrow("not today");
          provider.checkReady();
        }, WAIT);

        const failures: string[] = [];
        let written = 0;
        const writing = Array.from({ length: WRITERS }, async (_, writer) => {
          for (let count = 0; !signal.aborted; count++) {
            await create(`map-${writer}-${count}`).then(
              () => written++,
              (error: unknown) => failures.push(String(error)),
            );
          }
        });
        const key = { namespace, name: `${namePrefix}webhook-server-cert` };
        const authorities = new Set<string>();
        const before = await client.get(Secret, key);
        for (const rotation of ["serving", "authority", "serving", "authority"]) {
          const { data: old = {} } = await client.get(Secret, key);
          await client.patch(
            Secret,
            key,
            mergePatch({ metadata: { annotations: { [ROTATE]: rotation } } }),
          );
          await eventually(async () => {
            const { metadata, data = {} } = await client.get(Secret, key);
            for (const one of certificatesIn(await bundle())) authorities.add(one.serialNumber);
            expect(metadata.annotations).not.toHaveProperty(ROTATE);
            expect(data["next-ca.crt"]).toBeUndefined();
            expect(data["tls.crt"]).not.toBe(old["tls.crt"]);
            if (rotation === "authority") expect(data["ca.key"]).not.toBe(old["ca.key"]);
          }, WAIT);
          await systemClock.sleep(2000);
        }
        const writtenBefore = written;
        await eventually(() => expect(written).toBeGreaterThan(writtenBefore + WRITERS), WAIT);
        stop.abort();
        await Promise.all(writing);
        expect(failures).toEqual([]);
        expect(authorities.size).toBe(3);
        expect((await client.get(Secret, key)).metadata.uid).toBe(before.metadata.uid);
      } finally {
        stop.abort();
        server?.close();
        await client.delete(ValidatingWebhookConfiguration, { name: configuration }).catch(() => 0);
        await target.end();
      }
    }, 300_000);
  },
);
