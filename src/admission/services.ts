/**
 * Admission of Services.
 *
 * @module
 */
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import { type AdmissionStep, concerns, refusal } from "./contract.ts";

const SERVICES = { group: "", plural: "services" };

const isService = guardOf<ApiObject & { readonly spec?: { readonly externalIPs?: readonly string[] } }>("Service");

const externalOf = (object: ApiObject | undefined): readonly string[] =>
  (isService(object) && object.spec?.externalIPs) || [];

/** Refuses external addresses that a Service does not have already: a user who sets one receives its traffic. */
export const denyServiceExternalIPs: AdmissionStep = {
  name: "DenyServiceExternalIPs",
  resources: [SERVICES],
  validate(request) {
    const { subresource, object, old } = request;
    if (subresource !== "" || !object || !concerns(request, SERVICES)) return;
    const known = new Set(externalOf(old));
    if (externalOf(object).every((address) => known.has(address))) return;
    throw refusal(request, "Use of external IPs is denied by admission control");
  },
};
