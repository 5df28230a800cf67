/**
 * Time that is skipped while nothing happens: a virtual clock for a control plane and its clients that speak over real
 * sockets. Waits cost nothing then, and no deadline depends on the machine.
 */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { VirtualClock, settlePromises } from "../../src/clock.ts";

/** A byte there and back: written, accepted, answered and read may each be an event. */
const ECHO_EVENTS = 3;
/** Turns of the event loop after the last echo, for what follows from it without a socket. */
const TURNS = 3;

/** The events of the event loop that something outside of it caused: a readable socket above all. */
const socketEvents = (): number => performance.nodeTiming.uvMetricsInfo.events;

/** A `VirtualClock` that goes on to its next timer whenever no socket of this process has anything to read. */
export class SkippedTime {
  // Certificates are judged by the machine's time.
  readonly clock = new VirtualClock({ startMs: Date.now() });
  readonly #server: Server;
  readonly #socket: Socket;
  #isStopped = false;
  readonly #over: Promise<void>;

  private constructor(server: Server, socket: Socket) {
    this.#server = server;
    this.#socket = socket;
    this.#over = this.#run();
  }

  static async start(): Promise<SkippedTime> {
    const server = createServer({ noDelay: true }, (socket) => {
      socket.on("error", () => undefined).pipe(socket);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    return new SkippedTime(server, socket);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#over;
    this.#socket.destroy();
    this.#server.close();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) if (await this.#isQuiet()) await this.clock.advanceToNext();
  }

  /**
   * Whether nothing is under way. Bytes take the same way through the machine as those of an echo, which was sent
   * after them: when it is back and nothing else was read, there was nothing else.
   */
  async #isQuiet(): Promise<boolean> {
    const last = socketEvents();
    await settlePromises();
    const before = socketEvents();
    if (before !== last) return false;
    this.#socket.write(".");
    await once(this.#socket, "data");
    for (let turn = 0; turn < TURNS; turn++) await settlePromises();
    return socketEvents() - before <= ECHO_EVENTS;
  }
}
