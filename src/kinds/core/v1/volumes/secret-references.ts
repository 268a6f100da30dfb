/**
 * The rules of references to Secrets in volume sources (DEC-39).
 *
 * @module
 */
import { dnsLabel, dnsSubdomain } from "../../../../meta/names.ts";
import type { Static } from "../../../../meta/types.ts";
import type { SecretReference } from "../../../rules/references.ts";
import type { Loose, SourceCheck } from "./form.ts";

/** A complete reference to a Secret: name and namespace are present and well formed (DEC-39). */
export function checkSecretReference(
  ref: Loose<Static<typeof SecretReference>> | undefined,
  at: string,
  check: SourceCheck,
): void {
  if (ref === undefined) return;
  if (ref.name) check.text(`${at}.name`, ref.name, dnsSubdomain);
  else check.errors.required(`${at}.name`);
  if (ref.namespace) check.text(`${at}.namespace`, ref.namespace, dnsLabel);
  else check.errors.required(`${at}.namespace`);
}

/** Name and namespace of a Secret are set, with any value: Kubernetes only. */
export function needNameAndNamespace(
  ref: { readonly name?: string | undefined; readonly namespace?: string | undefined } | undefined,
  at: string,
  check: SourceCheck,
): void {
  if (ref === undefined) return;
  check.needUndocumented(`${at}.name`, ref.name);
  check.needUndocumented(`${at}.namespace`, ref.namespace);
}

/** The name of a Secret is present: Kubernetes only. */
export function needName(
  ref: { readonly name?: string | undefined } | undefined,
  at: string,
  check: SourceCheck,
): void {
  if (ref !== undefined) check.needUndocumented(`${at}.name`, ref.name);
}
