/** Runs programs without a network, on a machine that has one. */
import { execa } from "execa";
import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Surroundings } from "./visitor.ts";

/** Prints whether a host can be reached. */
const REACH = `const [host, port] = process.argv.slice(1);
const tell = (what) => { console.log(what); process.exit(); };
const socket = require("node:net").connect({ host, port: Number(port) });
socket.setTimeout(10_000, () => tell("no: it does not answer"));
socket.on("connect", () => tell("yes")).on("error", ({ message }) => tell("no: " + message));`;

/** A module for each Node process: sockets can only connect to loopback. */
const ONLY_LOOPBACK = `import { Socket } from "node:net";
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  const [asked] = Array.isArray(args[0]) ? args[0] : args;
  const { path, host = "localhost" } = typeof asked === "object" ? asked : { host: args[1] };
  if (path !== undefined || /^(?:localhost|127\\..*|::1)$/.test(host)) return connect.apply(this, args);
  process.nextTick(() => this.destroy(new Error("there is no network: " + host)));
  return this;
};
`;

/** Surroundings in which programs reach loopback, and nothing else. */
export class Offline implements Surroundings {
  readonly prefix: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The method, for the output. */
  readonly how: string;
  readonly #holder: ChildProcess | undefined;

  private constructor({ prefix, env }: Surroundings, how: string, holder?: ChildProcess) {
    this.prefix = prefix;
    this.env = env;
    this.how = how;
    this.#holder = holder;
  }

  /** Leaves the network of some surroundings; `folder` is for a file of its own. */
  static async enter({ env }: Surroundings, folder: string): Promise<Offline> {
    // It ends with this process, whose pipe is its stdin.
    const loopback = ["-rn", "sh", "-c", "ip link set lo up && echo up && cat"];
    const holder = spawn("unshare", loopback, { stdio: ["pipe", "pipe", "ignore"] });
    const isUp = await new Promise<boolean>((resolve) => {
      holder.once("error", () => resolve(false)).once("exit", () => resolve(false));
      holder.stdout.once("data", () => resolve(true));
    });
    if (isUp) {
      const prefix = ["nsenter", "--preserve-credentials", "-U", "-n", "-t", String(holder.pid)];
      return new Offline({ prefix, env }, "a network namespace that has loopback alone", holder);
    }
    const file = join(folder, "only-loopback.mjs");
    writeFileSync(file, ONLY_LOOPBACK);
    const nodeOptions = { NODE_OPTIONS: `--import=${pathToFileURL(file).href}` };
    const how = "Node's sockets connect to loopback alone";
    return new Offline({ prefix: [], env: { ...env, ...nodeOptions } }, how);
  }

  /** @throws Error where a host can be reached from here, or cannot be from outside, which would prove nothing */
  async prove(online: Surroundings, url: string): Promise<void> {
    const { hostname, port, protocol } = new URL(url);
    const asked = ["-e", REACH, hostname, port || (protocol === "https:" ? "443" : "80")];
    const reach = async ({ prefix, env }: Surroundings): Promise<string> => {
      const [program = "", ...args] = [...prefix, process.execPath, ...asked];
      return (await execa(program, args, { env })).stdout;
    };
    const outside = await reach(online);
    if (outside !== "yes") throw new Error(`${hostname} cannot be reached at all: ${outside}`);
    const inside = await reach(this);
    if (inside === "yes") throw new Error(`${hostname} can be reached without a network`);
  }

  leave(): void {
    this.#holder?.stdin?.end();
  }
}
