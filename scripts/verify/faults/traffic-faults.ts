/** Faults of single answers: late ones, watches that end within an event, lists that expire between two pages. */
import { systemClock } from "../../../src/clock.ts";
import { messageOf } from "../../../src/errors.ts";
import type { Fault } from "./fault.ts";
import { TcpProxy } from "./proxy.ts";
import { type Handling, PASS, RequestProxy } from "./request-proxy.ts";
import type { Replica } from "./replica.ts";
import type { Scene } from "./scene.ts";

const HARM_MS = 20_000;
const PAGE_SIZE = 20;

/** Starts a replica behind a proxy, and plays `work` when it is at rest. */
async function behindProxy(
  scene: Scene,
  args: readonly string[],
  work: (proxy: RequestProxy, replica: Replica) => Promise<void>,
): Promise<void> {
  const proxy = await RequestProxy.start(scene.plane);
  scene.atEnd(() => proxy.stop());
  const replica = await scene.start({ server: proxy.server, args });
  await scene.calm();
  await scene.probing(replica, async () => {
    await work(proxy, replica);
    proxy.handling = PASS;
    await scene.converges();
  });
}

/** As in client-go, a Lease is lost when its renewal takes longer than half of the renew deadline of 10 s. */
function slowFault(name: string, lateMs: number, args: readonly string[], expected: string): Fault {
  return {
    name,
    expected,
    async play(scene) {
      await behindProxy(scene, args, async (proxy, replica) => {
        let late = 0;
        proxy.handling = (request) => {
          late++;
          systemClock.after(lateMs, () => request.forward());
        };
        await scene.webs.disturb();
        await systemClock.sleep(HARM_MS);
        await scene.webs.disturb();
        scene.seen.push(`${late} answers were ${lateMs / 1000} s late`);
        if (replica.exit) scene.wrong.push("it ended");
      });
    },
  };
}

const cutWatches: Fault = {
  name: "watch-cut",
  expected: "a watch that ends within an event goes on from the last whole one",
  async play(scene) {
    await behindProxy(scene, [], async (proxy, replica) => {
      let cut = 0;
      const before = await listsOf(replica);
      proxy.handling = (request) => {
        if (!request.isWatch) {
          PASS(request);
          return;
        }
        request.forward(request.url, (answer) => {
          const { response } = request;
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          response.flushHeaders();
          answer.on("end", () => response.end());
          answer.on("data", (bytes: Buffer) => {
            // Bookmarks are short; what is cut is an object.
            if (bytes.length < 1000) {
              response.write(bytes);
              return;
            }
            cut++;
            answer.destroy();
            response.write(bytes.subarray(0, bytes.length - 100), () => response.destroy());
          });
        });
      };
      // The watches that are open do not pass through the new handling.
      await scene.plane.signal("apiserver", "SIGKILL");
      scene.plane.start("apiserver");
      await scene.plane.ready();
      const endMs = systemClock.monotonicMs() + HARM_MS;
      while (systemClock.monotonicMs() < endMs) {
        await scene.webs.disturb();
        await systemClock.sleep(2000);
      }
      scene.seen.push(`${cut} watches were cut, ${(await listsOf(replica)) - before} new lists`);
      if (cut === 0) scene.wrong.push("no watch was cut");
    });
  },
};

/** How often the informers of a replica listed everything. */
async function listsOf(replica: Replica): Promise<number> {
  const metrics = await replica.metrics();
  return [...metrics]
    .filter(([name]) => /^tsop_informer_occurrences_total\{.*"list"/.test(name))
    .reduce((sum, [, count]) => sum + count, 0);
}

const compactedLists: Fault = {
  name: "list-compacted",
  expected: "a list whose next page has expired is read anew, as a whole",
  async play(scene) {
    const proxy = await RequestProxy.start(scene.plane);
    scene.atEnd(() => proxy.stop());
    let expired = 0;
    let turn: Promise<unknown> = Promise.resolve();
    const handling: Handling = (request) => {
      const { url, response } = request;
      if (url.searchParams.has("sendInitialEvents")) {
        response.writeHead(422, { "content-type": "application/json" });
        response.end(JSON.stringify(NO_WATCH_LIST));
        return;
      }
      if (url.searchParams.has("limit")) {
        url.searchParams.set("limit", String(PAGE_SIZE));
        // Pages are read from etcd only if they are of no certain version.
        url.searchParams.delete("resourceVersion");
      }
      if (!url.searchParams.has("continue")) {
        request.forward(url);
        return;
      }
      expired++;
      turn = turn
        .then(() => scene.webs.disturb())
        .then(() => scene.plane.compact())
        .then(() => request.forward(url))
        .catch((error: unknown) => void scene.wrong.push(messageOf(error)));
    };
    proxy.handling = handling;
    const replica = await scene.start({ server: proxy.server });
    await scene.probing(replica, async () => {
      await scene.converges();
    });
    scene.seen.push(`${expired} pages were asked for after a compaction`);
    if (expired === 0) scene.wrong.push("no list had a second page");
    proxy.handling = PASS;
  },
};

const NO_WATCH_LIST = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
  reason: "Invalid",
  code: 422,
};

const halfOpen: Fault = {
  name: "tcp-half-open",
  expected: "watches that bring nothing any more are noticed and opened anew, on new connections",
  async play(scene) {
    const proxy = await TcpProxy.start(scene.plane);
    scene.atEnd(() => proxy.stop());
    const replica = await scene.start({ server: proxy.server });
    await scene.calm();
    await scene.probing(replica, async () => {
      const before = proxy.opened;
      proxy.set("half-open");
      await scene.webs.disturb();
      await scene.converges();
      scene.seen.push(`${proxy.opened - before} new connections`);
    });
  },
};

/** In the order in which they are played. */
export const TRAFFIC_FAULTS: readonly Fault[] = [
  slowFault("server-slow", 5000, [], "work goes on slowly, nothing is given up"),
  slowFault("lease-slow", 4000, ["--leader-elect"], "the lead is kept"),
  cutWatches,
  compactedLists,
  halfOpen,
];
