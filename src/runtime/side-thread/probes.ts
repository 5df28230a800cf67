/**
 * Answers the kubelet for the main thread, which runs the checks, and without it while it is busy.
 * A reconcile that computes for a while is no reason to restart the process; one that never ends
 * is.
 */
import type { Clock } from "../../clock.ts";
import { PATH_NOT_FOUND, probePathOf, type ProbeAnswer } from "../serving/health.ts";
import { BEAT_MS } from "./protocol.ts";
import type { Stillness } from "./stillness.ts";

// The kubelet waits for one second by default; it has its answer by then.
const PATIENCE_MS = 2 * BEAT_MS;
// The paths of the kubelet. Requests for the same path share an answer; anybody may send them.
const PATHS = ["/healthz", "/readyz"];
// The number of requests with parameters that may wait at the same time.
const MAX_WITH_PARAMETERS = 32;

const TOO_MANY: ProbeAnswer = { status: 503, body: "too many probes are waiting for an answer\n" };

/** The parts of the answers. */
export interface ProbesParts {
  readonly clock: Clock;
  readonly stillness: Stillness;
  readonly stuckAfterMs: number;
  /** Sends a request to the main thread, which answers with `answered`. */
  readonly ask: (id: number, url: string) => void;
}

export class Probes {
  readonly #parts: ProbesParts;
  readonly #open = new Map<number, (answer: ProbeAnswer) => void>();
  // By path, until the answer comes.
  readonly #shared = new Map<string, Promise<ProbeAnswer>>();
  readonly #last = new Map<string, ProbeAnswer>();
  #asked = 0;

  constructor(parts: ProbesParts) {
    this.#parts = parts;
  }

  /** The main thread's answer; its last one while it is busy; a failure once it is stuck. */
  answer(url: string): Promise<ProbeAnswer> {
    const path = probePathOf(url);
    if (!PATHS.includes(path)) return Promise.resolve(PATH_NOT_FOUND);
    if (url.includes("?")) {
      if (this.#open.size >= MAX_WITH_PARAMETERS + PATHS.length) return Promise.resolve(TOO_MANY);
      return this.#ask(path, url);
    }
    const known = this.#shared.get(path);
    if (known) return known;
    const answer = this.#ask(path, path).finally(() => this.#shared.delete(path));
    this.#shared.set(path, answer);
    return answer;
  }

  #ask(path: string, url: string): Promise<ProbeAnswer> {
    const { clock, stillness, ask } = this.#parts;
    const id = ++this.#asked;
    return new Promise((resolve) => {
      const settle = (answer: ProbeAnswer): void => {
        timer.cancel();
        this.#open.delete(id);
        resolve(answer);
      };
      const look = (): void => {
        if (stillness.ms >= PATIENCE_MS) settle(this.#answerFor(path));
        else timer = clock.after(BEAT_MS, look);
      };
      let timer = clock.after(BEAT_MS, look);
      this.#open.set(id, (answer) => {
        // Answers to requests with parameters are not kept: there may be many, and people read
        // them.
        if (url === path) this.#last.set(path, answer);
        settle(answer);
      });
      ask(id, url);
    });
  }

  /** Takes an answer of the main thread, also one that comes too late. */
  answered(id: number, answer: ProbeAnswer): void {
    this.#open.get(id)?.(answer);
  }

  #answerFor(path: string): ProbeAnswer {
    const { stillness, stuckAfterMs } = this.#parts;
    const stuck = stillness.ms > stuckAfterMs;
    const still = `for ${(stillness.ms / 1000).toFixed(1)} s`;
    if (stuck) {
      return { status: 500, body: `[-]main-thread failed: it has been blocked ${still}\n` };
    }
    // Alive unless the contrary is known; but ready only if the main thread ever said so.
    const last = this.#last.get(path) ?? { status: path === "/healthz" ? 200 : 500, body: "" };
    return {
      status: last.status,
      body: `${last.body.trimEnd()}\n[+]main-thread ok: busy ${still}\n`.trimStart(),
    };
  }
}
