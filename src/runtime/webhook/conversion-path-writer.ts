/**
 * Writes the path of conversions into the CRD of a kind, and again after it was replaced or API servers may have shown
 * it.
 */
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { Definition } from "../../kube/definition/definition.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { ResourceType } from "../../kube/resource.ts";
import { isConflict, isForbidden, isInvalid } from "../../kube/status.ts";
import { CONVERTED_CRD_VERBS } from "../../kube/webhooks/conversion-rights.ts";
import type { Client } from "../client/client.ts";
import { jsonPatch } from "../client/patches.ts";
import { type ConversionAddress, conversionAddressOf } from "./conversion-address.ts";
import type { ConversionPath } from "./conversion/conversion-path.ts";

/** A CRD as the API server has it. */
export type ServedDefinition = KubeObject & Pick<Definition, "spec" | "status">;

export const CRD: ResourceType<ServedDefinition> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

export interface PathWriterParts {
  readonly client: Client;
  readonly clock: Clock;
  /** The operator's. */
  readonly namespace: string;
  /** The operator's, if its name is known. */
  readonly service?: string | undefined;
}

/** The end of an attempt. */
export interface PathAttempt {
  /** Why nothing is signed, as a sentence. */
  readonly problem?: string;
  /** The CRD after a write. */
  readonly written?: ServedDefinition;
  /** Whether the CRD was changed meanwhile and has to be read again. */
  readonly isStale?: boolean;
}

const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 3_600_000;
const UNSIGNED =
  "Until then, status fields that only one version has are not restored when objects are written in another version.";

/** One kind's. */
export class PathWriter {
  readonly #parts: PathWriterParts;
  readonly #path: ConversionPath;
  #isWritten = false;
  #resets = 0;
  #notBeforeMs = -Infinity;

  constructor(parts: PathWriterParts, path: ConversionPath) {
    this.#parts = parts;
    this.#path = path;
  }

  /** Replaces the path in the CRD if that is due. */
  async keep(crd: ServedDefinition): Promise<PathAttempt> {
    const address = conversionAddressOf(crd.spec.conversion);
    if (!address) return {};
    const { name } = crd.metadata;
    const foreign = this.#foreignService(address);
    if (foreign !== undefined) {
      return {
        problem: `Objects of the CustomResourceDefinition ${name} are converted by the Service ${foreign}, which is not this operator's in ${this.#parts.namespace}. ${UNSIGNED}`,
      };
    }
    const state = this.#path.read(address.path);
    if (state === "good") {
      this.#isWritten = true;
      return {};
    }
    if (state === "foreign" && this.#isWritten) this.#noteReset();
    if (this.#parts.clock.monotonicMs() < this.#notBeforeMs) {
      return {
        problem: `The path of conversions in the CustomResourceDefinition ${name} is replaced again and again. Remove \`path\` from the manifest that is applied, or the other operator that converts this kind. ${UNSIGNED}`,
      };
    }
    return this.#write(crd, address);
  }

  #foreignService({ service }: ConversionAddress): string | undefined {
    if (!service) return undefined;
    const { namespace, service: own = service.name } = this.#parts;
    const isOwn = service.namespace === namespace && service.name === own;
    return isOwn ? undefined : `${service.namespace}/${service.name}`;
  }

  async #write(crd: ServedDefinition, address: ConversionAddress): Promise<PathAttempt> {
    const path = this.#path.next();
    if (path === undefined) return {};
    const { name, uid, resourceVersion } = crd.metadata;
    const operations = jsonPatch([
      { op: "test", path: "/metadata/uid", value: uid },
      { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
      address.at(path),
    ]);
    try {
      const written = await this.#parts.client.patch(CRD, { name }, operations);
      this.#path.read(path);
      this.#isWritten = true;
      return { written };
    } catch (error) {
      if (isConflict(error) || isInvalid(error)) return { isStale: true };
      return {
        problem: isForbidden(error)
          ? `The operator is not allowed to patch customresourcedefinitions.apiextensions.k8s.io ${name}, where it writes the path of conversions: run \`tsop manifests\` and apply the role (verbs ${CONVERTED_CRD_VERBS.join(" and ")}). ${UNSIGNED}`
          : `The path of conversions could not be written into the CustomResourceDefinition ${name}: ${messageOf(error)}`,
      };
    }
  }

  /** The first time is an apply of a manifest with the path; a tool that repeats it must not be answered each time. */
  #noteReset(): void {
    this.#isWritten = false;
    const pauseMs = this.#resets === 0 ? 0 : FIRST_PAUSE_MS * 2 ** this.#resets;
    this.#notBeforeMs = this.#parts.clock.monotonicMs() + Math.min(pauseMs, MAX_PAUSE_MS);
    this.#resets++;
  }
}
