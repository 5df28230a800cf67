/** A request as handlers see it, and what they say of it. */
import type { AdmissionRequest, Review, ValidationReview } from "../../kube/webhooks/admission.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalidValue,
  notSupported,
  required,
} from "../../kube/field-errors.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { StatusError } from "../../kube/status.ts";
import { failure } from "../../kube/status.ts";
import { fieldOf } from "./field-names.ts";
import type { Patience } from "./requests/patience.ts";
import { Warnings } from "./warnings.ts";

// What handlers call are functions of the object, not methods: a handler may take `{ warn, invalid }` apart. They are made
// when they are asked for: most reviews need none of them.

export class OpenReview implements Review {
  readonly request: AdmissionRequest;
  #warnings: Warnings | undefined;
  readonly #patience: Patience;

  constructor(request: AdmissionRequest, patience: Patience) {
    this.request = request;
    this.#patience = patience;
  }

  get signal(): AbortSignal {
    return this.#patience.signal;
  }

  /** The warnings so far. */
  get warnings(): readonly string[] {
    return this.#warnings?.texts ?? [];
  }

  get warn(): Review["warn"] {
    return (message) => {
      this.#warnings ??= new Warnings();
      this.#warnings.add(message);
    };
  }
}

type Noted = ValidationReview;

export class OpenValidation extends OpenReview implements ValidationReview {
  readonly #object: KubeObject;
  readonly #errors: FieldError[] = [];
  readonly #denials: string[] = [];

  /** @param object - whose fields are named: the new one, or the one that is to be deleted */
  constructor(request: AdmissionRequest, patience: Patience, object: KubeObject) {
    super(request, patience);
    this.#object = object;
  }

  get invalid(): Noted["invalid"] {
    return (field, detail) => {
      const { path, value } = fieldOf(this.#object, field);
      this.#errors.push(invalidValue(path, value, detail));
    };
  }

  get required(): Noted["required"] {
    return (field, detail = "") => {
      this.#errors.push(required(fieldOf(this.#object, field).path, detail));
    };
  }

  get forbidden(): Noted["forbidden"] {
    return (field, detail) => {
      this.#errors.push(forbidden(fieldOf(this.#object, field).path, detail));
    };
  }

  get notSupported(): Noted["notSupported"] {
    return (field, supported) => {
      const { path, value } = fieldOf(this.#object, field);
      this.#errors.push(notSupported(path, value, supported));
    };
  }

  get duplicate(): Noted["duplicate"] {
    return (field) => {
      const { path, value } = fieldOf(this.#object, field);
      this.#errors.push(duplicate(path, value));
    };
  }

  get deny(): Noted["deny"] {
    return (message) => {
      this.#denials.push(message);
    };
  }

  /** Why the request is refused, as the API server would say it; `undefined` when it is not. */
  refusal(): StatusError | undefined {
    const { kind, name = this.#object.metadata.name } = this.request;
    const mistakes = this.#errors.length > 0 ? invalid(kind, name, this.#errors) : undefined;
    if (this.#denials.length === 0) return mistakes;
    const message = [...this.#denials, ...(mistakes ? [mistakes.message] : [])].join("; ");
    return failure(403, "Forbidden", message, mistakes?.status.details);
  }
}
