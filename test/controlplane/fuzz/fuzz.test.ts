import { Agent, request } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../../src/controlplane/control-plane.ts";
import type { Logger } from "../../../src/log.ts";
import { connectionOf } from "../../conformance/replay.ts";
import { Random } from "./random.ts";
import { type FuzzRequest, nextRequest } from "./requests.ts";

/** Overnight: `FUZZ_REQUESTS=1000000 FUZZ_SEED=7 npx vitest run test/controlplane/fuzz`. */
const REQUESTS = Number(process.env["FUZZ_REQUESTS"] ?? 1200);
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);
const WORKERS = 8;
/** Far more than any request may take; a hang is what is looked for. */
const DEADLINE_MS = 10_000;

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.fuzz.example.com" },
  spec: {
    group: "fuzz.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas" },
        },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer", default: 1, maximum: 9 },
                  tags: {
                    type: "array",
                    "x-kubernetes-list-type": "set",
                    items: { type: "string" },
                  },
                  parts: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string" }, count: { type: "integer" } },
                    },
                  },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                },
              },
              status: { type: "object", properties: { replicas: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
};

interface FuzzAnswer {
  readonly status: number;
  readonly text: string;
}

describe("The control plane under random requests", () => {
  let plane: ControlPlane;
  let send: (asked: FuzzRequest) => Promise<FuzzAnswer>;
  const crashes: string[] = [];

  beforeAll(async () => {
    const ignore = (): void => undefined;
    const log: Logger = {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (...line: unknown[]) => void crashes.push(describeCrash(line)),
      child: () => log,
    };
    plane = await startControlPlane({ controllers: "off", log });
    const { server, ca, cert, key } = connectionOf(plane.kubeconfig);
    const agent = new Agent({ keepAlive: true, maxSockets: WORKERS, ca, cert, key });
    send = (asked) =>
      new Promise((resolve, reject) => {
        // Node leaves the length of a DELETE's body to its caller.
        const headers = { ...asked.headers, "content-length": asked.body.length };
        const options = { method: asked.method, headers, agent };
        const outgoing = request(`${server}${asked.path}`, options, (incoming) => {
          let text = "";
          incoming.setEncoding("utf8").on("data", (part: string) => (text += part));
          incoming.on("end", () => {
            resolve({ status: incoming.statusCode ?? 0, text });
          });
          incoming.on("error", reject);
        });
        outgoing.setTimeout(DEADLINE_MS, () => {
          outgoing.destroy(new Error(`no answer within ${DEADLINE_MS} ms`));
        });
        outgoing.on("error", reject);
        outgoing.end(asked.body);
      });
    await send({
      method: "POST",
      path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      headers: { "content-type": "application/json" },
      body: Buffer.from(JSON.stringify(definition)),
    });
  }, 60_000);

  afterAll(() => plane.stop());

  it(
    "answers each, never fails inside, and lives on",
    async () => {
      const random = new Random(SEED);
      const wrong: string[] = [];
      let left = REQUESTS;
      const worker = async (): Promise<void> => {
        while (left-- > 0) {
          const asked = nextRequest(random);
          const before = crashes.length;
          const shown = `${asked.method} ${asked.path} ${JSON.stringify(asked.headers)} ${asked.body.toString("latin1").slice(0, 600)}`;
          try {
            const { status, text } = await send(asked);
            if (status < 200 || status > 599) wrong.push(`${status}: ${shown}`);
            if (status >= 500 && !text.includes("message"))
              wrong.push(`${status} ${text}: ${shown}`);
          } catch (error) {
            wrong.push(`${String(error)}: ${shown}`);
          }
          if (crashes.length > before) wrong.push(`${crashes.at(-1) ?? ""}: ${shown}`);
        }
      };
      await Promise.all(Array.from({ length: WORKERS }, worker));
      expect(wrong).toEqual([]);
      expect(
        (await send({ method: "GET", path: "/readyz", headers: {}, body: Buffer.alloc(0) })).text,
      ).toBe("ok");
    },
    60_000 + REQUESTS * 20,
  );
});

function describeCrash(line: readonly unknown[]): string {
  const [bindings] = line;
  const error = (bindings as { err?: unknown } | undefined)?.err;
  return error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(line);
}
