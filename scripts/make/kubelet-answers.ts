import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { request, type RequestOptions } from "node:https";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  KubeletAnswer,
  KubeletRequest,
} from "../../test/runtime/client/kubelet/kubelet-answers.ts";
import { clientFolder } from "../../test/support/kubectl.ts";
import { defineMaker } from "../programs/program.ts";

const FILE = "test/runtime/client/kubelet/answers.json";
const POD = "kubelet-answers";
const QUIET_MS = 20_000;
const V5 = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

const exec = (
  command: readonly string[],
  more: Partial<KubeletRequest> = {},
): Omit<KubeletRequest, "about"> => ({
  subresource: "exec",
  pod: POD,
  container: "runs",
  command,
  protocols: V5,
  ...more,
});
const shell = (script: string): readonly string[] => ["sh", "-c", script];
const STDIN = { stdin: true, protocols: ["v5.channel.k8s.io"] };

/** What is asked; `kubectl` runs each command, too, as the judge of its outcome. */
const REQUESTS: readonly KubeletRequest[] = [
  { about: "success", ...exec(shell("echo hi; echo oops >&2")) },
  { about: "exit code 1", ...exec(["false"]) },
  { about: "exit code 3", ...exec(shell("echo hi; exit 3")) },
  { about: "exit code 255", ...exec(shell("exit 255")) },
  { about: "killed", ...exec(shell("kill -9 $$")) },
  { about: "terminated", ...exec(shell("kill -15 $$")) },
  { about: "command not found", ...exec(["no-such"]) },
  { about: "command that is not executable", ...exec(["/etc/passwd"]) },
  { about: "container that has exited", ...exec(["true"], { container: "has-exited" }) },
  { about: "no such container", ...exec(["true"], { container: "nope" }) },
  { about: "several containers, none named", ...exec(["true"], { container: undefined }) },
  { about: "no such pod", ...exec(["true"], { pod: "nope" }) },
  { about: "stdin to its end", ...exec(["wc", "-c"], STDIN), send: ["00616263", "ff00"] },
  { about: "stdin that ends at once", ...exec(["cat"], STDIN), send: ["ff00"] },
  {
    about: "a terminal whose input ends by Ctrl-D",
    ...exec(shell("read x; echo got $x; exit 5"), { ...STDIN, tty: true }),
    send: ["0068690a", "0004"],
  },
  {
    about: "a terminal whose input is closed",
    ...exec(shell("sleep 1; echo out; exit 5"), { ...STDIN, tty: true }),
    send: ["ff00"],
  },
  { about: "v4 only", ...exec(shell("exit 4"), { protocols: ["v4.channel.k8s.io"] }) },
  {
    about: "attach to a container that has exited",
    ...exec([], { subresource: "attach", container: "has-exited", command: undefined }),
  },
  {
    about: "a port on which nothing listens",
    subresource: "portforward",
    pod: POD,
    ports: 9,
    protocols: ["v4.channel.k8s.io"],
  },
  { about: "a pod that is deleted during the command", ...exec(shell("echo start; sleep 60")) },
];

export const program = defineMaker({
  about:
    "Records the answers of a real kubelet to exec, attach and port forwarding, and the exit codes of kubectl.",
  needs: ["a real control plane", "kubectl"],
  options: {
    image: { type: "text", required: true, about: "an image on the node with sh and wc" },
  },
  run: async ({ values: { image } }) => {
    const cluster = clusterOf();
    kubectl(["delete", "pod", POD, "--now", "--ignore-not-found"]);
    const answers: KubeletAnswer[] = [];
    try {
      for (const asked of REQUESTS) {
        await untilRuns(image);
        const isDeleted = asked.about.includes("deleted");
        const deletion = isDeleted ? remove() : undefined;
        const answer = await answerTo(asked, cluster);
        await deletion;
        answers.push({ ...asked, ...answer, ...(await exitCodeOfKubectl(asked, image)) });
        console.log(`${asked.about}: ${answer.status}, ${answer.messages.length} messages`);
      }
    } finally {
      kubectl(["delete", "pod", POD, "--now", "--ignore-not-found"]);
    }
    const { serverVersion } = JSON.parse(kubectl(["version", "-o", "json"])) as {
      serverVersion: { gitVersion: string };
    };
    writeFileSync(
      FILE,
      `${JSON.stringify({ kubernetes: serverVersion.gitVersion, answers }, undefined, 2)}\n`,
    );
    return [FILE];
  },
});

const kubectlPath = (): string => join(clientFolder(), "kubectl");

const kubectl = (args: readonly string[], input?: string): string =>
  execFileSync(kubectlPath(), args, { encoding: "utf8", input });

/** The exit code of the same command with kubectl; nothing where kubectl has no such request. */
async function exitCodeOfKubectl(
  asked: KubeletRequest,
  image: string,
): Promise<{ readonly kubectl?: number }> {
  const { about, subresource, pod, container, command = [], stdin = false, tty = false } = asked;
  // Without a terminal of its own, kubectl asks for none; and it chooses a container where none is named.
  if (subresource !== "exec" || tty || container === undefined) return {};
  await untilRuns(image);
  const deletion = about.includes("deleted") ? remove() : undefined;
  const args = ["exec", ...(stdin ? ["-i"] : []), pod, "-c", container, "--", ...command];
  const input = asked.send?.[0]?.startsWith("00") ? "abc" : "";
  const { status } = spawnSync(kubectlPath(), args, { input });
  await deletion;
  return status === null ? {} : { kubectl: status };
}

/** Deletes the pod in two seconds, in a process of its own: the judge blocks this one. */
function remove(): Promise<unknown> {
  const script = `sleep 2; ${kubectlPath()} delete pod ${POD} --grace-period=1`;
  return new Promise((resolve) => spawn("sh", ["-c", script]).on("close", resolve));
}

async function untilRuns(image: string): Promise<void> {
  const container = (name: string, script: string): object => ({
    name,
    image,
    imagePullPolicy: "IfNotPresent",
    command: ["sh", "-c", script],
  });
  for (;;) {
    const found = kubectl(["get", "pod", POD, "-o", "json", "--ignore-not-found"]);
    const pod =
      found === ""
        ? undefined
        : (JSON.parse(found) as {
            metadata: { deletionTimestamp?: string };
            status: { containerStatuses?: { state: object }[] };
          });
    const { containerStatuses = [] } = pod?.status ?? {};
    const states = containerStatuses.map(({ state }) => Object.keys(state)[0]);
    const isLeaving = pod?.metadata.deletionTimestamp !== undefined;
    if (!isLeaving && states.includes("running") && states.includes("terminated")) return;
    if (!pod) {
      const containers = [container("runs", "sleep 3600"), container("has-exited", "exit 0")];
      const spec = { restartPolicy: "Never", terminationGracePeriodSeconds: 1, containers };
      const metadata = { name: POD };
      kubectl(
        ["create", "-f", "-"],
        JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata, spec }),
      );
    }
    await sleep(500);
  }
}

function clusterOf(): RequestOptions {
  const config = JSON.parse(
    kubectl(["config", "view", "--raw", "--flatten", "--minify", "-o", "json"]),
  ) as {
    clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
    users: { user: { "client-certificate-data": string; "client-key-data": string } }[];
  };
  const [{ cluster } = { cluster: undefined }] = config.clusters;
  const [{ user } = { user: undefined }] = config.users;
  const { hostname, port } = new URL(cluster?.server ?? "");
  const bytes = (data: string | undefined): Buffer => Buffer.from(data ?? "", "base64");
  return {
    host: hostname,
    port,
    ca: bytes(cluster?.["certificate-authority-data"]),
    cert: bytes(user?.["client-certificate-data"]),
    key: bytes(user?.["client-key-data"]),
  };
}

type Answer = Pick<KubeletAnswer, "status" | "protocol" | "body" | "messages" | "close">;

/** Asks by a WebSocket that is written here: what it reads is what the server sent. */
function answerTo(asked: KubeletRequest, cluster: RequestOptions): Promise<Answer> {
  const query = new URLSearchParams();
  const { subresource, pod, container, command, ports, stdin = false, tty = false } = asked;
  if (container !== undefined) query.set("container", container);
  for (const word of command ?? []) query.append("command", word);
  if (ports === undefined) {
    for (const [name, value] of Object.entries({ stdin, stdout: true, stderr: !tty, tty })) {
      query.set(name, String(value));
    }
  } else query.set("ports", String(ports));
  const path = `/api/v1/namespaces/default/pods/${pod}/${subresource}?${query.toString()}`;
  const headers = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
    "Sec-WebSocket-Protocol": asked.protocols.join(", "),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...cluster, path, headers, agent: false });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      buffer(response).then((body) => {
        resolve({ status: response.statusCode ?? 0, body: body.toString(), messages: [] });
      }, reject);
    });
    outgoing.on(
      "upgrade",
      ({ statusCode = 0, headers: { "sec-websocket-protocol": protocol } }, socket, head) => {
        for (const message of asked.send ?? []) socket.write(masked(Buffer.from(message, "hex")));
        framesOf(socket, head).then((frames) => {
          resolve({
            status: statusCode,
            ...(protocol === undefined ? {} : { protocol }),
            ...frames,
          });
        }, reject);
      },
    );
    outgoing.end();
  });
}

/** Without a mask that changes anything. */
const masked = (payload: Buffer): Buffer =>
  Buffer.concat([Uint8Array.of(0x82, 0x80 | payload.length, 0, 0, 0, 0), payload]);

async function framesOf(
  socket: Socket,
  head: Buffer,
): Promise<Pick<KubeletAnswer, "messages" | "close">> {
  const messages: string[] = [];
  let rest = head;
  socket.setTimeout(QUIET_MS, () => socket.destroy());
  const read = (): number | undefined => {
    while (rest.length >= 2) {
      const [first = 0, short = 0] = rest;
      const start = short === 127 ? 10 : short === 126 ? 4 : 2;
      if (rest.length < start) return undefined;
      const size =
        short === 127
          ? Number(rest.readBigUInt64BE(2))
          : short === 126
            ? rest.readUInt16BE(2)
            : short;
      if (rest.length < start + size) return undefined;
      const payload = rest.subarray(start, start + size);
      rest = rest.subarray(start + size);
      if ((first & 15) === 8) return payload.length < 2 ? 0 : payload.readUInt16BE(0);
      if ((first & 15) === 2) messages.push(payload.toString("hex"));
    }
    return undefined;
  };
  let close = read();
  for await (const piece of socket) {
    rest = Buffer.concat([rest, piece as Buffer]);
    close ??= read();
    if (close !== undefined) break;
  }
  return close === undefined ? { messages } : { messages, close };
}
