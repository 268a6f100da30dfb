/**
 * MutatingAdmissionWebhook: webhooks that may change the object of a request, one after the other (HOOK-11).
 *
 * @module
 */
import { PatchError, followJsonPatch, parseJsonPatch } from "../../patch/index.ts";
import type { JsonPatchOperation } from "../../patch/json-patch.ts";
import { hasReason } from "../../meta/status.ts";
import { asValue } from "../../schema/api-object.ts";
import type { Slice } from "../../util/loop.ts";
import { inSlices } from "../../util/steps.ts";
import { messageOf } from "../../util/error.ts";
import { inOrder, whenKnown } from "../../util/when-done.ts";
import { decodeJsonSteps } from "../../value/json.ts";
import { equal } from "../../value/value.ts";
import type { AdmissionRequest, AdmissionStep } from "../contract.ts";
import { type Round, noteFailedMutation, noteMutation, notePatch } from "./audit.ts";
import type { PlacedWebhook } from "./configuration.ts";
import { type Invocation, consider } from "./consider.ts";
import { denied, failed, nothingToPatch, patchFailure, patchTypeFailure } from "./errors.ts";
import { type ReviewResult, type Outcome, outcomeOf } from "./outcome.ts";
import { Reinvocation } from "./reinvocation.ts";
import { candidatesOf, objectBefore, tellMismatch, tellOutcome } from "./report.ts";
import type { ReviewResponse } from "./response.ts";
import { ObjectTexts } from "./review.ts";
import { type WebhookParts, isExempt } from "./webhook-parts.ts";

/** The step of mutating webhooks. */
export function mutatingWebhooks(parts: WebhookParts): AdmissionStep {
  const webhooks = new MutatingWebhooks(parts);
  return {
    name: "MutatingAdmissionWebhook",
    connects: true,
    mutate: (request) => webhooks.mutate(request),
  };
}

class MutatingWebhooks {
  readonly #parts: WebhookParts;
  /** By request, from its first pass on. */
  readonly #passes = new WeakMap<AdmissionRequest, Reinvocation>();

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  mutate(request: AdmissionRequest): void | Promise<void> {
    if (isExempt(request)) return undefined;
    return whenKnown(this.#parts.mutating.of(request.lookup), (index) => {
      const candidates = candidatesOf(index, request);
      return candidates.length === 0 ? undefined : this.#pass(request, candidates);
    });
  }

  #pass(request: AdmissionRequest, candidates: readonly PlacedWebhook[]): void | Promise<void> {
    const known = this.#passes.get(request);
    const pass = known ?? new Reinvocation();
    if (known) pass.beginSecondPass(request);
    else this.#passes.set(request, pass);
    const done = inOrder(candidates, (placed) =>
      whenKnown(consider(this.#parts, placed, request), (considered) => {
        if (considered.mismatch !== undefined) return tellMismatch(request, placed, considered);
        if (!pass.isDue(placed.webhook)) return undefined;
        return this.#call(considered, pass);
      }),
    );
    return done ? done.then(() => pass.end(request)) : pass.end(request);
  }

  async #call(invocation: Invocation, pass: Reinvocation): Promise<void> {
    const { placed, request } = invocation;
    const round = pass.isSecondPass ? 1 : 0;
    const before = objectBefore(request);
    const outcome = await outcomeOf(this.#parts, placed.webhook, request, () => this.#review(invocation, round));
    tellOutcome(request, placed, outcome, before);
    const isChanged = outcome.result === "allowed" && outcome.changed;
    noteMutation(request, placed, round, isChanged);
    if (isChanged) {
      pass.changed();
      request.reinvoke();
    }
    pass.called(placed.webhook);
    this.#finish(invocation, round, outcome);
  }

  #finish({ placed, request }: Invocation, round: Round, outcome: Outcome): void {
    if (outcome.result === "denied" || outcome.result === "failed") throw outcome.error;
    if (outcome.result === "ignored") noteFailedMutation(request, placed, round);
  }

  async #review(invocation: Invocation, round: Round): Promise<ReviewResult> {
    const { webhook } = invocation.placed;
    const response = await this.#parts.caller.call(invocation, new ObjectTexts(1));
    if (!response.allowed) return { denied: denied(webhook.name, response.status) };
    return { changed: response.patch !== undefined && (await this.#patch(invocation, round, response)) };
  }

  /** Whether a patch has changed the object. */
  async #patch(invocation: Invocation, round: Round, response: ReviewResponse): Promise<boolean> {
    const { placed, request, shown } = invocation;
    const { name } = placed.webhook;
    const slice = this.#parts.clock.loop.slice();
    const operations = await operationsOf(name, response.patch!, slice);
    if (operations.length === 0) return false;
    if (!shown.object) throw nothingToPatch(name);
    if (response.patchType !== "JSONPatch") throw patchTypeFailure(name, response.patchType);
    const before = { ...asValue(shown.object) };
    await replaceBy(shown, operations, slice);
    await slice.pause();
    notePatch(request, placed, round, operations);
    return !equal(before, asValue(shown.object));
  }
}

/** Puts what operations make of the object into its place; 500 where that is no object of the kind (HOOK-25). */
async function replaceBy(
  shown: AdmissionRequest,
  operations: readonly JsonPatchOperation[],
  slice: Slice,
): Promise<void> {
  try {
    const patched = await inSlices(followJsonPatch(asValue(shown.object!), operations), slice);
    await slice.pause();
    await shown.replace(patched);
  } catch (error) {
    if (error instanceof PatchError || hasReason(error, "BadRequest", "Invalid")) throw failed(messageOf(error));
    throw error;
  }
}

/** The operations of a patch. */
async function operationsOf(webhook: string, bytes: Uint8Array, slice: Slice): Promise<readonly JsonPatchOperation[]> {
  try {
    const { value } = await inSlices(decodeJsonSteps(bytes), slice);
    return parseJsonPatch(value, { typed: false }).operations;
  } catch (error) {
    throw patchFailure(webhook, messageOf(error));
  }
}
