/** The clients whose connections are verified. Each reads and patches one large definition. */
import { execFile } from "node:child_process";
import { copyFile, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { systemClock } from "../../../src/clock.ts";
import { messageOf } from "../../../src/errors.ts";
import { loadClusterConfig } from "../../../src/index.ts";
import { HttpsTransport } from "../../../src/testing.ts";
import { has } from "../../../bench/measure.ts";

/** Where definitions are. */
export const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const PATH = `${CRDS}/larges.connections.test`;
const MERGE = "application/merge-patch+json";
// Not a dependency: it is installed when another package needs it.
const UNDICI = "undici";

/** Sends that many pairs of a read and a patch, and counts the failed requests by reason. */
export type Client = (pairs: number) => Promise<Map<string, number>>;

/** What a client connects with. */
export interface Login {
  readonly url: URL;
  readonly kubeconfig: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** A folder for files. */
  readonly folder: string;
  /** The number of pairs after which a new connection is opened; its first requests fail most easily. */
  readonly each: number;
}

const properties = Object.fromEntries(
  Array.from({ length: 1680 }, (_, index) => [
    `field${index}`,
    { type: "string", description: `Field ${index} is described at length. ${"x".repeat(118)}` },
  ]),
);
const names = { plural: "larges", singular: "large", kind: "Large", listKind: "LargeList" };
const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", properties } } };
const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
const spec = { group: "connections.test", scope: "Namespaced", names, versions };
/** The definition, of 334 kB. */
export const DEFINITION = JSON.stringify({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "larges.connections.test" },
  spec,
});
const PATCH = JSON.stringify({ spec });

/** A client from a function that sends one request; `renew` opens new connections. */
function clientOf(
  each: number,
  send: (method: string, body?: string) => Promise<number>,
  renew: () => void,
): Client {
  return async (pairs) => {
    const failures = new Map<string, number>();
    const count = (why: string): void => void failures.set(why, (failures.get(why) ?? 0) + 1);
    for (let pair = 0; pair < pairs; pair++) {
      if (pair % each === 0) renew();
      for (const body of [undefined, PATCH]) {
        try {
          const status = await send(body === undefined ? "GET" : "PATCH", body);
          if (status !== 200) count(`HTTP ${status}`);
        } catch (error) {
          count((error as NodeJS.ErrnoException).code ?? messageOf(error));
        }
      }
    }
    return failures;
  };
}

function tsopClient({ kubeconfig, each }: Login): Client {
  const config = loadClusterConfig({ kubeconfigText: kubeconfig, clock: systemClock });
  let transport = new HttpsTransport(config, "connections");
  const send = async (method: string, body?: string): Promise<number> => {
    const headers = { "Content-Type": MERGE };
    const asked = { method, path: PATH, headers, ...(body === undefined ? {} : { body }) };
    const answer = await transport.request({ ...asked, signal: undefined });
    for await (const _chunk of answer.body);
    return answer.status;
  };
  return clientOf(each, send, () => {
    transport.close();
    transport = new HttpsTransport(config, "connections");
  });
}

function agentClient({ url, ca, cert, key, each }: Login): Client {
  const open = (): Agent => new Agent({ keepAlive: true, maxSockets: 1, ca, cert, key });
  let agent = open();
  const send = (method: string, body?: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { "content-type": MERGE };
      const { hostname: host, port } = url;
      request({ agent, host, port, method, path: PATH, headers }, (answer) => {
        answer.on("error", reject).on("end", () => {
          resolve(answer.statusCode ?? 0);
        });
        answer.resume();
      })
        .on("error", reject)
        .end(body);
    });
  return clientOf(each, send, () => {
    agent.destroy();
    agent = open();
  });
}

/** The used part of undici. */
interface Undici {
  readonly Client: new (
    origin: string,
    options: object,
  ) => {
    request(asked: object): Promise<{ statusCode: number; body: { dump(): Promise<void> } }>;
    destroy(): Promise<void>;
  };
}

function undiciClient({ url, ca, cert, key, each }: Login): Client | undefined {
  const require = createRequire(import.meta.url);
  let undici: Undici;
  try {
    undici = require(UNDICI) as Undici;
  } catch {
    return undefined;
  }
  const open = (): InstanceType<Undici["Client"]> =>
    new undici.Client(url.origin, { connect: { ca, cert, key } });
  let client = open();
  const send = async (method: string, body?: string): Promise<number> => {
    const headers = body === undefined ? {} : { "content-type": MERGE };
    const answer = await client.request({ method, path: PATH, headers, body });
    await answer.body.dump();
    return answer.statusCode;
  };
  return clientOf(each, send, () => {
    void client.destroy();
    client = open();
  });
}

const run = promisify(execFile);

/** The failures that a program prints, one per line. */
function failuresIn(text: string): Map<string, number> {
  const failures = new Map<string, number>();
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const why = line.replaceAll(/:\d+/g, "");
    failures.set(why, (failures.get(why) ?? 0) + 1);
  }
  return failures;
}

/** Writes the certificates and the patch for a program. */
async function writeFiles(login: Login): Promise<void> {
  for (const name of ["ca", "cert", "key"] as const) {
    await writeFile(join(login.folder, `${name}.pem`), login[name]);
  }
  await writeFile(join(login.folder, "patch.json"), PATCH);
}

async function curlClient(login: Login): Promise<Client | undefined> {
  if (!has("curl", "--version")) return undefined;
  await writeFiles(login);
  const { folder, each } = login;
  const common = ["silent", "show-error", "output = /dev/null", 'write-out = "%{http_code}\\n"'];
  for (const [option, name] of Object.entries({ cacert: "ca", cert: "cert", key: "key" })) {
    common.push(`${option} = "${folder}/${name}.pem"`);
  }
  common.push(`url = "${login.url.origin}${PATH}"`);
  const patch = ["request = PATCH", `data-binary = "@${folder}/patch.json"`];
  const write = [...common, ...patch, `header = "Content-Type: ${MERGE}"`];
  const config = join(folder, "curl.conf");
  return async (pairs) => {
    // One run keeps its connections.
    const pair = [...common, "next", ...write];
    const text = new Array<string>(each).fill(pair.join("\n")).join("\nnext\n");
    await writeFile(config, text);
    let printed = "";
    for (let done = 0; done < pairs; done += each) {
      const { stdout, stderr } = await run("curl", ["--config", config]).catch(
        (error: unknown) => error as { stdout: string; stderr: string },
      );
      printed += stdout.replaceAll("200\n", "") + stderr;
    }
    return failuresIn(printed);
  };
}

async function goClient(login: Login): Promise<Client | undefined> {
  if (!has("go", "version")) return undefined;
  await writeFiles(login);
  const { folder, each, url } = login;
  const source = join(folder, "main.go");
  await copyFile(fileURLToPath(new URL("client.go", import.meta.url)), source);
  const program = join(folder, "client");
  await run("go", ["build", "-o", program, source]);
  return async (pairs) => {
    const args = [url.origin + PATH, folder, String(pairs), String(each)];
    const { stdout } = await run(program, args, { maxBuffer: 64 * 1024 * 1024 });
    return failuresIn(stdout);
  };
}

/** The clients by name; nothing comes of a client that this machine does not have. */
export const CLIENTS: Readonly<
  Record<string, (login: Login) => Promise<Client | undefined> | Client | undefined>
> = { tsop: tsopClient, https: agentClient, undici: undiciClient, curl: curlClient, go: goClient };
