/** The fields that an endpoint ignores, and that a write to it therefore does not own. */
import type { KindTraits } from "../kinds.ts";
import { FieldSet } from "./field-set.ts";

/** An endpoint of a resource. */
interface Endpoint {
  readonly builtIn: boolean;
  readonly traits?: KindTraits;
  /** The names of the resource's subresources. */
  readonly subresources: readonly { readonly name: string }[];
}

const fields = (paths: readonly string[]): FieldSet =>
  FieldSet.of(...paths.map((path) => path.split(".").map((name) => `f:${name}`)));

const NOTHING = new FieldSet();
const STATUS = fields(["status"]);
const SPEC = fields(["spec"]);
const SPEC_AND_METADATA = fields(["spec", "metadata"]);

/** The fields that a write to the endpoint does not change. */
export function resetFields(endpoint: Endpoint, subresource: string): FieldSet {
  const own = endpoint.traits?.resetFields?.[subresource];
  if (own) return fields(own);
  if (subresource === "status") return endpoint.builtIn ? SPEC : SPEC_AND_METADATA;
  const hasStatus = endpoint.subresources.some(({ name }) => name === "status");
  return subresource === "" && hasStatus ? STATUS : NOTHING;
}
