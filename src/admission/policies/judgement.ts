/**
 * The decisions of validating policies on a request.
 *
 * @module
 */
import type { FaultyPolicy, Invocation } from "./selection.ts";
import type { ValidatingPolicy, ValidationResult } from "./validation.ts";

/** An evaluation of a policy with its result. */
export interface Judged {
  readonly invocation: Invocation<ValidatingPolicy>;
  readonly result: ValidationResult;
  readonly fault?: undefined;
}

/** The decisions of the policies on a request, in their order. */
export type Judgement = Judged | FaultyPolicy<ValidatingPolicy>;
