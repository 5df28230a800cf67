/** The container of a pod that a request is for, and the options of its log. */
import { type FieldError, forbidden, invalid, invalidValue } from "../../../kube/field-errors.ts";
import type { SentObject } from "../../../kube/object.ts";
import { badRequest } from "../../failures.ts";

interface PodWithContainers extends SentObject {
  readonly spec: Partial<
    Record<
      "initContainers" | "containers" | "ephemeralContainers",
      readonly { readonly name: string }[]
    >
  >;
}

/**
 * Checks that a pod has the container, or just one when the request names none.
 *
 * @throws StatusError 400
 */
export function checkContainer(pod: SentObject, wanted: string): void {
  const {
    initContainers = [],
    containers = [],
    ephemeralContainers = [],
  } = (pod as PodWithContainers).spec;
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
  const { name = "" } = pod.metadata;
  if (wanted !== "") {
    if (names.includes(wanted)) return;
    throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  if (containers.length === 1) return;
  const choice = containers.length === 0 ? "" : `, choose one of: [${names.join(" ")}]`;
  throw badRequest(`a container name must be specified for pod ${name}${choice}`);
}

/**
 * Checks the options of a log.
 *
 * @throws StatusError 400 when a value is not a number, 422 when the number is invalid
 */
export function checkLogOptions(query: URLSearchParams, name: string): void {
  const numberOf = (option: string): number | undefined => {
    const text = query.get(option);
    if (text === null || text === "") return undefined;
    if (/^[-+]?\d+$/.test(text)) return Number(text);
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  };
  const errors: FieldError[] = [];
  const [tail, bytes, seconds] = ["tailLines", "limitBytes", "sinceSeconds"].map(numberOf);
  if (tail !== undefined && tail < 0) {
    errors.push(invalidValue("tailLines", tail, "must be greater than or equal to 0"));
  }
  if (bytes !== undefined && bytes < 1) {
    errors.push(invalidValue("limitBytes", bytes, "must be greater than 0"));
  }
  if (seconds !== undefined && (query.get("sinceTime") ?? "") !== "") {
    const detail = "at most one of `sinceTime` or `sinceSeconds` may be specified";
    errors.push(forbidden("[]", detail));
  } else if (seconds !== undefined && seconds < 1) {
    errors.push(invalidValue("sinceSeconds", seconds, "must be greater than 0"));
  }
  if (query.has("stream") && query.get("stream") !== "All") {
    errors.push(forbidden("stream", "may not be specified"));
  }
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, name, errors);
}
