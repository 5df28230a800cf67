/** Events on the Lease of an election, as client-go records them, where the operator may write events. */
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import type { ResourceType } from "../../kube/resource.ts";
import type { Client } from "../client/client.ts";
import { present } from "../../present.ts";
import type { Lease } from "./lease.ts";

interface EventParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly identity: string;
}

const EVENT: ResourceType = {
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
};

/** Records `<identity> became leader` or `<identity> stopped leading`. It never throws. */
export async function recordLeadership(
  { metadata }: Lease,
  what: "became leader" | "stopped leading",
  { client, clock, log, identity }: EventParts,
  signal?: AbortSignal,
): Promise<void> {
  const { name, namespace = "default", uid, resourceVersion } = metadata;
  const nowMs = clock.now();
  const timestamp = new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z");
  const unique = `${Math.floor(nowMs).toString(16)}${Math.floor(clock.random() * 2 ** 24).toString(16)}`;
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name}.${unique}`, namespace },
    involvedObject: {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      namespace,
      name,
      ...present({ uid, resourceVersion }),
    },
    source: { component: identity },
    type: "Normal",
    reason: "LeaderElection",
    message: `${identity} ${what}`.slice(0, 1024),
    count: 1,
    firstTimestamp: timestamp,
    lastTimestamp: timestamp,
  };
  try {
    await client.create(EVENT, event, present({ signal }));
  } catch (error) {
    // An operator need not have the permission to write events.
    log.debug({ err: error }, "the event about the leadership was not written");
  }
}
