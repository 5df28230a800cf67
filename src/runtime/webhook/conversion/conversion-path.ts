/**
 * The path at which API servers request the conversions of one kind: `/convert/SECONDS-MAC`. The operator writes it into
 * the CRD, so a client that sends requests to it can read CRDs, as API servers can. Other paths under `/convert` are
 * answered, and nothing is signed there.
 *
 * API servers show the whole path in errors to users whose objects could not be converted, so it is renewed after each
 * moment in which that can have happened.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../clock.ts";
import { CONVERSION_PATH } from "../../../kube/webhooks/webhook-marks.ts";

const MAC_BYTES = 16;
const PATH = new RegExp(`^${CONVERSION_PATH}/(\\d{1,12})-([0-9a-f]{${MAC_BYTES * 2}})$`);

/** A path of another replica that started at the same time is not renewed. */
const START_TOLERANCE_S = 10;
/** How long API servers can still use the previous path. */
const LAG_MS = 30_000;
const MAX_AGE_S = 24 * 3600;
/** API servers restart their watches of a kind when its CRD changes. */
const MIN_EXPOSED_AGE_S = 600;

/** The path in a CRD: made with this key and good, made with it and to be renewed, or another. */
type PathState = "good" | "due" | "foreign";

/** The path of one kind, as one process knows it. */
export class ConversionPath {
  readonly #clock: Clock;
  readonly #keys: () => readonly Buffer[];
  /** When the oldest path was made that is trusted now. */
  #sinceS: number;
  #previous: { readonly sinceS: number; readonly untilMs: number } | undefined;
  #isExposed = false;

  /** @param keys - of the kind; the first one signs */
  constructor(clock: Clock, keys: () => readonly Buffer[]) {
    this.#clock = clock;
    this.#keys = keys;
    // Before this process answered, an API server can have shown the path in an error.
    this.#sinceS = this.#nowS - START_TOLERANCE_S;
  }

  /** Whether the client of a request to this path can read the CRD. */
  trusts(path: string): boolean {
    const madeS = this.#madeSOf(path);
    if (madeS === undefined) return false;
    if (madeS >= this.#sinceS) return true;
    const previous = this.#previous;
    return previous?.sinceS === madeS && this.#clock.monotonicMs() < previous.untilMs;
  }

  /** Takes over the path that the CRD has. */
  read(path: string | undefined): PathState {
    const madeS = this.#madeSOf(path ?? "");
    if (madeS === undefined) return "foreign";
    if (madeS < this.#sinceS) return "due";
    if (madeS > this.#sinceS) {
      const untilMs = this.#clock.monotonicMs() + LAG_MS;
      this.#previous = { sinceS: this.#sinceS, untilMs };
      this.#sinceS = madeS;
      this.#isExposed = false;
    }
    const ageS = this.#nowS - madeS;
    return ageS > MAX_AGE_S || (this.#isExposed && ageS > MIN_EXPOSED_AGE_S) ? "due" : "good";
  }

  /** An API server that used this path got no answer, and can have shown the path to a user. */
  exposed(path: string): void {
    if (this.trusts(path)) this.#isExposed = true;
  }

  /** A path that no earlier one is equal to. */
  next(): string | undefined {
    const [key] = this.#keys();
    if (!key) return undefined;
    const madeS = Math.max(this.#nowS, this.#sinceS + 1);
    return `${CONVERSION_PATH}/${madeS}-${macOf(key, madeS).toString("hex")}`;
  }

  get #nowS(): number {
    return Math.floor(this.#clock.now() / 1000);
  }

  /** When an operator with the key of this kind made the path; `undefined` for other paths. */
  #madeSOf(path: string): number | undefined {
    const [, seconds, mac = ""] = PATH.exec(path) ?? [];
    if (seconds === undefined) return undefined;
    const given = Buffer.from(mac, "hex");
    const madeS = Number(seconds);
    return this.#keys().some((key) => timingSafeEqual(macOf(key, madeS), given))
      ? madeS
      : undefined;
  }
}

const macOf = (key: Buffer, madeS: number): Buffer =>
  createHmac("sha256", key)
    .update(JSON.stringify(["tsop conversion path", madeS]))
    .digest()
    .subarray(0, MAC_BYTES);
