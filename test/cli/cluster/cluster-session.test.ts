import { describe, expect, it } from "vitest";
import { ClusterSession } from "../../../src/cli/cluster/cluster-session.ts";
import { VirtualClock } from "../../../src/clock.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import {
  type Reply,
  ScriptedTransport,
} from "../../../src/runtime/transport/scripted-transport.ts";

const served: Reply = {
  body: { resources: [{ name: "configmaps", kind: "ConfigMap", namespaced: true }] },
};
const configMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "page", namespace: "default" },
};
const live = (resourceVersion: string): Reply => ({
  body: { ...configMap, metadata: { ...configMap.metadata, resourceVersion } },
});
const missing: Reply = {
  status: 404,
  body: {
    kind: "Status",
    status: "Failure",
    reason: "NotFound",
    code: 404,
    details: { name: "page" },
  },
};
const cut: Reply = { reset: true };

function sessionWith(replies: readonly Reply[]): {
  session: ClusterSession;
  asked: () => string[];
  done: <T>(work: Promise<T>) => Promise<T>;
} {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport(clock, replies);
  const client = new LiveClient(new RestClient(transport, clock), { fieldManager: "tsop" });
  return {
    session: new ClusterSession(client, transport.server, clock),
    asked: () => transport.seen.map(({ method }) => method),
    async done(work) {
      work.catch(() => undefined);
      await clock.advance(60_000);
      return work;
    },
  };
}

describe("a session whose connection is cut", () => {
  it("applies again, and says what became of the object", async () => {
    const { session, asked, done } = sessionWith([served, live("1"), cut, cut, live("2")]);
    expect(await done(session.apply(configMap, { dryRun: false }))).toBe("configured");
    expect(asked()).toEqual(["GET", "GET", "PATCH", "PATCH", "PATCH"]);
  });

  it("deletes again, and counts what the first try deleted", async () => {
    const { session, asked, done } = sessionWith([served, cut, missing]);
    expect(await done(session.remove(configMap))).toBe(true);
    expect(asked()).toEqual(["GET", "DELETE", "DELETE"]);
  });

  it("says that there was nothing to delete when no connection was cut", async () => {
    const { session, done } = sessionWith([served, missing]);
    expect(await done(session.remove(configMap))).toBe(false);
  });

  it("gives up after three more tries, and does not promise any", async () => {
    const { session, asked, done } = sessionWith([served, live("1"), cut, cut, cut, cut]);
    await expect(done(session.apply(configMap, { dryRun: false }))).rejects.toMatchObject({
      code: "connection-reset",
      fix: expect.stringContaining("can be run again") as string,
    });
    expect(asked().filter((method) => method === "PATCH")).toHaveLength(4);
  });

  it("does not try again what the server refused", async () => {
    const refused: Reply = { status: 403, body: { kind: "Status", status: "Failure", code: 403 } };
    const { session, asked, done } = sessionWith([served, live("1"), refused]);
    await expect(done(session.apply(configMap, { dryRun: false }))).rejects.toMatchObject({
      code: 403,
    });
    expect(asked()).toEqual(["GET", "GET", "PATCH"]);
  });
});
