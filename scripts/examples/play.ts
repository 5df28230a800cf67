/** Plays one example on one server: deploys it, runs it, and removes it. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { present } from "../../src/present.ts";
import { eventually } from "../../src/testing.ts";
import { Census } from "../../test/journeys/support/census.ts";
import { runCli } from "../../test/cli/support/run-cli.ts";
import { exampleOnSources } from "../../test/support/example.ts";
import type { Kubectl } from "../../test/support/kubectl.ts";
import { LocalOperator, WebhookOperator, type RunningOperator } from "./operators.ts";
import { surroundingsOf } from "./surroundings.ts";

const NAMESPACE = "default";
const SETTLED = { timeoutMs: 90_000, intervalMs: 500 };
const IMAGE = "registry.example.com/operator:1";
/** The objects that stay when the samples are deleted, as their READMEs say, by kubectl's names. */
const STAYS: Readonly<Record<string, { readonly named: string; readonly counted: RegExp }>> = {
  "mini-cert": { named: "secret/acme-account", counted: /^Secret default\/acme-account$/ },
  myapp: {
    named: "pvc/data-my-application-database-0",
    counted: /^PersistentVolume(?:Claim default\/data-my-application-database-0$| pvc-)/,
  },
};

interface Sample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly template?: { readonly metadata?: { readonly annotations?: object } } };
  readonly status?: {
    readonly availableReplicas?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

/** Further work during the play of an example, where its operator is a process of its own. */
export interface BesidePlay {
  /** The environment of the operator's process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Matches log lines about expected refusals. */
  readonly refusals: RegExp;
  /** Called before the samples are applied. */
  beforeSamples(): Promise<void>;
  /** Called while they become ready. */
  afterSamples(): Promise<void>;
  /** Called when they are ready. */
  whenReady(samples: readonly string[]): Promise<void>;
  /** Called when the samples are deleted and the operator has ended. */
  afterEnd(operator: LocalOperator): Promise<void>;
}

/** Plays an example. @throws Error with the failed check, and the operator's lines */
export async function playExample(
  name: string,
  kubeconfig: string,
  kubectl: Kubectl,
  beside?: BesidePlay,
): Promise<void> {
  const example = exampleOnSources(name);
  const { folder } = example;
  writeFileSync(join(folder, "admin"), kubeconfig);
  const surroundings = await surroundingsOf(name, folder, kubeconfig);
  let operator: RunningOperator | undefined;
  try {
    const before = await Census.take(kubectl);
    await tsop(folder, "deploy", "--image", IMAGE, "--no-wait");
    const environment = { ...surroundings.environment, ...beside?.environment };
    const project = {
      name,
      folder,
      kubeconfig,
      environment,
      ...present({ refusals: beside?.refusals }),
    };
    operator = surroundings.hasWebhooks
      ? WebhookOperator.start(project)
      : await LocalOperator.start(project, kubectl);
    await operator.untilStarted();
    const deployed = await Census.take(kubectl);

    await beside?.beforeSamples();
    const samples = samplesOf(folder);
    for (const file of samples) {
      await eventually(() => kubectl.output(["apply", "-n", NAMESPACE, "-f", file]), SETTLED);
    }
    await beside?.afterSamples();
    for (const file of samples) await untilReady(kubectl, file);
    await beside?.whenReady(samples);

    const gone = [
      "delete",
      "-n",
      NAMESPACE,
      "--wait=false",
      ...samples.flatMap((file) => ["-f", file]),
    ];
    await kubectl.output(gone);
    const stays = STAYS[name];
    await untilNothingMore(kubectl, deployed, stays?.counted);
    await operator.stop();
    if (operator instanceof LocalOperator) await beside?.afterEnd(operator);
    await tsop(folder, "undeploy");
    if (stays) await kubectl.output(["delete", "-n", NAMESPACE, stays.named]);
    await untilNothingMore(kubectl, before);
  } catch (error) {
    const lines = operator?.lines.slice(-30).join("\n") ?? "";
    throw new Error(`${(error as Error).message}\n${lines}`, { cause: error });
  } finally {
    await operator?.stop();
    await surroundings.stop();
    await runCli(folder, ["undeploy", "--delete-objects", "--kubeconfig", "admin"]);
    example.remove();
  }
}

async function tsop(folder: string, ...argv: string[]): Promise<void> {
  const { code, err } = await runCli(folder, [...argv, "--kubeconfig", "admin"]);
  // The embedded control plane simulates pods, and `deploy` says so of an operator with webhooks.
  const unexpected = err.replace(/^note pods are simulated .*$/m, "").trim();
  if (code !== 0 || unexpected !== "") throw new Error(`tsop ${argv.join(" ")}: ${code}\n${err}`);
}

const samplesOf = (folder: string): string[] =>
  readdirSync(join(folder, "config/samples"))
    .filter((file) => file.endsWith(".yaml") && file !== "kustomization.yaml")
    .map((file) => join(folder, "config/samples", file));

/**
 * Waits until the custom objects of a file are ready; for built-in kinds, until their pods are
 * replaced and available.
 */
async function untilReady(kubectl: Kubectl, file: string): Promise<void> {
  await eventually(async () => {
    const text = await kubectl.output(["get", "-n", NAMESPACE, "-f", file, "-o", "json"]);
    const read = JSON.parse(text) as Sample & { readonly items?: readonly Sample[] };
    for (const sample of read.items ?? [read]) {
      const problem = /^[^.]+$|^apps\/|\.k8s\.io\//.test(sample.apiVersion)
        ? problemOfBuiltIn(sample)
        : problemOf(sample);
      if (problem !== undefined) {
        throw new Error(`${sample.kind} ${sample.metadata.name}: ${problem}`);
      }
    }
  }, SETTLED);
}

function problemOf({ status }: Sample): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === "True" ? undefined : `not ready: ${JSON.stringify(status)}`;
}

/**
 * The example configmonitor restarts the pods of a Deployment, and records it in an annotation of
 * their template.
 */
function problemOfBuiltIn({ kind, spec, status }: Sample): string | undefined {
  if (kind !== "Deployment") return undefined;
  const isRestarted = Object.keys(spec?.template?.metadata?.annotations ?? {}).length > 0;
  const isAvailable = (status?.availableReplicas ?? 0) > 0;
  return isRestarted && isAvailable ? undefined : `not restarted: ${JSON.stringify(status)}`;
}

/** Waits until no objects are left beyond those of the census. */
async function untilNothingMore(kubectl: Kubectl, then: Census, stays = /(?!)/): Promise<void> {
  await eventually(async () => {
    const now = await Census.take(kubectl);
    const left = now
      .differenceFrom(then)
      .filter((line) => line.startsWith("added: "))
      .map((line) => line.slice("added: ".length))
      .filter((one) => !stays.test(one));
    if (left.length > 0) throw new Error(`left: ${left.join(", ")}`);
  }, SETTLED);
}
