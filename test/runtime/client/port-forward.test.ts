import { connect } from "node:net";
import { once } from "node:events";
import { Duplex } from "node:stream";
import { expect, it } from "vitest";
import { listenForPod } from "../../../src/runtime/client/pods/port-forward.ts";

it("reports a connection of the pod that has ended before it is used, and closes the local one", async () => {
  const errors: string[] = [];
  const ended = async (): Promise<Duplex> => {
    const stream = new Duplex({ read: () => undefined });
    stream.destroy(new Error("refused"));
    await once(stream, "error");
    return stream;
  };
  const forward = await listenForPod(ended, {
    localPort: 0,
    signal: undefined,
    onError: ({ message }) => errors.push(message),
  });
  const socket = connect(forward.port, "127.0.0.1");
  await once(socket.resume(), "close");
  await forward.close();
  expect(errors).toEqual(["refused"]);
});
