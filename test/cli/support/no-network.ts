/** A machine without network, for a test: connections fail, and what was tried is known. */
import { Socket } from "node:net";
import { onTestFinished, vi } from "vitest";

/** From here to the end of the test nothing connects; returns where to it was tried. */
export function withoutNetwork(): readonly unknown[] {
  const connect = vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket) {
    return this.destroy(Object.assign(new Error("connect ENETUNREACH"), { code: "ENETUNREACH" }));
  });
  onTestFinished(() => {
    connect.mockRestore();
  });
  return connect.mock.calls;
}
