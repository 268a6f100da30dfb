/**
 * Which mutating policies run once more for a request (POL-A-21).
 *
 * @module
 */
import { copyOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { equal } from "../../value/value.ts";

/** The result of an invocation. */
export interface InvocationEnd {
  readonly hasChanged: boolean;
  /** Whether its policy runs once more when the object changes. */
  readonly isReinvoked: boolean;
}

/** The invocations of mutating policies for one request. */
export class Reinvocations {
  /** Invocations that have run and will run again when the object changes. */
  #waiting = new Set<string>();
  /** Those that run in the second run. */
  readonly #due = new Set<string>();
  #runs = 0;
  #last: ApiObject | undefined = undefined;

  /** Begins a run: where other steps have changed the object since the last one, waiting policies are due. */
  begin(object: ApiObject | undefined): void {
    this.#runs++;
    if (this.#waiting.size > 0 && !equal(this.#last, object)) this.#require();
  }

  /** Whether an invocation runs in this run. */
  mayRun(key: string): boolean {
    return this.#runs === 1 || this.#due.has(key);
  }

  /** Records that an invocation has run. */
  ran(key: string, { hasChanged, isReinvoked }: InvocationEnd): void {
    if (hasChanged) this.#require();
    if (isReinvoked) this.#waiting.add(key);
  }

  /** Ends the run with this object. */
  end(object: ApiObject | undefined): void {
    this.#last = this.#waiting.size > 0 && object ? copyOf(object) : undefined;
  }

  #require(): void {
    for (const key of this.#waiting) this.#due.add(key);
    this.#waiting = new Set();
  }
}
