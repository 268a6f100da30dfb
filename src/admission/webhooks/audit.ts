/**
 * Annotations of audit events about webhooks, under the names of kube-apiserver.
 *
 * @module
 */
import { qualifiedName } from "../../meta/names.ts";
import type { JsonPatchOperation } from "../../patch/json-patch.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { PlacedWebhook, Webhook } from "./configuration.ts";

const MUTATION = "mutation.webhook.admission.k8s.io/";
const PATCH = "patch.webhook.admission.k8s.io/";
const VALIDATION = "validating.webhook.admission.k8s.io/";

/** The first or the second call of a webhook. */
export type Round = 0 | 1;

const place = (round: Round, index: number): string => `round_${round}_index_${index}`;

/** Whether a webhook has changed the object. */
export function noteMutation(
  request: AdmissionRequest,
  { webhook, index }: PlacedWebhook,
  round: Round,
  mutated: boolean,
): void {
  const { configuration, name } = webhook;
  request.note(MUTATION + place(round, index), goJson({ configuration, webhook: name, mutated }));
}

/** The patch of a webhook; only where the object of the request is recorded, too. */
export function notePatch(
  request: AdmissionRequest,
  { webhook, index }: PlacedWebhook,
  round: Round,
  operations: readonly JsonPatchOperation[],
): void {
  const { configuration, name } = webhook;
  const patch = operations.map(({ from, op, path, value }) => ({ from, op, path, value }));
  const text = goJson({ configuration, webhook: name, patch, patchType: "JSONPatch" });
  request.note(PATCH + place(round, index), text, "Request");
}

/** The request continues without a mutating webhook. */
export const noteFailedMutation = (request: AdmissionRequest, { webhook, index }: PlacedWebhook, round: Round): void =>
  request.note(`failed-open.${MUTATION}${place(round, index)}`, webhook.name);

/** The request continues without a validating webhook. */
export const noteFailedValidation = (request: AdmissionRequest, { name }: Webhook, index: number): void =>
  request.note(`failed-open.${VALIDATION}${place(0, index)}`, name);

/** The annotations that a webhook has sent; those with an invalid key are dropped. */
export function noteAnnotations(
  request: AdmissionRequest,
  { name }: Webhook,
  annotations: Readonly<Record<string, string>>,
): void {
  for (const [member, value] of Object.entries(annotations)) {
    const key = `${name}/${member}`;
    if (qualifiedName(key) === undefined) request.note(key, value);
  }
}

/** A text in the JSON encoding of Go. */
const goJson = (value: object): string =>
  JSON.stringify(value).replaceAll(/[<>&]/g, (char) => `\\u00${char.codePointAt(0)!.toString(16)}`);
