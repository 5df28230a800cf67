import { expect, it } from "vitest";
import { certificatesIn } from "../../../../src/runtime/serving/pem.ts";
import { withSeeds } from "../../../../src/testing.ts";
import { CertificateApi, Replica, verifies } from "./replicas.ts";

// `TSOP_MODEL_SEEDS=1000` is a long run: a seed takes a tenth of a second, for its keys are real.
const SEEDS = Number(process.env["TSOP_MODEL_SEEDS"] ?? 60);

it.each([2, 3])(
  "%i replicas that start at once end with one authority and one certificate, in any order of things",
  async (count) => {
    await withSeeds(SEEDS, async (clock) => {
      const api = new CertificateApi(clock);
      api.before = () => clock.sleep(1 + clock.random() * 50);
      api.deploy();
      const replicas = Array.from({ length: count }, () => new Replica(api, clock));
      await clock.advance(5000);
      const { "tls.crt": certificate, "ca.crt": bundle = "" } = api.texts;
      expect(certificatesIn(bundle)).toHaveLength(1);
      expect(api.bundles).toEqual([bundle, bundle, bundle, bundle]);
      for (const { served, unready } of replicas) {
        expect(unready).toBe("");
        expect(served?.toString()).toBe(certificate);
        expect(served && verifies(bundle, served, clock.now())).toBe(true);
      }
      for (const replica of replicas) replica.stop();
    });
  },
  900_000,
);
