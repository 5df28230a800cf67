/** The place where the journal of an operator is read: of `tsop dev`, at an address, in a pod. */
import { request as httpRequest } from "node:http";
import { Readable, type Duplex } from "node:stream";
import { timeoutSignal, type Clock } from "../../clock.ts";
import { reasonOf, TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import { OwnState } from "../../own-state.ts";
import type { JournalAnswer } from "../../runtime/journal/debug-server.ts";

/** The state by which `tsop dev` tells where its operator's journal is. */
export const journalState = (root: string): OwnState => OwnState.about(root, "journal");

const PATH = "/debug/journal";
const TIMEOUT_MS = 15_000;

/** An address, and what opens it. */
export interface JournalPlace {
  readonly url: string;
  readonly token?: string;
  /** The pod that the address is in, and how to connect to its port. */
  readonly pod?: {
    readonly name: string;
    readonly connect: (signal: AbortSignal) => Promise<Duplex>;
  };
}

/** The journal, as an operator answers it; one of an earlier tsop does not count its rights. */
export type OperatorJournal = Omit<JournalAnswer, "usedRights"> & Partial<JournalAnswer>;

/** The journal of the `tsop dev` of a project that this user runs here; `undefined` if none runs. */
export function placeOfDev(root: string): JournalPlace | undefined {
  const { url, token } = journalState(root).readLive() ?? {};
  return typeof url === "string" && typeof token === "string" ? { url, token } : undefined;
}

/**
 * Reads a journal.
 *
 * @param after - only what came after the entry of that number
 * @throws TsopError `journal-away`, `journal-refused`, `journal-unreadable`
 */
export async function readJournal(
  place: JournalPlace,
  clock: Clock,
  after = 0,
): Promise<OperatorJournal> {
  const limit = timeoutSignal(clock, TIMEOUT_MS);
  try {
    const response = await openJournal(
      place,
      after > 0 ? `${PATH}?after=${after}` : PATH,
      limit.signal,
    );
    const text = await response.text().catch((error: unknown) => {
      throw away(place, error);
    });
    const answer = parsed(text);
    if (isJsonObject(answer) && answer["version"] === 1) return answer as object as OperatorJournal;
    throw new TsopError(
      "journal-unreadable",
      `${place.url} did not return a journal of this tsop version.`,
      "Check the address, and use the tsop that the operator is built with.",
    );
  } finally {
    limit.clear();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Another program answers there; the caller reports it.
    return undefined;
  }
}

/** Asks a debug endpoint for a path. @throws TsopError `journal-away`, `journal-refused` */
export async function openJournal(
  place: JournalPlace,
  path: string,
  signal: AbortSignal,
): Promise<Response> {
  const headers = place.token === undefined ? {} : { Authorization: `Bearer ${place.token}` };
  const url = new URL(path, place.url);
  const asked = place.pod
    ? fetchOver(await connectTo(place, place.pod, signal), url, signal)
    : fetch(url, { headers, signal, redirect: "error" });
  const response = await asked.catch((error: unknown) => {
    throw away(place, error);
  });
  if (response.status === 200) return response;
  await response.body?.cancel();
  throw refused(place, response.status);
}

async function connectTo(
  place: JournalPlace,
  { connect }: NonNullable<JournalPlace["pod"]>,
  signal: AbortSignal,
): Promise<Duplex> {
  return connect(signal).catch((error: unknown) => {
    throw away(place, error);
  });
}

/** Asks over a connection to a pod. A local port that is forwarded to it would be open for other users of the machine. */
function fetchOver(connection: Duplex, url: URL, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { createConnection: () => connection, signal }, (response) => {
      const { statusCode: status = 0 } = response;
      if (status === 200) {
        resolve(new Response(Readable.toWeb(response) as ReadableStream<Uint8Array>));
        return;
      }
      response.destroy();
      // A Response has no larger status.
      resolve(new Response(null, { status: Math.min(status, 599) }));
    });
    request.on("error", reject);
    request.once("close", () => void connection.destroy());
    request.end();
  });
}

function away({ url, pod }: JournalPlace, error: unknown): TsopError {
  const place = pod ? `in the pod ${pod.name}` : `at ${url}`;
  const reason = reasonOf(error);
  return new TsopError(
    "journal-away",
    `The operator's journal ${place} did not answer: ${reason}.`,
    pod === undefined
      ? "Check the address, and that the operator runs there, with `createManager({ debug })` or under `tsop dev`."
      : "Check that the pod is ready, and that you may `create` pods/portforward there (`kubectl auth can-i create pods/portforward`).",
    { cause: error },
  );
}

function refused({ url }: JournalPlace, status: number): TsopError {
  return new TsopError(
    "journal-refused",
    `The operator's journal at ${url} was refused with the status ${status}.`,
    status === 404
      ? "Check the address: something else answers there."
      : "Set $TSOP_OPERATOR_TOKEN to a token with permission to `get` /debug/journal.",
  );
}
