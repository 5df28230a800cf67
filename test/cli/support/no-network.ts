/** A machine without network, for a test: connections fail, and what was tried is known. */
import { Socket } from "node:net";
import { onTestFinished } from "vitest";

/** From here to the end of the test nothing connects; returns where to it was tried. */
export function withoutNetwork(): readonly unknown[] {
  const tried: unknown[] = [];
  const { connect } = Socket.prototype;
  onTestFinished(() => {
    Socket.prototype.connect = connect;
  });
  Socket.prototype.connect = function (this: Socket, ...[to]: unknown[]) {
    tried.push(to);
    const refusal = Object.assign(new Error("connect ENETUNREACH"), { code: "ENETUNREACH" });
    return this.destroy(refusal);
  } as typeof connect;
  return tried;
}
