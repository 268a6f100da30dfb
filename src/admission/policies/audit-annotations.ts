/**
 * The audit annotations of validating policies for one request.
 *
 * @module
 */
import type { AdmissionRequest } from "../contract.ts";

/** A failed validation of a binding that audits. */
export interface ValidationFailure {
  readonly message: string;
  readonly policy: string;
  readonly binding: string;
  /** The index of the validation in the policy. */
  readonly expressionIndex: number;
  readonly validationActions: readonly string[];
}

const FAILURE = "validation.policy.admission.k8s.io/validation_failure";

/** The audit annotations of one request. */
export class AuditAnnotations {
  readonly #request: Pick<AdmissionRequest, "note">;
  /** The values by annotation; bindings and params may add several to one. */
  readonly #values = new Map<string, Set<string>>();

  constructor(request: Pick<AdmissionRequest, "note">) {
    this.#request = request;
  }

  /** Records a failed validation; the first one of a request is kept. */
  fail(failure: ValidationFailure): void {
    this.#request.note(FAILURE, JSON.stringify([failure]));
  }

  /** Adds a value of an annotation of a policy. */
  add(policy: string, key: string, value: string): void {
    const name = `${policy}/${key}`;
    const values = this.#values.get(name);
    if (values) values.add(value);
    else this.#values.set(name, new Set([value]));
  }

  /** Writes the annotations to the request. */
  write(): void {
    for (const [name, values] of this.#values) this.#request.note(name, [...values].join(", "));
  }
}
