import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { objectPath } from "../../../src/runtime/rest/paths.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { ScriptedTransport } from "../../../src/runtime/transport/scripted-transport.ts";
import { WIDGETS } from "../support/widgets.ts";

// What client-go refuses, and what no name can have.
const REFUSED = [".", "..", "a/b", "../b", "%2e%2e", "a%", "\0", "a\r\nb", "\ud800"];

describe("the path of an object", () => {
  it("takes any name that names the object alone", () => {
    const path = objectPath(WIDGETS, { namespace: "d", name: "...a b:ä?#&" }, "status");
    expect(path).toBe(
      "/apis/example.com/v1/namespaces/d/widgets/...a%20b%3A%C3%A4%3F%23%26/status",
    );
  });

  it.each(REFUSED)("is refused where %j would name something else", async (bad) => {
    const clock = new VirtualClock();
    const transport = new ScriptedTransport(clock, []);
    const client = new LiveClient(new RestClient(transport, clock), { fieldManager: "test" });
    const refused = { code: "name-not-in-path" };
    await expect(client.delete(WIDGETS, { namespace: "d", name: bad })).rejects.toMatchObject(
      refused,
    );
    await expect(client.get(WIDGETS, { namespace: bad, name: "a" })).rejects.toMatchObject(refused);
    await expect(client.list(WIDGETS, { namespace: bad })).rejects.toMatchObject(refused);
    expect(() => objectPath({ ...WIDGETS, plural: bad }, { namespace: "d", name: "a" })).toThrow();
    expect(() => objectPath({ ...WIDGETS, group: bad }, { namespace: "d", name: "a" })).toThrow();
    expect(transport.seen).toEqual([]);
  });
});
