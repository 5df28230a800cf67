/** Which reconcile a request belongs to, where one manager's reconcile works with the client of another. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import {
  ReconcileScopes,
  type ReconcileScope,
} from "../../../src/runtime/controller/reconcile-scopes.ts";

const clock = new VirtualClock();
const scopeOf = (controller: string): ReconcileScope => ({
  controller,
  key: "d/web",
  id: "1",
  changes: [],
  expired: false,
});

const write = (scopes: ReconcileScopes): Promise<unknown> =>
  scopes.middleware(
    { method: "PATCH", path: "/api/v1/namespaces/d/pods/web", body: { metadata: {} } },
    async () => ({ metadata: { resourceVersion: "1" } }),
  );

describe("the reconciles of two managers in one process", () => {
  it("keep their own writes and ends apart, one within the other", async () => {
    const [outer, inner] = [new ReconcileScopes(clock), new ReconcileScopes(clock)];
    const [first, second] = [scopeOf("first"), scopeOf("second")];
    await outer.run(first, async () => {
      await write(inner);
      expect(first.changes).toEqual([]);
      await inner.run(second, async () => {
        await write(inner);
        await write(outer);
        first.expired = true;
        await expect(write(outer)).rejects.toMatchObject({ code: "reconcile-expired" });
        await write(inner);
      });
    });
    expect(first.changes).toHaveLength(1);
    // The answer to its second write has the version of its first: nothing changed.
    expect(second.changes).toHaveLength(1);
    // Outside of them a write is nobody's.
    await write(outer);
    expect(first.changes).toHaveLength(1);
  });
});
