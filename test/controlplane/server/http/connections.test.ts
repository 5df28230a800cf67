import { once } from "node:events";
import { request } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { parse } from "yaml";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import {
  type ControlPlane,
  startControlPlane,
} from "../../../../src/controlplane/control-plane.ts";
import { Store } from "../../../../src/controlplane/store/store.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const LARGE = 300_000;

let cluster: ControlPlane;

beforeAll(async () => {
  cluster = await startControlPlane({ controllers: "off" });
});
afterAll(() => cluster.stop());

interface Login {
  readonly "client-certificate-data": string;
  readonly "client-key-data": string;
}

/** A connection as an administrator. */
async function open(): Promise<TLSSocket> {
  const { users } = parse(cluster.kubeconfig) as { users: { user: Login }[] };
  const pem = (name: keyof Login): Buffer => Buffer.from(users[0]?.user[name] ?? "", "base64");
  const { hostname, port } = new URL(cluster.url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    ca: cluster.caCertificate,
    cert: pem("client-certificate-data"),
    key: pem("client-key-data"),
  });
  await once(socket, "secureConnect");
  return socket;
}

function asked(method: string, path: string, body = "", more = ""): string {
  const type = "Content-Type: application/json\r\n";
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\n${type}${more}${length}\r\n${body}`;
}

const configMap = (name: string, data: string): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { data } });

/** What comes over the connection until there are that many answers, and what ended it before that, if anything did. */
async function received(
  socket: TLSSocket,
  answers: number,
): Promise<{ text: string; codes: string[]; error?: string }> {
  let text = "";
  let error: string | undefined;
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  socket.on("error", (thrown) => (error = thrown.message));
  socket.on("close", () => (error ??= "closed"));
  const codes = (): string[] =>
    [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code = ""]) => code);
  await eventually(() => {
    if (error === undefined) expect(codes().length).toBeGreaterThanOrEqual(answers);
  });
  return { text, codes: codes(), ...(error === undefined ? {} : { error }) };
}

describe("connections to the control plane", () => {
  it("last when large requests come before large answers have gone", async () => {
    const socket = await open();
    const name = "large";
    const body = configMap(name, "x".repeat(LARGE));
    const patch = JSON.stringify({ data: { other: "y".repeat(LARGE) } });
    const asMerge = "Content-Type: application/merge-patch+json\r\n";
    socket.write(asked("POST", CONFIG_MAPS, body));
    for (let round = 0; round < 5; round++) {
      const type = round % 2 === 0 ? "" : "X-Round: odd\r\n";
      socket.write(asked("GET", `${CONFIG_MAPS}/${name}`, "", type));
      const text = asked("PATCH", `${CONFIG_MAPS}/${name}`, patch);
      socket.write(text.replace("Content-Type: application/json\r\n", asMerge));
    }
    const { codes, error } = await received(socket, 11);
    expect({ codes, error }).toEqual({
      codes: ["201", ...new Array<string>(10).fill("200")],
      error: undefined,
    });
    socket.destroy();
  });

  it("stop reading from a client that does not take its answers", async () => {
    const socket = await open();
    socket.pause();
    const reads = vi.spyOn(Store.prototype, "get");
    onTestFinished(() => reads.mockRestore());
    const answered = (): number =>
      reads.mock.calls.filter(([, key]) => key === "default/large").length;
    // 10,000 answers of 600 kB would be 6 GB.
    socket.write(asked("GET", `${CONFIG_MAPS}/large`).repeat(10_000));
    await eventually(() => expect(answered()).toBeGreaterThan(0));
    const other = await open();
    // Each answer on the other connection is a time in which this one could go on.
    for (let round = 1; round <= 500; round++) {
      other.write(asked("GET", "/version"));
      await once(other, "data");
    }
    const some = answered();
    expect(some).toBeLessThan(200);
    // It goes on as soon as the client takes them.
    socket.resume();
    await eventually(() => expect(answered()).toBeGreaterThan(some + 20));
    for (const each of [socket, other]) each.destroy();
  });

  it("serve the next request after one that was refused before its body was read", async () => {
    const socket = await open();
    const body = configMap("refused", "x".repeat(LARGE));
    socket.write(asked("POST", "/api/v1/nothing", body));
    socket.write(asked("POST", CONFIG_MAPS, body, "Impersonate-User: nobody\r\n"));
    socket.write(asked("PUT", "/apis/nothing/v1/x", body));
    socket.write(asked("GET", "/version"));
    const { codes, error } = await received(socket, 4);
    expect({ codes, error }).toEqual({ codes: ["404", "403", "404", "200"], error: undefined });
    socket.destroy();
  });

  it("serve the next request after one that was too large", async () => {
    const socket = await open();
    const body = configMap("huge", "x".repeat(10_000_000));
    socket.write(asked("POST", CONFIG_MAPS, body));
    socket.write(asked("GET", "/version"));
    const { codes, error } = await received(socket, 2);
    expect({ codes, error }).toEqual({ codes: ["413", "200"], error: undefined });
    socket.destroy();
  });

  it("end when a refused body does not", async () => {
    const socket = await open();
    socket.write("POST /api/v1/nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    const chunk = `100000\r\n${"x".repeat(0x100000)}\r\n`;
    let sent = 0;
    socket.on("error", () => undefined);
    while (!socket.destroyed && sent < 200) {
      sent++;
      await new Promise<void>((resolve) => {
        socket.write(chunk, () => {
          resolve();
        });
      });
    }
    expect(sent).toBeLessThan(200);
  });

  it("take a query as long as a selector of many names", async () => {
    const { hostname, port } = new URL(cluster.url);
    const names = Array.from({ length: 6000 }, (_, index) => `name-${index}`).join(",");
    const path = `${CONFIG_MAPS}?labelSelector=${encodeURIComponent(`app in (${names})`)}`;
    const status = await new Promise((resolve, reject) => {
      request({ host: hostname, port, path, ca: cluster.caCertificate }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on("error", reject)
        .end();
    });
    expect(status).toBe(403);
  });
});
