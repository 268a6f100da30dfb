/**
 * One configuration of webhooks in a trial: its webhooks are called with dry runs, as the steps of admission call them. A valid
 * configuration has no webhook whose side effects forbid that.
 *
 * @module
 */
import type { AdmissionStep } from "../admission/contract.ts";
import {
  MUTATING,
  VALIDATING,
  type Webhook,
  type WebhookType,
  readerFor,
} from "../admission/webhooks/configuration.ts";
import { mutatingWebhooks } from "../admission/webhooks/mutating.ts";
import { validatingWebhooks } from "../admission/webhooks/validating.ts";
import { WebhookParts } from "../admission/webhooks/webhook-parts.ts";
import type { ReportedRule } from "../meta/admission-report.ts";
import type { Kind } from "../registry/index.ts";
import { copyOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import { messageOf } from "../util/error.ts";
import type { Judged, Triable, TrialParts, TrialSubject } from "./contract.ts";
import { type TrialDocument, WEBHOOKS } from "./documents.ts";
import { Overlay } from "./overlay.ts";
import { type TrialSettings, traceTo } from "./policy-trial.ts";
import { type TriedWrite, requestOfTrial } from "./request.ts";

/** See the head of this file. */
export class WebhookTrial implements Triable {
  readonly subject: TrialSubject;
  readonly #parts: TrialParts;
  readonly #identity: TrialSettings["identity"];
  readonly #lookup: Lookup;
  readonly #webhooks: readonly Webhook[];
  readonly #step: AdmissionStep;

  constructor(parts: TrialParts, document: TrialDocument, { identity, others }: TrialSettings) {
    const type = typeOf(document.object);
    this.#parts = parts;
    this.#identity = identity;
    this.#lookup = new Overlay(parts.lookup, [document, ...others], WEBHOOKS);
    this.#webhooks = webhooksOf(document.object);
    const { hooks, authorizer, threads, services, api } = parts;
    const { clock, random } = api;
    const webhookParts = new WebhookParts({
      lookup: this.#lookup,
      clock,
      random,
      hooks,
      authorizer,
      threads,
      services,
    });
    this.#step = type === MUTATING ? mutatingWebhooks(webhookParts) : validatingWebhooks(webhookParts);
    this.subject = {
      kind: type.kind,
      name: document.object.metadata.name ?? "",
      parts: this.#webhooks.map(({ name }) => name),
      partOf: ({ name }) => name,
    };
  }

  isAbout(kind: Kind, operation: TriedWrite["operation"], subresource?: string): boolean {
    const write = { kind, operation, object: undefined, old: undefined, ...(subresource ? { subresource } : {}) };
    const request = requestOfTrial(write, { api: this.#parts.api, lookup: this.#lookup, identity: this.#identity });
    return this.#webhooks.some(({ matcher }) => matcher.mayMatch(request));
  }

  async judge(write: TriedWrite): Promise<Judged> {
    const rules: ReportedRule[] = [];
    const object = write.object && copyOf(write.object);
    const request = requestOfTrial(
      { ...write, object },
      { api: this.#parts.api, lookup: this.#lookup, identity: this.#identity, dryRun: true, trace: traceTo(rules) },
    );
    try {
      await this.#step.mutate?.(request);
      await this.#step.validate?.(request);
      return rules;
    } catch (error) {
      if (rules.some(({ result }) => result === "failed" || result === "denied")) return rules;
      const { kind, name } = this.subject;
      return [
        ...rules,
        { source: `${kind}/${name}`, name: "", matched: true, result: "failed", why: messageOf(error) },
      ];
    }
  }
}

const typeOf = ({ kind }: ApiObject): WebhookType => (kind === MUTATING.kind ? MUTATING : VALIDATING);

const webhooksOf = (object: ApiObject): readonly Webhook[] => readerFor(typeOf(object))(object)?.webhooks ?? [];
