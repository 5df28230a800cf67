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
const LAG_MS = 5000;
const MAX_AGE_S = 24 * 3600;
/** API servers restart their watches of a kind when its CRD changes, so a client that causes exposures must not cause more. */
const MIN_EXPOSED_AGE_S = 60;

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

  /**
   * @param keys - of the kind; the first one signs
   * @param keepsEarlier - whether a path from before this process counts, although API servers can have shown it since
   */
  constructor(clock: Clock, keys: () => readonly Buffer[], keepsEarlier = false) {
    this.#clock = clock;
    this.#keys = keys;
    this.#sinceS = keepsEarlier ? 0 : this.#nowS - START_TOLERANCE_S;
  }

  /** Whether the client of a request to this path can read the CRD. */
  trusts(path: string): boolean {
    const madeS = this.#madeSOf(path);
    if (madeS === undefined) return false;
    if (madeS >= this.#sinceS) {
      this.#advance(madeS);
      return true;
    }
    const previous = this.#previous;
    return previous?.sinceS === madeS && this.#clock.monotonicMs() < previous.untilMs;
  }

  /** Takes over the path that the CRD has. */
  read(path: string | undefined): PathState {
    const madeS = this.#madeSOf(path ?? "");
    if (madeS === undefined) return "foreign";
    const ageS = this.#nowS - madeS;
    if (madeS < this.#sinceS) return this.#isExposed && ageS < MIN_EXPOSED_AGE_S ? "good" : "due";
    this.#advance(madeS);
    return ageS > MAX_AGE_S ? "due" : "good";
  }

  /** An API server that used this path got no answer, and can have shown the path to a user: it counts no longer. */
  exposed(path: string): void {
    if (!this.trusts(path)) return;
    this.#previous = undefined;
    if (!this.trusts(path)) return;
    this.#isExposed = true;
    this.#sinceS++;
  }

  #advance(madeS: number): void {
    if (madeS <= this.#sinceS) return;
    const untilMs = this.#clock.monotonicMs() + LAG_MS;
    // An exposed path is older than that, and never counts again.
    this.#previous = { sinceS: this.#sinceS, untilMs };
    this.#sinceS = madeS;
    this.#isExposed = false;
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
