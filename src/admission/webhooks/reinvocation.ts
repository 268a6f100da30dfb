/**
 * The webhooks that are called once more for a request: those with the policy IfNeeded that were called before another step has changed the
 * object (HOOK-12).
 *
 * @module
 */
import { asValue, copyOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { equal } from "../../value/value.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { Webhook } from "./configuration.ts";

const keyOf = ({ configuration, name }: Webhook): string => `${configuration}/${name}`;

/** The reinvocations of one request. */
export class Reinvocation {
  /** Webhooks of the policy IfNeeded with no change since their calls. */
  readonly #called = new Set<string>();
  /** Webhooks that are called once more. */
  readonly #due = new Set<string>();
  #isSecondPass = false;
  #last: ApiObject | undefined = undefined;

  /** The steps that change objects begin for the second time. */
  beginSecondPass({ object }: AdmissionRequest): void {
    this.#isSecondPass = true;
    const isChanged = this.#last !== undefined && object !== undefined && !equal(asValue(this.#last), asValue(object));
    if (isChanged) this.changed();
  }

  /** Whether this is the second pass. */
  get isSecondPass(): boolean {
    return this.#isSecondPass;
  }

  /** Whether a webhook is called in this pass. */
  isDue(webhook: Webhook): boolean {
    return !this.#isSecondPass || this.#due.has(keyOf(webhook));
  }

  /** The object has changed: those that were called before are called once more. */
  changed(): void {
    for (const key of this.#called) this.#due.add(key);
    this.#called.clear();
  }

  /** A webhook was called. */
  called(webhook: Webhook): void {
    if (webhook.isReinvocable) this.#called.add(keyOf(webhook));
  }

  /** All webhooks of a pass were called. */
  end({ object }: AdmissionRequest): void {
    this.#last = object && this.#called.size + this.#due.size > 0 ? copyOf(object) : undefined;
  }
}
