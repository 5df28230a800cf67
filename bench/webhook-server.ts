/**
 * The servers of `bench/webhooks.ts`. Arguments: what to serve, the folder with tls.crt and tls.key. Prints the port, and its
 * processor time in microseconds for each line that it is sent.
 *
 * - `tsop`: an operator's webhook server with one validator; `busy`: the same beside a reconciler that never rests;
 * - `empty`: Node's https server that reads each body and gives the same answer to all;
 * - `parsing`: the same that parses each body and writes its answer: the least that answers reviews.
 */
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { systemClock, VirtualClock } from "../src/clock.ts";
import {
  createManager,
  ValidatingWebhook,
  type ValidationReview,
  type Validator,
  type Unstored,
} from "../src/index.ts";
import { ConfigMap } from "../src/k8s.ts";
import { silentLogger } from "../src/log.ts";
import { ScriptedTransport } from "../src/runtime/transport/scripted-transport.ts";

@ValidatingWebhook(ConfigMap)
class ConfigMapValidator implements Validator<ConfigMap> {
  validateCreate({ data }: Unstored<ConfigMap>, review: ValidationReview<ConfigMap>): void {
    if (data?.["refuse"]) review.deny("refused");
  }
}

const [mode, folder = ""] = process.argv.slice(2);
const files = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
createInterface(process.stdin).on("line", () => {
  const { user, system } = process.cpuUsage();
  console.log(user + system);
});
if (mode === "empty") serveNothing();
else if (mode === "parsing") serveParsed();
else await serveOperator(mode === "busy");

function answerTo(uid: string): string {
  return JSON.stringify({
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    response: { uid, allowed: true },
  });
}

function serveNothing(): void {
  const answer = answerTo("705ab4f5-6393-11e8-b7cc-42010a800002");
  serve((request, send) => {
    request.resume().on("end", () => {
      send(answer);
    });
  });
}

function serveParsed(): void {
  serve((request, send) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const [first = Buffer.alloc(0)] = parts;
      const body = parts.length === 1 ? first : Buffer.concat(parts);
      const review = JSON.parse(body.toString()) as { request: { uid: string } };
      send(answerTo(review.request.uid));
    });
  });
}

function serve(handle: (request: IncomingMessage, send: (answer: string) => void) => void): void {
  const tls = { cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) };
  const server = createServer(tls, (request, response) => {
    handle(request, (answer) => {
      response.writeHead(200, {
        "Content-Type": "application/json",
        "Content-Length": answer.length,
      });
      response.end(answer);
    });
  });
  server.listen(0, "127.0.0.1", () => {
    console.log((server.address() as AddressInfo).port);
  });
}

async function serveOperator(isBusy: boolean): Promise<void> {
  const manager = createManager({
    transport: new ScriptedTransport(new VirtualClock(), []),
    log: silentLogger,
    webhooks: {
      port: 0,
      host: "127.0.0.1",
      certificate: files,
      listening: (port) => {
        console.log(port);
      },
    },
  });
  manager.webhooks.add(new ConfigMapValidator());
  if (isBusy) manager.add({ start: reconcileAllTheTime });
  await manager.start(new AbortController().signal);
}

/**
 * A fifth of a millisecond of work, then a turn of the event loop: the load of a busy controller.
 */
async function reconcileAllTheTime(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const endMs = systemClock.monotonicMs() + 0.2;
    while (systemClock.monotonicMs() < endMs) JSON.parse(JSON.stringify({ spec: { size: 1 } }));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
