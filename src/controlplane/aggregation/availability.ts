/** Whether the extension API server of an APIService can be used, in the words of kube-aggregator. */
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { KeyPair } from "../../kube/x509/certificate.ts";
import { type ServiceRoutes, whyUnreachable } from "../admission/service-routes.ts";
import type { ApiService } from "../builtin/kinds/apiregistration/api-service.ts";
import { SERVICES } from "../builtin/tokens.ts";
import { collectionOf } from "../resource-name.ts";
import { type Store, storeKey } from "../store/store.ts";
import { bodyOf, sendTo } from "./extension-server.ts";

const CHECK_MS = 5000;

/** The parts of a control plane that a check needs. */
export interface Surroundings {
  readonly store: Store;
  readonly routes: ServiceRoutes;
  readonly clock: Clock;
  readonly frontProxy: KeyPair;
}

export interface Availability {
  readonly available: boolean;
  readonly reason: string;
  readonly message: string;
  /** The address of the server on this machine. */
  readonly address?: string;
  /** The entries of its APIResourceList. */
  readonly resources?: readonly JsonObject[];
}

const unavailable = (reason: string, message: string): Availability => ({
  available: false,
  reason,
  message,
});

/** Looks at the Service of an APIService, and asks its server for the resources. */
export async function checkAvailability(
  surroundings: Surroundings,
  { spec }: ApiService,
): Promise<Availability> {
  const { store, routes, clock, frontProxy } = surroundings;
  const { namespace = "", name = "", port = 443 } = spec.service ?? {};
  const service = store.get(collectionOf(SERVICES), storeKey(namespace, name));
  if (!service) {
    return unavailable("ServiceNotFound", `service/${name} in "${namespace}" is not present`);
  }
  const { spec: serviceSpec } = service;
  if (!serviceSpec.ports?.some((one) => one.port === port)) {
    const what = `service/${name} in "${namespace}" is not listening on port ${port}`;
    return unavailable("ServicePortError", what);
  }
  const target = `/apis/${spec.group ?? ""}/${spec.version ?? ""}`;
  const failed = (why: string): Availability => {
    const url = `https://${serviceSpec.clusterIP ?? ""}:${port}${target}`;
    return unavailable("FailedDiscoveryCheck", `failing or missing response from ${url}: ${why}`);
  };
  try {
    const address = await routes.find(store, { namespace, name, port });
    if (address === undefined) return failed(whyUnreachable(store, { namespace, name, port }));
    const late = new AbortController();
    const timer = clock.after(CHECK_MS, () => late.abort());
    try {
      const headers = { accept: "application/json", ...USER };
      const sent = { method: "GET", target, headers, signal: late.signal };
      const answer = await sendTo(spec, address, frontProxy, sent);
      const body = (await bodyOf(answer)).toString("utf8");
      const { statusCode = 0 } = answer;
      if (statusCode < 200 || statusCode >= 300)
        return failed(`bad status from ${address}${target}: ${statusCode}`);
      const message = "all checks passed";
      return { available: true, reason: "Passed", message, address, resources: entriesIn(body) };
    } finally {
      timer.cancel();
    }
  } catch (error) {
    return failed(messageOf(error));
  }
}

/** The user of the checks. */
const USER = {
  "x-remote-user": "system:kube-aggregator",
  "x-remote-group": "system:masters",
};

function entriesIn(body: string): readonly JsonObject[] {
  const list: unknown = JSON.parse(body);
  const entries = isJsonObject(list) ? list["resources"] : undefined;
  return Array.isArray(entries) ? entries.filter(isJsonObject) : [];
}
