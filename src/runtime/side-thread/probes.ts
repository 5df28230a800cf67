/**
 * Answers the kubelet for the main thread, which alone knows the checks, and without it when it is busy.
 *
 * A reconcile that computes for a while is no reason to restart the process; one that never ends is.
 */
import type { Clock } from "../../clock.ts";
import { PATH_NOT_FOUND, probePathOf, type ProbeAnswer } from "../manager/serving/health.ts";
import { BEAT_MS } from "./protocol.ts";
import type { Stillness } from "./stillness.ts";

// The kubelet waits for a second when nothing else is said; by then it has its answer.
const PATIENCE_MS = 2 * BEAT_MS;
// Anybody may ask; the kubelet asks for these paths, and alone shares an answer with all who ask for the same.
const PATHS = ["/healthz", "/readyz"];
// Questions with parameters that may wait at the same time.
const MAX_WITH_PARAMETERS = 32;

const TOO_MANY: ProbeAnswer = { status: 503, body: "too many probes are waiting for an answer\n" };

/** The parts of the answers. */
export interface ProbesParts {
  readonly clock: Clock;
  readonly stillness: Stillness;
  readonly stuckAfterMs: number;
  /** Asks the main thread; it answers with `answered`. */
  readonly ask: (id: number, url: string) => void;
}

/** The questions that wait for the main thread, and what it said last. */
export class Probes {
  readonly #parts: ProbesParts;
  readonly #open = new Map<number, (answer: ProbeAnswer) => void>();
  // By path, as long as no answer has come.
  readonly #shared = new Map<string, Promise<ProbeAnswer>>();
  readonly #last = new Map<string, ProbeAnswer>();
  #asked = 0;

  constructor(parts: ProbesParts) {
    this.#parts = parts;
  }

  /** The main thread's own answer; when it is busy, its last one; a failure once it is taken for stuck. */
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
        // Answers with parameters would be many to keep, and are for people.
        if (url === path) this.#last.set(path, answer);
        settle(answer);
      });
      ask(id, url);
    });
  }

  /** The main thread's answer to a question, or what it says too late. */
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
    // Alive until the contrary is known; but nobody was ever said to be ready.
    const last = this.#last.get(path) ?? { status: path === "/healthz" ? 200 : 500, body: "" };
    return {
      status: last.status,
      body: `${last.body.trimEnd()}\n[+]main-thread ok: busy ${still}\n`.trimStart(),
    };
  }
}
