import { MutatingWebhook, type Defaulter, type Sent } from "tsop";
import { Gateway } from "../api/v1/gateway.ts";
import { OF_USERS } from "./namespaces.ts";

const DOMAIN = "example.com";

/**
 * Fills in what the schema cannot: a default that is made of other fields. It is asked about objects of v1alpha1 too,
 * which the API server has converted before.
 */
@MutatingWebhook(Gateway, {
  // A Gateway without a host would serve nothing: better none than that.
  failurePolicy: "Fail",
  namespaceSelector: OF_USERS,
})
export class GatewayDefaulter implements Defaulter<Gateway> {
  default({ metadata, spec }: Sent<Gateway>): void {
    // Without a name yet (`generateName`), there is none to make a host of: the user has to say one.
    if (metadata.name === undefined) return;
    spec.hosts ??= [`${metadata.name}.${metadata.namespace ?? "default"}.${DOMAIN}`];
  }
}
