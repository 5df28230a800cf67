/** `--route-service` of the commands that start a control plane. */
import { parseRoute } from "../../controlplane/admission/service-routes.ts";
import { UsageError } from "../../errors.ts";

/** The addresses of Services in `--route-service`. @throws UsageError `bad-route` */
export function serviceAddresses(routes: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    routes.map((text) => {
      const route = parseRoute(text);
      if (route) return route;
      throw new UsageError(
        "bad-route",
        `--route-service ${JSON.stringify(text)} does not route a Service: it must be namespace/name=host:port, or namespace/name:port=host:port.`,
        "For example: --route-service cert-manager/cert-manager-webhook=127.0.0.1:10250",
      );
    }),
  );
}
