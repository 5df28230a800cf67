import { ConversionWebhook, type Content, type Converter, type Sent } from "tsop";
import { Gateway, type Route } from "../api/v1/gateway.ts";
import { Gateway as GatewayV1alpha1 } from "../api/v1alpha1/gateway.ts";

const ROOT = "/";
const SECOND_MS = 1000;

/**
 * Converts a Gateway between v1, which is stored, and v1alpha1, which has one host, one route and whole seconds. What
 * v1alpha1 cannot say is kept in an annotation and given back, unless it was changed there.
 */
@ConversionWebhook(Gateway, GatewayV1alpha1)
export class GatewayV1alpha1Conversion implements Converter<Gateway, GatewayV1alpha1> {
  toHub({ spec, status }: Sent<GatewayV1alpha1>): Content<Gateway> {
    const { host, service, port, timeoutSeconds } = spec;
    return {
      spec: {
        ...(host !== undefined && { hosts: [host] }),
        routes: [{ path: ROOT, service, port }],
        timeoutMs: timeoutSeconds * SECOND_MS,
      },
      ...(status !== undefined && { status }),
    };
  }

  fromHub({ spec, status }: Sent<Gateway>): Content<GatewayV1alpha1> {
    const host = spec.hosts?.[0];
    const { service, port } = mainRoute(spec.routes);
    return {
      spec: {
        ...(host !== undefined && { host }),
        service,
        port,
        timeoutSeconds: Math.ceil(spec.timeoutMs / SECOND_MS),
      },
      ...(status !== undefined && { status }),
    };
  }
}

/** The route that v1alpha1 shows: the one of all paths, or else the first. */
function mainRoute(routes: readonly Route[]): Pick<Route, "service" | "port"> {
  const [first] = routes;
  if (!first) throw new Error("spec.routes is empty: v1alpha1 shows one");
  return routes.find(({ path }) => path === ROOT) ?? first;
}
