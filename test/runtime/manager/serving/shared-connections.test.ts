import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import {
  networkOf,
  SharedConnections,
} from "../../../../src/runtime/serving/shared-connections.ts";

const open: { destroy(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.destroy();
});

/** A server of at most so many connections. */
async function serverOf(max: number): Promise<(from: string) => Promise<Socket>> {
  const shared = new SharedConnections(max);
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    shared.opened(socket);
  }).listen(0, "0.0.0.0");
  await once(server, "listening");
  open.push({ destroy: () => void server.close() });
  const { port } = server.address() as AddressInfo;
  return async (from) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: from });
    // Whoever is ended may see a reset.
    socket.on("error", () => undefined);
    open.push(socket);
    await once(socket, "connect");
    return socket;
  };
}

const ended = (sockets: readonly Socket[]): number => sockets.filter((one) => one.closed).length;
const settled = async (sockets: readonly Socket[], count: number): Promise<void> => {
  for (const socket of sockets) socket.resume();
  await eventually(() => {
    expect(ended(sockets)).toBe(count);
    return Promise.resolve();
  });
};

// Only Linux has all of 127.0.0.0/8.
it.runIf(process.platform === "linux")(
  "whoever holds all connections loses its oldest to those of other addresses",
  async () => {
    const connectFrom = await serverOf(100);
    const held = [];
    for (let count = 0; count < 100; count++) held.push(await connectFrom("127.0.0.2"));
    const others = [];
    for (let count = 0; count < 50; count++) others.push(await connectFrom("127.0.0.3"));
    await settled(held, 50);
    expect(held.slice(0, 50).every((socket) => socket.closed)).toBe(true);
    expect(ended(others)).toBe(0);
    // They have as many each: nobody gets more at the other's cost.
    const more = [await connectFrom("127.0.0.3"), await connectFrom("127.0.0.2")];
    await settled(more, 2);
    expect([ended(held), ended(others)]).toEqual([50, 0]);
  },
);

it.runIf(process.platform === "linux")(
  "addresses of one network with a connection each keep nobody else out",
  async () => {
    const connectFrom = await serverOf(50);
    const held = [];
    for (let count = 0; count < 50; count++) held.push(await connectFrom(`127.1.1.${count + 1}`));
    const others = [await connectFrom("127.2.1.1"), await connectFrom("127.2.1.2")];
    await settled(held, 2);
    expect(ended(others)).toBe(0);
    // Within their network, too, whoever has fewer gets one.
    const more = [await connectFrom("127.1.1.99")];
    await settled(more, 1);
  },
);

it.each([
  ["10.1.2.3", "10.1.2.4", true],
  ["10.1.2.3", "10.1.3.3", false],
  ["::ffff:10.1.2.3", "10.1.2.9", true],
  ["fd00:0:0:1::5", "fd00::1:2:3:4:5", true],
  ["fd00::1", "fd00:0:0:0:9::", true],
  ["fd00:1::1", "fd00:2::1", false],
  ["fe80::1%eth0", "fe80::2", true],
  ["::1", "::2", true],
])("%s and %s are of one network: %s", (one, other, isSame) => {
  expect(networkOf(one) === networkOf(other)).toBe(isSame);
});

it("of one address the newcomer is ended, and what is under way stays", async () => {
  const connectFrom = await serverOf(10);
  const held = [];
  for (let count = 0; count < 10; count++) held.push(await connectFrom("127.0.0.1"));
  const late = await connectFrom("127.0.0.1");
  await settled([late], 1);
  expect(ended(held)).toBe(0);
  held[0]?.destroy();
  await eventually(async () => {
    const next = await connectFrom("127.0.0.1");
    next.resume();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(next.closed).toBe(false);
  });
});
