/**
 * Checks that connections to the control plane last: `npm run connections -- [--pairs N] [--clients
 * tsop,https,undici,curl,go]`.
 *
 * Each client reads a CRD of 334 kB and patches it with as much, over connections that it keeps, a
 * few at a time; the control plane is another process. On another Node: `PROGRAM scripts/run-ts.mjs
 * scripts/connections.ts`. Clients that this machine does not have are listed and left out. Exits
 * with 1 when a request gets no answer, or a status other than 200.
 */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { parse } from "yaml";
import { systemClock } from "../src/clock.ts";
import { messageOf } from "../src/errors.ts";
import { loadClusterConfig } from "../src/index.ts";
import { HttpsTransport, startControlPlane } from "../src/testing.ts";

const { values } = parseArgs({
  options: {
    pairs: { type: "string", default: "10000" },
    clients: { type: "string", default: "tsop,https,undici,curl,go" },
    // A new connection is opened after so many pairs; the first requests of a connection fail most
    // easily.
    each: { type: "string", default: "5" },
    serve: { type: "boolean", default: false },
  },
});
const EACH = Number(values.each);
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const PATH = `${CRDS}/larges.connections.test`;
const MERGE = "application/merge-patch+json";
// Not a dependency: it is installed when another package needs it.
const UNDICI = "undici";

/** Sends that many pairs of a read and a patch, and counts the failed requests by reason. */
type Client = (pairs: number) => Promise<Map<string, number>>;

interface Login {
  readonly url: URL;
  readonly kubeconfig: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
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
const DEFINITION = JSON.stringify({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "larges.connections.test" },
  spec,
});
const PATCH = JSON.stringify({ spec });

async function serve(): Promise<void> {
  const cluster = await startControlPlane({ controllers: "off" });
  process.send?.(cluster.kubeconfig);
  process.on("disconnect", () => void cluster.stop());
}

function loginOf(kubeconfig: string): Login {
  const { clusters, users } = parse(kubeconfig) as {
    clusters: { cluster: Record<string, string> }[];
    users: { user: Record<string, string> }[];
  };
  const all = { ...clusters[0]?.cluster, ...users[0]?.user };
  const pem = (name: string): string => Buffer.from(all[name] ?? "", "base64").toString();
  return {
    url: new URL(all["server"] ?? ""),
    kubeconfig,
    ca: pem("certificate-authority-data"),
    cert: pem("client-certificate-data"),
    key: pem("client-key-data"),
  };
}

/** A client from a function that sends one request; `renew` opens new connections. */
function clientOf(
  send: (method: string, body?: string) => Promise<number>,
  renew: () => void,
): Client {
  return async (pairs) => {
    const failures = new Map<string, number>();
    const count = (why: string): void => void failures.set(why, (failures.get(why) ?? 0) + 1);
    for (let pair = 0; pair < pairs; pair++) {
      if (pair % EACH === 0) renew();
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

function tsopClient({ kubeconfig }: Login): Client {
  const config = loadClusterConfig({ kubeconfigText: kubeconfig, clock: systemClock });
  let transport = new HttpsTransport(config, "connections");
  const send = async (method: string, body?: string): Promise<number> => {
    const headers = { "Content-Type": MERGE };
    const asked = { method, path: PATH, headers, ...(body === undefined ? {} : { body }) };
    const answer = await transport.request({ ...asked, signal: undefined });
    for await (const _chunk of answer.body);
    return answer.status;
  };
  return clientOf(send, () => {
    transport.close();
    transport = new HttpsTransport(config, "connections");
  });
}

function agentClient({ url, ca, cert, key }: Login): Client {
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
  return clientOf(send, () => {
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

function undiciClient({ url, ca, cert, key }: Login): Client | undefined {
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
  return clientOf(send, () => {
    void client.destroy();
    client = open();
  });
}

const run = promisify(execFile);

async function has(program: string, ...args: string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}

/** The failures that a program prints, one per line. */
function failuresIn(text: string): Map<string, number> {
  const failures = new Map<string, number>();
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const why = line.replaceAll(/:\d+/g, "");
    failures.set(why, (failures.get(why) ?? 0) + 1);
  }
  return failures;
}

async function curlClient(login: Login, folder: string): Promise<Client | undefined> {
  if (!(await has("curl", "--version"))) return undefined;
  const common = ["silent", "show-error", "output = /dev/null", 'write-out = "%{http_code}\\n"'];
  for (const name of ["ca", "cert", "key"] as const) {
    await writeFile(join(folder, `${name}.pem`), login[name]);
    common.push(`${name === "ca" ? "cacert" : name} = "${folder}/${name}.pem"`);
  }
  await writeFile(join(folder, "patch.json"), PATCH);
  common.push(`url = "${login.url.origin}${PATH}"`);
  const patch = ["request = PATCH", `data-binary = "@${folder}/patch.json"`];
  const write = [...common, ...patch, `header = "Content-Type: ${MERGE}"`];
  const config = join(folder, "curl.conf");
  return async (pairs) => {
    // One run keeps its connections.
    const pair = [...common, "next", ...write];
    await writeFile(
      config,
      new Array<string[]>(EACH)
        .fill(pair)
        .map((each) => each.join("\n"))
        .join("\nnext\n"),
    );
    let printed = "";
    for (let done = 0; done < pairs; done += EACH) {
      const { stdout, stderr } = await run("curl", ["--config", config]).catch(
        (error: unknown) => error as { stdout: string; stderr: string },
      );
      printed += stdout.replaceAll("200\n", "") + stderr;
    }
    return failuresIn(printed);
  };
}

const GO_PROGRAM = `package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
)

func main() {
	url, folder := os.Args[1], os.Args[2]
	pairs, _ := strconv.Atoi(os.Args[3])
	each, _ := strconv.Atoi(os.Args[4])
	ca, _ := os.ReadFile(folder + "/ca.pem")
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	pair, _ := tls.LoadX509KeyPair(folder+"/cert.pem", folder+"/key.pem")
	patch, _ := os.ReadFile(folder + "/patch.json")
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}}
	client := &http.Client{Transport: transport}
	for i := 0; i < pairs; i++ {
		if i%each == 0 {
			transport.CloseIdleConnections()
		}
		for _, method := range []string{"GET", "PATCH"} {
			var body io.Reader
			if method == "PATCH" {
				// Without GetBody, Go cannot resend the request by itself.
				body = io.NopCloser(bytes.NewReader(patch))
			}
			request, _ := http.NewRequest(method, url, body)
			if method == "PATCH" {
				request.ContentLength = int64(len(patch))
				request.Header.Set("Content-Type", "${MERGE}")
			}
			answer, err := client.Do(request)
			if err != nil {
				fmt.Println(err)
				continue
			}
			if _, err := io.Copy(io.Discard, answer.Body); err != nil {
				fmt.Println(err)
			}
			answer.Body.Close()
			if answer.StatusCode != 200 {
				fmt.Println("HTTP", answer.StatusCode)
			}
		}
	}
}
`;

async function goClient(login: Login, folder: string): Promise<Client | undefined> {
  if (!(await has("go", "version"))) return undefined;
  await writeFile(join(folder, "main.go"), GO_PROGRAM);
  for (const name of ["ca", "cert", "key"] as const) {
    await writeFile(join(folder, `${name}.pem`), login[name]);
  }
  await writeFile(join(folder, "patch.json"), PATCH);
  const program = join(folder, "client");
  await run("go", ["build", "-o", program, join(folder, "main.go")]);
  return async (pairs) => {
    const args = [login.url.origin + PATH, folder, String(pairs), String(EACH)];
    const { stdout } = await run(program, args, { maxBuffer: 64 * 1024 * 1024 });
    return failuresIn(stdout);
  };
}

async function create({ url, ca, cert, key }: Login): Promise<void> {
  const { hostname: host, port } = url;
  const headers = { "content-type": "application/json" };
  const asked = { host, port, path: CRDS, method: "POST", headers, ca, cert, key };
  await new Promise<void>((resolve, reject) => {
    request(asked, (answer) => {
      answer.resume().on("end", resolve);
    })
      .on("error", reject)
      .end(DEFINITION);
  });
}

async function main(): Promise<void> {
  const [program = "", script = "scripts/connections.ts"] = process.argv;
  const runner = fileURLToPath(new URL("run-ts.mjs", import.meta.url));
  const server = fork(runner, [script, "--serve"], { execPath: program });
  const [kubeconfig] = (await once(server, "message")) as [string];
  const login = loginOf(kubeconfig);
  const folder = await mkdtemp(join(tmpdir(), "tsop-connections-"));
  await create(login);
  const clients: Record<string, Client | undefined> = {
    tsop: tsopClient(login),
    https: agentClient(login),
    undici: undiciClient(login),
    curl: await curlClient(login, folder),
    go: await goClient(login, folder),
  };
  const chosen = values.clients.split(",");
  const absent = chosen.filter((name) => !clients[name]);
  if (absent.length > 0) console.log(`not on this machine: ${absent.join(", ")}`);
  const present = chosen.filter((name) => clients[name]);
  const share = Math.ceil(Number(values.pairs) / present.length);
  const beganMs = systemClock.monotonicMs();
  let failed = 0;
  for (const name of present) {
    const failures = (await clients[name]?.(share)) ?? new Map<string, number>();
    for (const count of failures.values()) failed += count;
    const told = [...failures].map(([why, count]) => `${count} times ${why}`).join(", ");
    console.log(`${name}: ${share} pairs, ${told || "no request failed"}`);
  }
  const seconds = Math.round((systemClock.monotonicMs() - beganMs) / 1000);
  console.log(
    `Node ${process.versions.node}: ${share * present.length} pairs of ${DEFINITION.length} bytes in ${seconds} s, ${failed} failed`,
  );
  server.disconnect();
  await rm(folder, { recursive: true });
  if (failed > 0) process.exitCode = 1;
}

await (values.serve ? serve() : main());
