/** The limits of an operator's servers against unknown clients, all of which follow from the memory that is free at the start. */
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import { TsopError } from "../../errors.ts";

const MIB = 1024 * 1024;

/** What a connection takes with TLS, half a head, and a piece of a body. */
const CONNECTION_BYTES = 96 * 1024;
/** The shares of the memory for servers; the rest is for what V8 has not collected yet. */
const REQUESTS_SHARE = 0.4;
const CONNECTIONS_SHARE = 0.4;
/** The share of all connections. */
const WEBHOOK_CONNECTIONS = 0.7;
const OTHER_CONNECTIONS = 0.1;
const MIN_REQUESTS_BYTES = 8 * MIB;
const MAX_REQUESTS_BYTES = 1024 * MIB;
const MIN_CONNECTIONS = 32;
const MAX_WEBHOOK_CONNECTIONS = 2000;
const MAX_OTHER_CONNECTIONS = 250;

/** The memory of a process, in bytes. */
export interface ProcessMemory {
  /** What may be used: the limit of the container, or what the machine has. */
  readonly limit: number;
  readonly used: number;
  /** The same of V8's heap. */
  readonly heapLimit: number;
  readonly heapUsed: number;
}

/** The limits of the servers of one process. */
export interface ServerLimits {
  /** What all reviews together may take: their bodies, what is parsed of them, and answers that were not read yet. */
  readonly requestsBytes: number;
  /** How many connections each server keeps. */
  readonly connections: {
    readonly webhooks: number;
    /** The metrics, the probes and the journal: each has as many. */
    readonly other: number;
  };
}

/** Larger limits mean that there is none: cgroups have no value for that. */
const NO_LIMIT = 2 ** 50;

/** The memory limit of the container, in bytes; `undefined` outside of a container with a limit. */
export function containerLimit(): number | undefined {
  const constrained = process.constrainedMemory();
  return constrained > 0 && constrained < NO_LIMIT ? constrained : undefined;
}

/** The memory of this process now. */
export function processMemory(): ProcessMemory {
  const machine = totalmem();
  const { heap_size_limit: heapLimit, used_heap_size: heapUsed } = getHeapStatistics();
  return {
    limit: Math.min(containerLimit() ?? machine, machine),
    used: process.memoryUsage.rss(),
    heapLimit,
    heapUsed,
  };
}

/**
 * The limits that keep a process with this memory alive, whatever its servers are sent.
 *
 * @param serverBytes - the memory that the servers may take; half of what is free when absent
 * @throws TsopError `server-memory-wrong`
 */
export function serverLimits(memory: ProcessMemory, serverBytes?: number): ServerLimits {
  if (serverBytes !== undefined && !(serverBytes >= 2 * MIN_REQUESTS_BYTES)) {
    throw new TsopError(
      "server-memory-wrong",
      `serverMemoryBytes is ${serverBytes}, and the servers of an operator need at least ${2 * MIN_REQUESTS_BYTES} bytes.`,
      "Leave it out, so that it follows from the memory limit of the container, or give a number of bytes.",
    );
  }
  const free = Math.min(memory.limit - memory.used, memory.heapLimit - memory.heapUsed);
  const bytes = serverBytes ?? free / 2;
  const connections = (bytes * CONNECTIONS_SHARE) / CONNECTION_BYTES;
  return {
    requestsBytes: within(MIN_REQUESTS_BYTES, bytes * REQUESTS_SHARE, MAX_REQUESTS_BYTES),
    connections: {
      webhooks: within(MIN_CONNECTIONS, connections * WEBHOOK_CONNECTIONS, MAX_WEBHOOK_CONNECTIONS),
      other: within(MIN_CONNECTIONS, connections * OTHER_CONNECTIONS, MAX_OTHER_CONNECTIONS),
    },
  };
}

const within = (min: number, value: number, max: number): number =>
  Math.floor(Math.max(min, Math.min(value, max)));
