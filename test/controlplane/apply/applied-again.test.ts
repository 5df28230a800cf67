import { expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { MutatingWebhookConfiguration, NetworkPolicy, Secret } from "../../../src/k8s.ts";
import type { Client } from "../../../src/runtime/client/client.ts";
import { clientFor, startControlPlane } from "../../../src/testing.ts";

const key = { namespace: "default", name: "again" };

/**
 * Objects whose defaults are in lists that are applied as a whole: what is applied is never what is stored. A
 * kube-apiserver 1.36.3 keeps the resourceVersion of each.
 */
const APPLIES: readonly (readonly [string, (client: Client) => Promise<{ metadata: object }>])[] = [
  [
    "the rules of a webhook",
    (client) =>
      client.apply(MutatingWebhookConfiguration, {
        metadata: { name: key.name },
        webhooks: [
          {
            name: "again.example.com",
            admissionReviewVersions: ["v1"],
            clientConfig: { url: "https://again.example.com" },
            sideEffects: "None",
            rules: [
              { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] },
            ],
          },
        ],
      }),
  ],
  [
    "the ports of a network policy",
    (client) =>
      client.apply(NetworkPolicy, {
        metadata: key,
        spec: { podSelector: {}, ingress: [{ ports: [{ port: 443 }] }] },
      }),
  ],
  [
    "the texts of a secret",
    (client) => client.apply(Secret, { metadata: key, stringData: { word: "again" } }),
  ],
];

it.each(APPLIES)("what is applied again changes nothing: %s", async (_what, apply) => {
  const clock = new VirtualClock({ startMs: Date.parse("2026-01-05T10:00:00Z") });
  await using cluster = await startControlPlane({ listen: false, clock });
  const client = clientFor(cluster);
  const first = await apply(client);
  await clock.advance(5000);
  expect((await apply(client)).metadata).toEqual(first.metadata);
});
