/** Changes that an API server refuses, and what is deleted for them: on the embedded control plane, and on a real one. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  controllerFor,
  createManager,
  dependent,
  isNotFound,
  type Client,
  type ClusterConfig,
  type OnImmutable,
} from "../../src/index.ts";
import { ConfigMap, Job } from "../../src/k8s.ts";
import { silentLogger } from "../../src/testing.ts";
import { eventually as within } from "../support/eventually.ts";
import { connect, TARGETS, type Target } from "./targets.ts";

const eventually = <T>(step: () => T | Promise<T>): Promise<T> =>
  within(step, { timeoutMs: 30_000 });

describe.each(TARGETS)("dependents on %s", (_, kubeconfig) => {
  let target: Target;
  let config: ClusterConfig;
  let client: Client;
  let namespace: string;

  beforeAll(async () => {
    target = await connect(kubeconfig, { controllers: "on" });
    ({ config, client } = target);
    [namespace] = target.namespaces;
  });

  afterAll(async () => {
    await target.end();
  });

  const run = async (onImmutable: OnImmutable, name: string) => {
    const manager = createManager({
      config,
      log: silentLogger,
      cache: { namespaces: [namespace] },
    });
    const builder = controllerFor(manager).for(ConfigMap).named(name);
    const dependents = builder.dependents({
      kinds: [Job],
      desired: ({ metadata, data }) => [
        dependent(
          Job,
          {
            metadata: { name },
            spec: {
              suspend: true,
              template: {
                spec: {
                  restartPolicy: "Never",
                  containers: [{ name: "one", image: data?.["image"] ?? metadata.name }],
                },
              },
            },
          },
          { onImmutable, ready: () => true },
        ),
      ],
    });
    const failures: string[] = [];
    builder.complete({
      async reconcile({ key }) {
        const owner = key.name === name ? await manager.client.find(ConfigMap, key) : undefined;
        if (owner) await dependents.reconcile(owner);
      },
      onError(_object: ConfigMap, error) {
        failures.push(error.message);
        return Promise.resolve();
      },
    });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await client.create(ConfigMap, { metadata: { namespace, name }, data: { image: "a:1" } });
    const job = await eventually(() => client.get(Job, { namespace, name }));
    await client.apply(ConfigMap, { metadata: { namespace, name }, data: { image: "a:2" } });
    return {
      job,
      failures,
      end: async () => {
        stop.abort();
        await running;
      },
    };
  };
  const imageOf = (job: Job): string | undefined =>
    job.spec?.template.spec?.containers[0]?.image ?? undefined;

  it("makes a Job anew whose template changed, if that is asked for", async () => {
    const { job, end } = await run("recreate", "again");
    await eventually(async () => {
      const now = await client.get(Job, { namespace, name: "again" });
      expect(imageOf(now)).toBe("a:2");
      expect(now.metadata.uid).not.toBe(job.metadata.uid);
    });
    await end();
  });

  it("fails otherwise, and leaves the Job as it is", async () => {
    const { job, failures, end } = await run("fail", "stays");
    await eventually(() => {
      expect(failures[0]).toContain("field is immutable");
    });
    const now = await client.get(Job, { namespace, name: "stays" });
    expect(now.metadata.uid).toBe(job.metadata.uid);
    expect(imageOf(now)).toBe("a:1");
    await end();
    await client.delete(Job, { namespace, name: "stays" }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  });
});
