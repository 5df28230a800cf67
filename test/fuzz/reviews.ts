/** What strangers, and broken API servers, send to the webhook server of an operator. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "prom-client";
import { systemClock } from "../../src/clock.ts";
import {
  type AdmissionAnswer,
  type AdmissionHandler,
  ConversionWebhook,
  type Converter,
  CustomResource,
  type Defaulter,
  MutatingWebhook,
  Resource,
  type Review,
  ValidatingWebhook,
  type ValidationReview,
  type Validator,
  type Sent,
  type Unstored,
} from "../../src/index.ts";
import { selfSigned } from "../../src/kube/x509/certificate.ts";
import { silentLogger } from "../../src/log.ts";
import { Patience, patienceOf } from "../../src/runtime/webhook/requests/patience.ts";
import { takeMemory } from "../../src/runtime/webhook/requests/request-limits.ts";
import { RequestMemory } from "../../src/runtime/serving/request-memory.ts";
import { replyOf, type ServedPath } from "../../src/runtime/webhook/requests/served-path.ts";
import { WebhookHost } from "../../src/runtime/webhook/webhook-host.ts";
import type { Random } from "../support/random.ts";
import { clusterWith, LIMITS } from "../runtime/webhook/support.ts";
import type { FuzzKind } from "./campaign.ts";

/** One request. */
interface ReviewInput {
  /** Over TLS and HTTP, which takes many times as long as the answer. */
  readonly sent: boolean;
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

const METHODS = [...Array.from({ length: 60 }, () => "POST"), "GET", "PUT", "DELETE"];
const PATHS = ["/default", "/validate", "/handle"];
const BAD_PATHS = ["/", "/__proto__", "/Default", "/default/", "//default", "/%64efault", "*"];
const QUERIES = [
  "",
  "?timeout=10s",
  "?timeout=1ms",
  "?timeout=-1s",
  "?timeout=1e9h",
  "?timeout=",
  "?&",
];
const TYPES = [
  ...Array.from({ length: 20 }, () => "application/json"),
  "text/yaml",
  "application/json; a=b",
  "",
];
const OPERATIONS = ["CREATE", "UPDATE", "DELETE", "CONNECT", "CREATE", "UPDATE", "PAINT", ""];
const often = (good: string, ...rest: string[]): string[] => [
  ...Array.from({ length: 20 }, () => good),
  ...rest,
];
const VERSIONS = often("admission.k8s.io/v1", "admission.k8s.io/v1beta1", "v1", "");
const CONVERSION_VERSIONS = often("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1", "v1");
const HOWS = ["", "", "throw", "deny", "invalid", "warn", "later", "remove", "shuffle", "deep"];
const ODD = [
  null,
  0,
  -1.5,
  1e308,
  true,
  "",
  "x",
  [],
  {},
  "\u0000",
  "\ud800",
  "__proto__",
  [[[]]],
  { a: [{}] },
];
const UID = "705ab4f5-6393-11e8-b7cc-42010a800002";
const KNOWN = new Set([200, 400, 404, 405, 500, 504]);

@Resource({ group: "shop.example.com", version: "v1" })
class Widget extends CustomResource<Record<string, unknown>> {}

@Resource({ group: "shop.example.com", version: "v1alpha1", kind: "Widget" })
class OldWidget extends CustomResource<Record<string, unknown>> {}

@MutatingWebhook(Widget, { path: "/default" })
class FuzzDefaulter implements Defaulter<Widget> {
  async default(widget: Sent<Widget>, review: Review<Widget>): Promise<void> {
    const { spec } = widget;
    const how = spec["how"];
    if (how === "later") await Promise.resolve();
    if (how === "throw") throw new Error("thrown");
    if (how === "warn") review.warn(JSON.stringify(widget));
    if (how === "remove") for (const key of Object.keys(spec)) delete spec[key];
    if (how === "shuffle" && Array.isArray(spec["list"])) spec["list"].reverse();
    if (how === "deep") spec["deep"] = { ...spec };
  }
}

@ValidatingWebhook(Widget, { path: "/validate" })
class FuzzValidator implements Validator<Widget> {
  validateCreate({ spec }: Unstored<Widget>, review: ValidationReview<Widget>): void {
    const how = spec["how"];
    if (how === "throw") throw new Error("thrown");
    if (how === "deny") review.deny("denied");
    if (how === "warn") for (const key of Object.keys(spec)) review.warn(key);
    if (how !== "invalid") return;
    for (const key of Object.keys(spec)) {
      review.invalid((widget) => widget.spec[key], "fuzzed");
      review.duplicate(
        (widget) => (widget.spec[key] as { a?: { b?: string }[] } | undefined)?.a?.[0]?.b,
      );
    }
  }

  async validateUpdate(widget: Widget, _: Widget, review: ValidationReview<Widget>): Promise<void> {
    await Promise.resolve();
    this.validateCreate(widget, review);
  }
}

@MutatingWebhook({
  groups: ["*"],
  versions: ["*"],
  resources: ["*/*"],
  name: "all.example.com",
  path: "/handle",
})
class FuzzHandler implements AdmissionHandler {
  handle({ request: { object } }: Review): AdmissionAnswer {
    return { allowed: true, ...(object && { object: { ...object, kind: "Other" } }) };
  }
}

@ConversionWebhook(Widget, OldWidget)
class FuzzConversion implements Converter<Widget, OldWidget> {
  toHub({ spec }: Sent<OldWidget>) {
    if (spec["how"] === "throw") throw new Error("thrown");
    return { spec: { ...spec, hub: true } };
  }

  fromHub({ spec }: Sent<Widget>) {
    return { spec: { ...spec, hub: undefined } };
  }
}

/** Reviews that are put together of good and bad parts. */
export const reviews: FuzzKind<ReviewInput> = {
  about: "reviews for the webhooks of an operator",
  atOnce: 16,
  next: (random) => {
    const isConversion = random.chance(0.3);
    const good = isConversion ? "/convert" : random.pick(PATHS);
    const path = random.chance(0.97) ? good : random.pick([...PATHS, "/convert", ...BAD_PATHS]);
    return {
      sent: random.chance(0.005),
      method: random.pick(METHODS),
      path: path + random.pick(QUERIES),
      type: random.pick(TYPES),
      body: bodyFrom(isConversion ? conversion(random) : admission(random), random),
    };
  },
  show: ({ method, path, type, body }) => `${method} ${path} ${type}: ${body}`,
  start,
};

function bodyFrom(review: object, random: Random): string {
  if (random.chance(0.2)) spoil(review, random);
  const text = JSON.stringify(review).replaceAll('"big"', "9223372036854775807");
  if (random.chance(0.9)) return text;
  const at = random.below(text.length);
  return random.chance(0.5)
    ? text.slice(0, at)
    : text.slice(0, at) + String.fromCharCode(random.below(0x10000)) + text.slice(at + 1);
}

function admission(random: Random): Record<string, unknown> {
  const kind = { group: "shop.example.com", version: "v1", kind: "Widget" };
  return {
    kind: "AdmissionReview",
    apiVersion: random.pick(VERSIONS),
    request: {
      uid: UID,
      kind,
      resource: { group: "shop.example.com", version: "v1", resource: "widgets" },
      name: "w",
      operation: random.pick(OPERATIONS),
      userInfo: { username: "jo" },
      object: random.chance(0.9) ? widget(random, "v1") : null,
      oldObject: random.chance(0.8) ? widget(random, "v1") : null,
      dryRun: random.chance(0.2),
    },
  };
}

function conversion(random: Random): Record<string, unknown> {
  const version = (): string => random.pick(["v1", "v1alpha1", "v1alpha1", "v2"]);
  return {
    kind: "ConversionReview",
    apiVersion: random.pick(CONVERSION_VERSIONS),
    request: {
      uid: UID,
      desiredAPIVersion: `shop.example.com/${version()}`,
      objects: Array.from({ length: random.below(4) }, () => widget(random, version())),
    },
  };
}

function widget(random: Random, version: string): object {
  const value = (): unknown => (random.chance(0.2) ? "big" : odd(random));
  return {
    apiVersion: `shop.example.com/${version}`,
    kind: "Widget",
    metadata: { name: "w", uid: "u" },
    spec: {
      how: random.pick(HOWS),
      list: Array.from({ length: random.below(5) }, value),
      [random.pick(["a", "a/b", "~", "", "0"])]: value(),
    },
  };
}

/** Something odd of its own, as it may be spoiled in turn. */
const odd = (random: Random): unknown => structuredClone(random.pick(ODD));

/** Replaces a random part with something odd. */
function spoil(review: object, random: Random): void {
  let part = review as Record<string, unknown>;
  for (;;) {
    const keys = Object.keys(part);
    if (keys.length === 0) return;
    const key = random.pick(keys);
    const next = part[key];
    if (typeof next !== "object" || next === null || random.chance(0.3)) {
      part[key] = odd(random);
      return;
    }
    part = next as Record<string, unknown>;
  }
}

async function start(): ReturnType<FuzzKind<ReviewInput>["start"]> {
  const folder = mkdtempSync(join(tmpdir(), "tsop-fuzz-"));
  const now = Date.now();
  const validity = { from: now - 3_600_000, to: now + 24 * 3_600_000 };
  const { certificate, key } = selfSigned(["127.0.0.1"], validity);
  const files = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
  writeFileSync(files.certFile, certificate);
  writeFileSync(files.keyFile, key);
  const handlers = [
    new FuzzDefaulter(),
    new FuzzValidator(),
    new FuzzHandler(),
    new FuzzConversion(),
  ];
  const host = new WebhookHost({
    options: { port: 0, host: "127.0.0.1", certificate: files },
    registry: new Registry(),
    clock: systemClock,
    log: silentLogger,
    namespace: "default",
    observe: () => undefined,
    client: clusterWith(handlers),
  });
  for (const handler of handlers) host.add(handler);
  await host.start(LIMITS);
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const port = host.port ?? 0;
  return {
    attempt: (input: ReviewInput) =>
      input.sent ? ask(port, agent, input) : answerTo(host.served, input),
    async stop() {
      agent.destroy();
      await host.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The answer of what is behind the server. */
async function answerTo(
  served: ReadonlyMap<string, ServedPath>,
  input: ReviewInput,
): Promise<string> {
  const [path = "", query = ""] = input.path.split("?");
  const at = served.get(path);
  if (!at) return "not served";
  const headers = { "content-type": input.type };
  const patience = new Patience(systemClock, patienceOf(query, at.defaultTimeoutMs));
  const memory = new RequestMemory(LIMITS.requestsBytes, systemClock);
  const body = Buffer.from(input.body);
  const take = (): void => memory.giveBack(takeMemory(memory, body, at.growth));
  const request = { pathname: path, method: input.method, headers, body, take };
  const reply = await replyOf(at, request, patience);
  return judge(reply.status, reply.body, input);
}

function ask(port: number, agent: Agent, input: ReviewInput): Promise<string> {
  const { method, path, type, body } = input;
  return new Promise((resolve, reject) => {
    const headers = { "content-type": type, "content-length": Buffer.byteLength(body) };
    const outgoing = request({ host: "127.0.0.1", port, method, path, agent, headers });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("end", () => {
        try {
          resolve(judge(response.statusCode ?? 0, text, input));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
    outgoing.end(body);
  });
}

interface SaidReview {
  readonly response: {
    readonly uid: string;
    readonly allowed?: boolean;
    readonly status?: { readonly code: number };
    readonly patch?: string;
    readonly result?: { readonly status: string };
    readonly convertedObjects?: readonly object[];
  };
}

/** What became of it; throws when the answer is wrong. */
function judge(status: number, text: string, { body }: ReviewInput): string {
  if (!KNOWN.has(status)) throw new Error(`answered with ${status}: ${text}`);
  const { response } = JSON.parse(text) as SaidReview;
  // Half of a character is another one on the way.
  const received = Buffer.from(body).toString();
  const isEcho = response.uid === "" || received.includes(JSON.stringify(response.uid));
  if (!isEcho) throw new Error(`the uid is made up: ${text}`);
  if (status !== 200) {
    if (response.allowed !== false) throw new Error(`a failure allows: ${text}`);
    return `failed with ${status}`;
  }
  if (response.uid === "") throw new Error(`an answer without uid: ${text}`);
  if (response.result) return `conversion: ${response.result.status}`;
  if (response.patch !== undefined) {
    const patch: unknown = JSON.parse(Buffer.from(response.patch, "base64").toString());
    if (!Array.isArray(patch) || patch.length === 0) throw new Error(`an empty patch: ${text}`);
    return "patched";
  }
  return response.allowed === true ? "allowed" : `refused with ${response.status?.code ?? 0}`;
}
