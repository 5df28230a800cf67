import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { fixedCredentials } from "../../../src/runtime/transport/credentials/credentials.ts";
import { FencedTransport } from "../../../src/runtime/transport/fenced-transport.ts";
import { HttpsTransport } from "../../../src/runtime/transport/https-transport.ts";
import {
  ConnectionError,
  type ConnectionFailure,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../../../src/runtime/transport/transport.ts";

const WRITE = { method: "PUT", path: "/api/v1/things", body: "{}" };
const ANSWER = { status: 200, headers: {}, body: emptyBody(), cancel: () => undefined };

async function* emptyBody(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from("{}"));
}

function fenced(request: (asked: TransportRequest) => Promise<TransportResponse>) {
  const clock = new VirtualClock();
  const term: { endsAtMs: number | undefined } = { endsAtMs: undefined };
  const inner: Transport = { server: "http://here", request, close: () => undefined };
  return { clock, term, transport: new FencedTransport(inner, clock, () => term.endsAtMs) };
}

/** An answer that comes after a while, unless nobody waits for it any more. */
function after(clock: () => VirtualClock, delayMs: number) {
  return async ({ signal }: TransportRequest): Promise<TransportResponse> => {
    await clock().sleep(delayMs, signal);
    return ANSWER;
  };
}

describe("FencedTransport", () => {
  it("lets everything pass before there is a term, and reads at any time", async () => {
    const { transport, term } = fenced(() => Promise.resolve(ANSWER));
    expect(await transport.request(WRITE)).toBe(ANSWER);
    term.endsAtMs = -Infinity;
    expect(await transport.request({ method: "GET", path: "/api" })).toBe(ANSWER);
    await expect(transport.request(WRITE)).rejects.toMatchObject({ code: "leadership-lost" });
  });

  it("lets reviews and dry runs pass after the term, which store nothing", async () => {
    const { transport, term } = fenced(() => Promise.resolve(ANSWER));
    term.endsAtMs = -Infinity;
    const post = (path: string) => transport.request({ method: "POST", path, body: "{}" });
    for (const path of [
      "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      "/apis/authorization.k8s.io/v1/namespaces/d/localsubjectaccessreviews",
      "/apis/authentication.k8s.io/v1/tokenreviews?fieldManager=web",
      "/apis/apps/v1/namespaces/d/deployments?fieldManager=web&dryRun=All",
    ]) {
      expect(await post(path)).toBe(ANSWER);
    }
    for (const path of [
      "/apis/rbac.authorization.k8s.io/v1/clusterroles",
      "/apis/apps/v1/namespaces/d/deployments?dryRun=Allow",
      "/api/v1/namespaces/apis/authorization.k8s.io/v1",
    ]) {
      await expect(post(path)).rejects.toMatchObject({ code: "leadership-lost" });
    }
  });

  it("sends nothing at the very end of the term", async () => {
    const sent: string[] = [];
    const { transport, term, clock } = fenced(({ path }) => {
      sent.push(path);
      return Promise.resolve(ANSWER);
    });
    term.endsAtMs = 1000;
    await clock.advance(999);
    await transport.request(WRITE);
    await clock.advance(1);
    await expect(transport.request(WRITE)).rejects.toMatchObject({ code: "leadership-lost" });
    expect(sent).toEqual([WRITE.path]);
  });

  it("gives up a write when the term ends, but not one whose term is prolonged", async () => {
    const made = fenced(after(() => made.clock, 25_000));
    const { transport, term, clock } = made;
    term.endsAtMs = 10_000;
    const cut = expect(transport.request(WRITE)).rejects.toMatchObject({ name: "TimeoutError" });
    await clock.advance(10_000);
    await cut;
    expect(transport.settled).toBe(false);
    await clock.advance(5000);
    expect(transport.settled).toBe(false);
    await clock.advance(1);
    expect(transport.settled).toBe(true);

    term.endsAtMs = clock.monotonicMs() + 10_000;
    const answered = transport.request(WRITE);
    for (let second = 0; second < 25; second++) {
      await clock.advance(1000);
      term.endsAtMs = clock.monotonicMs() + 10_000;
    }
    expect(await answered).toBe(ANSWER);
    expect([transport.settled, clock.pending]).toEqual([true, 0]);
  });

  it("ends with the caller's own signal", async () => {
    const made = fenced(after(() => made.clock, 25_000));
    made.term.endsAtMs = 10_000;
    const stop = new AbortController();
    const request = made.transport.request({ ...WRITE, signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(request).rejects.toThrow("enough");
    expect(made.clock.pending).toBe(0);
  });

  it.each<[ConnectionFailure, boolean]>([
    ["refused", true],
    ["reset", false],
    ["timeout", false],
  ])("knows of a write that was %s whether it may be on its way: settled is %s", async (...row) => {
    const [failure, settled] = row;
    const { transport, term } = fenced(() =>
      Promise.reject(new ConnectionError(failure, "http://here", "a fault of the test")),
    );
    term.endsAtMs = 10_000;
    await expect(transport.request(WRITE)).rejects.toThrow("a fault");
    expect(transport.settled).toBe(settled);
  });

  it("asks once more when the connection is there, and sends nothing if the term is over by then", async () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.method ?? ""} ${request.url ?? ""}`);
      response.end("{}");
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const config = { server: url, namespace: "d", credentials: fixedCredentials({}) };
    const https = new HttpsTransport(config, "test");
    const clock = new VirtualClock();
    let endsAtMs = (): number => 10_000;
    const transport = new FencedTransport(https, clock, () => endsAtMs());
    for (const connection of ["new", "reused"]) {
      // The process is stopped once the request is on its way to the socket, and wakes up after its term.
      let looks = 0;
      endsAtMs = () => (++looks <= 3 ? 10_000 : -1);
      await expect(transport.request(WRITE), connection).rejects.toMatchObject({
        code: "leadership-lost",
      });
      expect(transport.settled).toBe(true);
      endsAtMs = () => 10_000;
      const { status, body } = await transport.request({ ...WRITE, path: `/${connection}` });
      let text = "";
      for await (const piece of body) text += Buffer.from(piece).toString();
      expect([status, text]).toEqual([200, "{}"]);
    }
    expect(seen).toEqual(["PUT /new", "PUT /reused"]);
    transport.close();
    server.close();
    server.closeAllConnections();
  });
});
