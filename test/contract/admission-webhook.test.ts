/** What users are told when an operator's webhooks refuse, fail, or take too long. */
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/clock.ts";
import {
  createManager,
  type Defaulter,
  isNotFound,
  MutatingWebhook,
  type Review,
  StatusError,
  ValidatingWebhook,
  type ValidationReview,
  type Validator,
  type Sent,
  type Unstored,
} from "../../src/index.ts";
import {
  ConfigMap,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "../../src/k8s.ts";
import { silentLogger } from "../../src/testing.ts";
import { eventually } from "../support/eventually.ts";
import { SkippedTime } from "../support/skipped-time.ts";
import { NodeRequests } from "../support/node-requests.ts";
import { connect, TARGETS } from "./targets.ts";
import { webhookCertificate } from "./webhook-certificate.ts";

/** Dry runs that were seen, and objects that were stored for them. */
const effects: string[] = [];

@MutatingWebhook(ConfigMap, { path: "/default" })
class Defaults implements Defaulter<ConfigMap> {
  default(map: Sent<ConfigMap>, { request }: Review<ConfigMap>): void {
    effects.push(`${request.operation}${request.dryRun ? " dry run" : ""}`);
    if (map.data?.["how"] === "default") map.data["added/~"] = "by the webhook";
  }
}

@ValidatingWebhook(ConfigMap, { path: "/validate" })
class Checks implements Validator<ConfigMap> {
  async validateCreate(
    map: Unstored<ConfigMap>,
    review: ValidationReview<ConfigMap>,
  ): Promise<void> {
    const how = map.data?.["how"];
    if (how === "throw") throw new Error("boom");
    if (how === "never") await new Promise(() => undefined);
    if (how === "deny") review.deny("not today");
    if (how === "bad") {
      review.invalid((m) => m.data?.["how"], "must be good");
      review.required((m) => m.data?.["app.example.com/why"]);
    }
  }

  validateDelete(map: ConfigMap, review: ValidationReview<ConfigMap>): void {
    if (map.data?.["keep"] === "yes") review.deny("it is kept");
  }
}

const OPERATIONS = ["CREATE", "UPDATE", "DELETE"] as const;
const RULE = {
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: ["configmaps"],
  scope: "*" as const,
};

describe.each(TARGETS)("webhooks of an operator, on %s", (_, kubeconfig) => {
  it("T44: what is thrown, refused, too slow, a dry run, a deletion, in v1 and v1beta1", async () => {
    // A second is short for a machine that is shared: in skipped time the operator's limit comes before the server's.
    const time = kubeconfig === undefined ? await SkippedTime.start() : undefined;
    const clock = time?.clock ?? systemClock;
    const target = await connect(kubeconfig, { clock });
    const { client, config, run } = target;
    const [namespace] = target.namespaces;
    const certificate = webhookCertificate();
    const manager = createManager({
      config,
      clock,
      log: silentLogger,
      webhooks: { port: 0, host: "127.0.0.1", certificate: certificate.files },
    });
    manager.webhooks.add(new Defaults());
    manager.webhooks.add(new Checks());
    const requests = new NodeRequests();
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    const name = run;
    try {
      await eventually(() => expect(manager.ports.webhooks).toBeDefined());
      const webhook = (path: string, version: string, failurePolicy: string, label: string) => ({
        name: `${label}.example.com`,
        clientConfig: {
          url: `https://127.0.0.1:${String(manager.ports.webhooks)}${path}`,
          caBundle: certificate.caBundle,
        },
        rules: [{ ...RULE, operations: [...OPERATIONS] }],
        admissionReviewVersions: [version],
        sideEffects: "None" as const,
        timeoutSeconds: 1,
        failurePolicy: failurePolicy as "Fail" | "Ignore",
        namespaceSelector: { matchLabels: { "tsop-e2e": run } },
        objectSelector: { matchLabels: { policy: label } },
      });
      await client.create(MutatingWebhookConfiguration, {
        metadata: { name },
        webhooks: [
          { ...webhook("/default", "v1", "Fail", "fail") },
          { ...webhook("/default", "v1beta1", "Fail", "beta") },
        ],
      });
      await client.create(ValidatingWebhookConfiguration, {
        metadata: { name },
        webhooks: [
          webhook("/validate", "v1", "Fail", "fail"),
          webhook("/validate", "v1beta1", "Fail", "beta"),
          webhook("/validate", "v1", "Ignore", "ignore"),
        ],
      });
      let count = 0;
      const create = (policy: string, data: Record<string, string>, dryRun = false) =>
        client.create(
          ConfigMap,
          { metadata: { namespace, name: `map-${count++}`, labels: { policy } }, data },
          { dryRun },
        );
      const refusal = async (done: Promise<unknown>): Promise<unknown> => {
        const error: unknown = await done.then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error).toBeInstanceOf(StatusError);
        const { code, reason, message, details } = (error as StatusError).status;
        return { code, reason, message, ...(details && { details }) };
      };
      // Until the server has seen the configurations.
      await eventually(async () => {
        await expect(create("fail", { how: "deny" })).rejects.toThrow("not today");
        await expect(create("beta", { how: "deny" })).rejects.toThrow("not today");
      });

      for (const policy of ["fail", "beta"]) {
        const broken = create(policy, { how: "default" });
        // The key is none that a ConfigMap may have: the patch came through whole.
        await expect(broken).rejects.toThrow('data[added/~]: Invalid value: "added/~"');
      }
      for (const policy of ["fail", "beta"]) {
        const failed = `failed calling webhook "${policy}.example.com": failed to call webhook`;
        expect(await refusal(create(policy, { how: "throw" }))).toMatchObject({
          code: 500,
          reason: "InternalError",
          message: `Internal error occurred: ${failed}: Checks failed: boom`,
        });
        expect(await refusal(create(policy, { how: "never" }))).toMatchObject({
          code: 500,
          message: `Internal error occurred: ${failed}: Checks did not answer within 0.9 s`,
        });
        const denied = `admission webhook "${policy}.example.com" denied the request`;
        expect(await refusal(create(policy, { how: "deny" }))).toEqual({
          code: 403,
          reason: "Forbidden",
          message: `${denied}: not today`,
        });
        const why = [
          'data.how: Invalid value: "bad": must be good',
          "data[app.example.com/why]: Required value",
        ];
        expect(await refusal(create(policy, { how: "bad" }))).toEqual({
          code: 422,
          reason: "Invalid",
          message: `${denied}: ConfigMap "map-${count - 1}" is invalid: [${why.join(", ")}]`,
          details: {
            name: `map-${count - 1}`,
            kind: "ConfigMap",
            causes: [
              {
                reason: "FieldValueInvalid",
                message: 'Invalid value: "bad": must be good',
                field: "data.how",
              },
              {
                reason: "FieldValueRequired",
                message: "Required value",
                field: "data[app.example.com/why]",
              },
            ],
          },
        });
      }

      // What fails is not refused: the policy has the say.
      for (const how of ["throw", "never"]) {
        expect((await create("ignore", { how })).data).toEqual({ how });
      }

      effects.length = 0;
      const dry = await create("fail", { keep: "yes" }, true);
      expect(effects).toEqual(["CREATE dry run"]);
      const got = client.get(ConfigMap, { namespace, name: dry.metadata.name });
      expect(isNotFound(await got.catch((error: unknown) => error))).toBe(true);

      const { metadata } = await create("fail", { keep: "yes" });
      const key = { namespace, name: metadata.name };
      await expect(client.delete(ConfigMap, key)).rejects.toThrow("it is kept");
      expect(effects).not.toContain("DELETE");
      // All reviews had the form that the webhook server reads by itself.
      const others = requests.urls.filter((url) => /^\/(default|validate)\?/.test(url));
      expect(others).toEqual([]);
    } finally {
      requests.stop();
      await client.delete(MutatingWebhookConfiguration, { name });
      await client.delete(ValidatingWebhookConfiguration, { name });
      stop.abort();
      await running;
      certificate.remove();
      await target.end();
      await time?.stop();
    }
  }, 60_000);
});
