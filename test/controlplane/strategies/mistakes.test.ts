/**
 * Mistakes in objects of built-in kinds. `mistakes.data.json` holds what a kube-apiserver v1.37.2 answered to
 * `POST ...?dryRun=All`: of each kind one valid object with a single field changed, emptied, repeated or left out.
 */
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../../src/controlplane/builtin/go/unified-diff.ts";
import { internalForm } from "../../../src/controlplane/builtin/go/internal.ts";
import { startControlPlane } from "../../../src/controlplane/control-plane.ts";
import { connectionOf } from "../../conformance/replay.ts";

interface Mistake {
  readonly path: string;
  readonly body: object;
  readonly message: string;
  readonly causes: readonly object[];
}

const mistakes = JSON.parse(
  readFileSync(new URL("mistakes.data.json", import.meta.url), "utf8"),
) as Mistake[];

describe("Mistakes in built-in objects", () => {
  it("are refused with the texts and causes of a real API server", async () => {
    const controlPlane = await startControlPlane({ controllers: "off", nodes: 0 });
    try {
      const { server, ca, cert, key } = connectionOf(controlPlane.kubeconfig);
      const post = (path: string, body: object): Promise<unknown> =>
        new Promise((resolve, reject) => {
          const call = request(
            `${server}${path}`,
            { method: "POST", ca, cert, key, headers: { "content-type": "application/json" } },
            (answer) => {
              let text = "";
              answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
              answer.on("end", () => {
                resolve(JSON.parse(text));
              });
            },
          );
          call.on("error", reject);
          call.end(JSON.stringify(body));
        });
      await post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
      for (const { path, body, message, causes } of mistakes) {
        expect(await post(path, body)).toMatchObject({ code: 422, message, details: { causes } });
      }
    } finally {
      await controlPlane.stop();
    }
  }, 60_000);
});

describe("Messages that show a struct", () => {
  it("print absent fields as null or zero, under their Go names", () => {
    expect(internalForm("core.Taint", { key: "a", effect: "NoSchedule" })).toEqual({
      Key: "a",
      Value: "",
      Effect: "NoSchedule",
      TimeAdded: null,
    });
  });

  it("print a unified diff with three lines around each change", () => {
    expect(unifiedDiff({ a: 1, b: 2 }, { a: 1, b: 3 })).toBe(
      '@@ -1,4 +1,4 @@\n {\n  "a": 1,\n- "b": 2\n+ "b": 3\n }\n',
    );
  });
});
