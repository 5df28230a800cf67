import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../src/clock.ts";
import { issueServing } from "../../../../src/runtime/webhook/certificates/issue.ts";
import { certificatesIn } from "../../../../src/runtime/serving/pem.ts";
import type { CertificateTimes } from "../../../../src/runtime/webhook/certificates/self-managed.ts";
import { withSeeds } from "../../../../src/testing.ts";
import {
  CertificateApi,
  CRD,
  MUTATING,
  Replica,
  SECRET,
  VALIDATING,
  verifies,
} from "./replicas.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Looks twice a day, for what takes months. */
const RARELY = { lookMs: DAY_MS / 2, settleMs: 2 * DAY_MS };

/** What all replicas serve is verified by all bundles. */
function check(api: CertificateApi, clock: VirtualClock, replicas: readonly Replica[]): void {
  for (const { served } of replicas) {
    if (!served) throw new Error("a replica has no certificate");
    for (const bundle of api.bundles) {
      if (verifies(bundle, served, clock.now())) continue;
      const when = new Date(clock.now()).toISOString();
      throw new Error(`${when}: a certificate until ${served.validTo} is not verified`);
    }
  }
}

/** An API server on which everything is deployed, and an operator that is ready. */
async function running(
  times?: Partial<CertificateTimes>,
): Promise<{ clock: VirtualClock; api: CertificateApi; replica: Replica }> {
  const clock = new VirtualClock();
  const api = new CertificateApi(clock);
  api.deploy();
  const replica = new Replica(api, clock, times);
  await clock.advance(MINUTE_MS);
  expect(replica.unready).toBe("");
  return { clock, api, replica };
}

const edit = (api: CertificateApi, change: (secret: Record<string, unknown>) => void): void => {
  const secret = structuredClone(api.one(SECRET)) as unknown as Record<string, unknown>;
  change(secret);
  api.put(SECRET, secret as never);
};
const setTexts = (api: CertificateApi, texts: Record<string, string>): void => {
  edit(api, (secret) => {
    const encoded = Object.entries(texts).map(([key, text]) => [
      key,
      Buffer.from(text).toString("base64"),
    ]);
    secret["data"] = { ...(secret["data"] as object), ...Object.fromEntries(encoded) };
  });
};
const annotate = (api: CertificateApi, key: string, value: string): void => {
  edit(api, (secret) => {
    const metadata = secret["metadata"] as { annotations: Record<string, string> };
    metadata.annotations[`certificates.tsop.dev/${key}`] = value;
  });
};

describe("replicas with a self-managed certificate", () => {
  it("count their looks, with the time when the served certificate expires", async () => {
    const { clock, api, replica } = await running();
    const expiresAtMs = Date.parse(replica.served?.validTo ?? "");
    expect(new Set(replica.expiries)).toEqual(new Set([expiresAtMs]));
    api.refuse = (method) => (method === "GET" ? 500 : undefined);
    await clock.advance(10 * MINUTE_MS);
    expect(replica.expiries.at(-1)).toBeUndefined();
  });

  it("serve for years what every configuration verifies at any moment, with API servers that lag and replicas that come and go", async () => {
    await withSeeds(1, async (clock) => {
      const api = new CertificateApi(clock);
      api.latencyMs = 10;
      api.deploy();
      const replicas = [1, 2, 3].map(() => new Replica(api, clock, RARELY));
      await clock.advance(10_000);
      const seen: string[][] = [];
      const authorities = new Set<string>();
      const leaves = new Set<string>();
      for (let day = 0; day < 2.5 * 365; day += 0.5) {
        check(api, clock, replicas);
        // An API server that is two days late.
        const before = seen.at(-4);
        for (const { served } of replicas) {
          if (served) leaves.add(served.serialNumber);
          for (const bundle of before ?? []) {
            expect(served && verifies(bundle, served, clock.now())).toBe(true);
          }
        }
        seen.push(api.bundles);
        for (const { serialNumber } of certificatesIn(api.texts["ca.crt"] ?? "")) {
          authorities.add(serialNumber);
        }
        if (clock.random() < 0.02) {
          replicas.shift()?.stop();
          const fresh = new Replica(api, clock, RARELY);
          await clock.advance(1000);
          replicas.push(fresh);
        }
        await clock.advance(DAY_MS / 2);
      }
      // A third of a year, and of 90 days, is left when the next is issued.
      expect(authorities.size).toBeGreaterThanOrEqual(4);
      expect(authorities.size).toBeLessThanOrEqual(5);
      expect(leaves.size).toBeGreaterThanOrEqual(14);
      const trusted = certificatesIn(api.texts["ca.crt"] ?? "");
      expect(trusted.length).toBeLessThanOrEqual(3);
      for (const replica of replicas) replica.stop();
    });
  }, 300_000);

  it("all serve a new certificate soon after one of them has renewed it, long before the old one ends", async () => {
    const { clock, api, replica } = await running();
    const other = new Replica(api, clock);
    await clock.advance(MINUTE_MS);
    const first = replica.served;
    expect(other.served?.serialNumber).toBe(first?.serialNumber);
    annotate(api, "rotate", "serving");
    await clock.advance(2 * MINUTE_MS);
    expect(replica.served?.serialNumber).not.toBe(first?.serialNumber);
    expect(other.served?.serialNumber).toBe(replica.served?.serialNumber);
    expect(api.one(SECRET)?.metadata.annotations).not.toHaveProperty(
      "certificates.tsop.dev/rotate",
    );
    check(api, clock, [replica, other]);
  });
});

describe("a new authority", () => {
  it("is announced first, signs once it was in all bundles for a while, and the one before stays until its certificate has ended", async () => {
    const { clock, api, replica } = await running({ lookMs: DAY_MS / 2 });
    const [old] = certificatesIn(api.texts["ca.crt"] ?? "");
    const ends = Date.parse(replica.served?.validTo ?? "");
    annotate(api, "rotate", "authority");
    await clock.advance(DAY_MS / 2);
    const announced = certificatesIn(api.texts["ca.crt"] ?? "");
    expect(announced).toHaveLength(2);
    expect(api.bundles).toEqual(api.bundles.map(() => api.texts["ca.crt"]));
    expect(replica.served?.checkIssued(old as X509Certificate)).toBe(true);
    await clock.advance(DAY_MS / 2);
    expect(replica.served?.checkIssued(announced[1] as X509Certificate)).toBe(true);
    expect(certificatesIn(api.texts["ca.crt"] ?? "")).toHaveLength(2);
    expect(api.texts).not.toHaveProperty("next-ca.key");
    while (clock.now() < ends) {
      check(api, clock, [replica]);
      expect(api.texts["ca.crt"]).toContain(old?.toString());
      await clock.advance(DAY_MS);
    }
    await clock.advance(DAY_MS);
    expect(certificatesIn(api.texts["ca.crt"] ?? "")).toHaveLength(1);
    expect(replica.log).toContainEqual(
      expect.stringMatching(/authority .* is not trusted any more/),
    );
  }, 60_000);

  it("does not sign while one of the configurations does not trust it", async () => {
    const { clock, api, replica } = await running();
    const first = replica.served;
    api.refuse = (method, path) => (method === "PATCH" && path === CRD ? 403 : undefined);
    annotate(api, "rotate", "authority");
    await clock.advance(60 * MINUTE_MS);
    expect(api.texts).toHaveProperty("next-ca.key");
    expect(replica.served?.serialNumber).toBe(first?.serialNumber);
    expect(replica.unready).toBe("");
    expect(replica.log).toContainEqual(
      expect.stringMatching(
        /not allowed to patch customresourcedefinitions.*widgets\.shop\.example\.com/,
      ),
    );
    api.refuse = () => undefined;
    await clock.advance(10 * MINUTE_MS);
    expect(replica.served?.serialNumber).not.toBe(first?.serialNumber);
    check(api, clock, [replica]);
  });

  it("starts its wait again when somebody takes the bundle out", async () => {
    const { clock, api, replica } = await running();
    const first = replica.served;
    annotate(api, "rotate", "authority");
    for (let times = 0; times < 5; times++) {
      await clock.advance(4 * MINUTE_MS);
      expect(replica.served?.serialNumber).toBe(first?.serialNumber);
      api.deploy();
    }
    await clock.advance(7 * MINUTE_MS);
    expect(replica.served?.serialNumber).not.toBe(first?.serialNumber);
  });
});

describe("the Secret", () => {
  it("of somebody else is refused, with what to do, and left alone", async () => {
    for (const labels of [{}, { "app.kubernetes.io/managed-by": "tsop" }]) {
      const clock = new VirtualClock();
      const api = new CertificateApi(clock);
      const foreign = { apiVersion: "v1", kind: "Secret", metadata: { labels }, data: {} };
      const stored = api.put(SECRET, foreign);
      const replica = new Replica(api, clock);
      await clock.advance(MINUTE_MS);
      expect(await replica.started).toMatchObject({
        code: "certificate-secret-foreign",
        fix: expect.stringContaining("kubectl delete secret -n shop-system") as string,
      });
      expect(api.one(SECRET)).toEqual(stored);
    }
  });

  it("that becomes somebody else's is told, and what is served stays", async () => {
    const { clock, api, replica } = await running();
    const first = replica.served;
    api.remove(SECRET);
    api.put(SECRET, { apiVersion: "v1", kind: "Secret", metadata: {} });
    await clock.advance(MINUTE_MS);
    expect(replica.log).toContainEqual(expect.stringContaining("is not the operator's"));
    expect(replica.served).toBe(first);
    expect(replica.unready).toBe("");
    api.remove(SECRET);
    await clock.advance(2 * MINUTE_MS);
    expect(api.texts["ca.crt"]).toBeDefined();
    check(api, clock, [replica]);
  });

  it("that is deleted comes back with a new authority, and what was served is trusted until the new one is known", async () => {
    const { clock, api, replica } = await running();
    const other = new Replica(api, clock);
    await clock.advance(MINUTE_MS);
    const first = replica.served;
    api.remove(SECRET);
    for (let seconds = 0; seconds < 600; seconds += 5) {
      await clock.advance(5000);
      check(api, clock, [replica, other]);
    }
    expect(replica.served?.serialNumber).not.toBe(first?.serialNumber);
    expect(other.served?.serialNumber).toBe(replica.served?.serialNumber);
    expect(certificatesIn(api.texts["ca.crt"] ?? "")).toHaveLength(2);
  });

  it("of an earlier tsop are served, renewed by the same authority, and rotated as any others", async () => {
    const file = new URL("../../../kube/x509/earlier.data.json", import.meta.url);
    const { webhooks } = JSON.parse(readFileSync(file, "utf8")) as {
      webhooks: Record<"tls.crt" | "ca.crt", string>;
    };
    const earlier = new X509Certificate(webhooks["tls.crt"]);
    const authority = new X509Certificate(webhooks["ca.crt"]);
    const { clock, api, replica } = await running(RARELY);
    setTexts(api, webhooks);
    await clock.advance(4 * DAY_MS);
    check(api, clock, [replica]);
    expect(api.texts["tls.crt"]).toBe(webhooks["tls.crt"]);
    expect(certificatesIn(api.texts["ca.crt"] ?? "")[0]?.raw).toEqual(authority.raw);
    expect(replica.served?.raw).toEqual(earlier.raw);
    for (let day = 0; day < 70; day++) {
      await clock.advance(DAY_MS);
      check(api, clock, [replica]);
    }
    expect(replica.served?.raw).not.toEqual(earlier.raw);
    expect(replica.served?.checkIssued(authority)).toBe(true);
    for (let day = 0; day < 365; day++) {
      await clock.advance(DAY_MS);
      check(api, clock, [replica]);
    }
    expect(replica.served?.checkIssued(authority)).toBe(false);
  });

  const other = issueServing({ names: ["localhost"] }, new VirtualClock());
  const rsa = `-----BEGIN PRIVATE KEY-----\n${"A".repeat(64)}\n-----END PRIVATE KEY-----\n`;
  it.each([
    ["tls.crt", () => "garbage", /tls\.crt does not contain a readable certificate/],
    ["tls.crt", () => other.certificate, /tls\.key does not match the cert/],
    ["tls.key", () => "", /tls\.key does not contain a readable private key/],
    ["tls.key", () => other.key, /tls\.key does not match the certificate/],
    ["ca.crt", () => "", /ca\.crt does not contain a readable certificate/],
    ["ca.crt", () => "garbage", /ca\.crt does not contain a readable certificate/],
    ["ca.crt", () => other.certificate, /ca\.key does not match a certificate in/],
    ["ca.key", () => rsa, /ca\.key does not contain a readable private key/],
    ["ca.key", () => other.key, /ca\.key does not match a certificate in ca\.crt/],
    ["next-ca.crt", () => "garbage", /next-ca\.crt does not contain a readable certificate/],
  ])(
    "with something wrong in %s is mended, and the reason is told (%#)",
    async (key, text, reason) => {
      const { clock, api, replica } = await running();
      setTexts(api, { [key]: text() });
      for (let seconds = 0; seconds < 600; seconds += 5) {
        await clock.advance(5000);
        check(api, clock, [replica]);
      }
      expect(replica.log).toContainEqual(expect.stringMatching(reason));
      expect(replica.served?.toString()).toBe(api.texts["tls.crt"]);
      const fresh = new Replica(api, clock);
      await clock.advance(MINUTE_MS);
      expect(fresh.unready).toBe("");
      expect(fresh.log.filter((line) => line.includes("tls.key"))).toEqual([]);
      check(api, clock, [fresh]);
    },
  );

  it("of another namespace is mended, and the reason is told", async () => {
    const { clock, api, replica } = await running();
    const authority = { certificate: api.texts["ca.crt"] ?? "", key: api.texts["ca.key"] ?? "" };
    const moved = issueServing({ names: ["shop-webhook-service.old.svc"], authority }, clock);
    setTexts(api, { "tls.crt": moved.certificate, "tls.key": moved.key });
    await clock.advance(MINUTE_MS);
    expect(replica.log).toContainEqual(
      expect.stringMatching(/is not for shop-webhook-service\.shop-system\.svc/),
    );
    check(api, clock, [replica]);
  });

  it("of a backup that has ended is mended at the start", async () => {
    const { clock, api, replica } = await running();
    replica.stop();
    await clock.advance(400 * DAY_MS);
    const late = new Replica(api, clock);
    await clock.advance(MINUTE_MS);
    expect(late.log).toContainEqual(
      expect.stringMatching(/the authority in ca\.crt expired on 2027/),
    );
    expect(late.unready).toBe("");
    check(api, clock, [late]);
    expect(certificatesIn(api.texts["ca.crt"] ?? "")).toHaveLength(1);
  });
});

describe("the bundles", () => {
  it("are put into the entries of the operator's own Service alone, and written when they differ", async () => {
    const { clock, api } = await running();
    const addresses = api.addresses(VALIDATING);
    expect(addresses.map(({ caBundle }) => caBundle === undefined)).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect(addresses[0]?.caBundle).toBe("b3RoZXI=");
    const patches = (): number => api.requests.filter((one) => one.startsWith("PATCH")).length;
    expect(patches()).toBe(3);
    const before = api.requests.length;
    await clock.advance(60 * MINUTE_MS);
    expect(patches()).toBe(3);
    // Each look is a request for the Secret and one for each of the three.
    expect(api.requests.length - before).toBeLessThan(4 * 160);
  });

  it("that somebody takes out or replaces are put back", async () => {
    const { clock, api, replica } = await running();
    api.deploy();
    await clock.advance(MINUTE_MS);
    check(api, clock, [replica]);
    const crd = structuredClone(api.one(CRD)) as unknown as {
      spec: { conversion: { webhook: { clientConfig: { caBundle: string } } } };
    };
    crd.spec.conversion.webhook.clientConfig.caBundle = "Z2FyYmFnZQ==";
    api.put(CRD, crd as never);
    await clock.advance(MINUTE_MS);
    check(api, clock, [replica]);
  });

  it("are not made where there is no configuration: that is the reason why it is not ready, until there is one", async () => {
    const clock = new VirtualClock();
    const api = new CertificateApi(clock);
    const replica = new Replica(api, clock);
    await clock.advance(5 * MINUTE_MS);
    expect(replica.served).toBeDefined();
    expect(replica.unready).toContain(
      "MutatingWebhookConfiguration shop-mutating-webhook-configuration does not exist",
    );
    expect(replica.unready).toContain(
      "CustomResourceDefinition widgets.shop.example.com does not exist",
    );
    expect([MUTATING, VALIDATING, CRD].map((path) => api.one(path))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    api.deploy();
    await clock.advance(MINUTE_MS);
    expect(replica.unready).toBe("");
    check(api, clock, [replica]);
    // Later it is told, and the other webhooks go on.
    api.remove(MUTATING);
    await clock.advance(MINUTE_MS);
    expect(replica.unready).toBe("");
    expect(replica.log.at(-1)).toContain("does not exist");
  });

  it("are left to cert-manager where it writes them", async () => {
    const clock = new VirtualClock();
    const api = new CertificateApi(clock);
    api.deploy();
    const crd = structuredClone(api.one(CRD));
    if (!crd) throw new Error("no CRD");
    crd.metadata.annotations = { "cert-manager.io/inject-ca-from": "shop-system/serving-cert" };
    const stored = api.put(CRD, crd);
    const replica = new Replica(api, clock);
    await clock.advance(MINUTE_MS);
    expect(replica.unready).toMatch(/cert-manager\.io\/inject-ca-from.*remove the annotation/);
    expect(api.one(CRD)).toEqual(stored);
  });

  it("are told where no entry points to the operator's Service", async () => {
    const clock = new VirtualClock();
    const api = new CertificateApi(clock);
    api.deploy();
    const foreign = { name: "shop-webhook-service", namespace: "elsewhere" };
    const webhooks = [{ name: "a.b.c", clientConfig: { service: foreign } }];
    const metadata = {};
    const object = { apiVersion: "v1", kind: "MutatingWebhookConfiguration", metadata, webhooks };
    const stored = api.put(MUTATING, object);
    const replica = new Replica(api, clock);
    await clock.advance(MINUTE_MS);
    expect(replica.unready).toContain(
      "has no webhook at the Service shop-system/shop-webhook-service",
    );
    expect(api.one(MUTATING)).toEqual(stored);
  });

  it("are never made older: who was stopped for hours writes nothing over a newer one", async () => {
    await withSeeds(10, async (clock) => {
      const api = new CertificateApi(clock);
      api.deploy();
      const slow = new Replica(api, clock);
      await clock.advance(MINUTE_MS);
      const fast = new Replica(api, clock);
      await clock.advance(MINUTE_MS);
      api.latencyMs = 3000;
      annotate(api, "rotate", "authority");
      for (let seconds = 0; seconds < 600; seconds += 10) {
        await clock.advance(10_000);
        check(api, clock, [slow, fast]);
      }
      const bundle = api.texts["ca.crt"];
      await clock.advance(2 * MINUTE_MS);
      expect(api.bundles).toEqual([bundle, bundle, bundle, bundle]);
      slow.stop();
      fast.stop();
    });
  }, 60_000);
});

describe("an operator whose API server fails", () => {
  it.each([
    ["is away", (api: CertificateApi, on: boolean) => (api.down = on), /down|refused/],
    [
      "refuses it the Secret",
      (api: CertificateApi, on: boolean) => {
        api.refuse = (_, path) => (on && path.includes("/secrets") ? 403 : undefined);
      },
      /could not be read: Forbidden/,
    ],
    [
      "refuses it to make the Secret",
      (api: CertificateApi, on: boolean) => {
        api.refuse = (method) => (on && method === "POST" ? 403 : undefined);
      },
      /could not be written: Forbidden/,
    ],
    [
      "has errors",
      (api: CertificateApi, on: boolean) => {
        api.refuse = () => (on ? 500 : undefined);
      },
      /could not be read: InternalError/,
    ],
  ])("starts once that is over: %s", async (_, turn, reason) => {
    const clock = new VirtualClock();
    const api = new CertificateApi(clock);
    api.deploy();
    turn(api, true);
    const replica = new Replica(api, clock);
    await clock.advance(10 * MINUTE_MS);
    expect(replica.served).toBeUndefined();
    expect(replica.unready).toMatch(reason);
    expect(replica.log.length).toBeLessThan(10);
    turn(api, false);
    await clock.advance(MINUTE_MS);
    expect(replica.unready).toBe("");
    check(api, clock, [replica]);
  });

  it("serves what it has while the API server is away, and is not ready once that has ended", async () => {
    const { clock, api, replica } = await running(RARELY);
    const first = replica.served;
    api.down = true;
    await clock.advance(89 * DAY_MS);
    expect(replica.served).toBe(first);
    expect(replica.unready).toBe("");
    await clock.advance(2 * DAY_MS);
    expect(replica.unready).toMatch(/^The webhook certificate expired on 2026-04-01.*could not/);
    api.down = false;
    await clock.advance(DAY_MS);
    expect(replica.unready).toBe("");
    check(api, clock, [replica]);
  });

  it("ends its start when it is told to stop", async () => {
    const clock = new VirtualClock();
    const api = new CertificateApi(clock);
    api.down = true;
    const replica = new Replica(api, clock);
    await clock.advance(MINUTE_MS);
    replica.stop();
    await clock.advance(0);
    expect(await replica.started).toBeInstanceOf(Error);
    expect(clock.pending).toBe(0);
  });
});
