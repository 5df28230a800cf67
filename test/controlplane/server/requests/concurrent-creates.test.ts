import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ControlPlane,
  startControlPlane,
} from "../../../../src/controlplane/control-plane.ts";

let cluster: ControlPlane;

beforeAll(async () => {
  cluster = await startControlPlane({ listen: false, controllers: "off" });
});
afterAll(() => cluster.stop());

const certificate = { user: "admin", groups: ["system:masters"] };

async function send(method: string, target: string, type: string, body: object): Promise<number> {
  const { answer } = cluster.request({
    method,
    target,
    headers: { "content-type": type },
    certificate,
    body: JSON.stringify(body),
  });
  return (await answer).status;
}

describe("Writes that may create their object, at the same time", () => {
  it("apply: the first creates it, the others update it", async () => {
    const codes = await Promise.all(
      ["a", "b", "c"].map((manager) =>
        send(
          "PATCH",
          `/api/v1/namespaces/default/configmaps/applied?fieldManager=${manager}`,
          "application/apply-patch+yaml",
          {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "applied" },
            data: { [manager]: "" },
          },
        ),
      ),
    );
    expect(codes).toEqual([201, 200, 200]);
    const found = cluster
      .objects("configmaps", "default")
      .find(({ metadata }) => metadata.name === "applied");
    expect(found).toMatchObject({ data: { a: "", b: "", c: "" } });
  });

  it("apply of the same field: the others conflict as with an object that was there before", async () => {
    const codes = await Promise.all(
      ["a", "b"].map((manager) =>
        send(
          "PATCH",
          `/api/v1/namespaces/default/configmaps/same?fieldManager=${manager}`,
          "application/apply-patch+yaml",
          {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "same" },
            data: { key: manager },
          },
        ),
      ),
    );
    expect(codes).toEqual([201, 409]);
  });

  it("PUT of a kind that it creates", async () => {
    const target = "/api/v1/namespaces/default/endpoints/put";
    const endpoints = { metadata: { name: "put", namespace: "default" } };
    const codes = await Promise.all(
      [1, 2].map(() => send("PUT", target, "application/json", endpoints)),
    );
    expect(codes).toEqual([201, 200]);
  });
});
