/**
 * Two steps for old command lines: one that refuses nothing, and one that refuses everything.
 *
 * @module
 */
import { type AdmissionRequest, type AdmissionStep, refusal } from "./contract.ts";

/** Does nothing. */
export const alwaysAdmit: AdmissionStep = { name: "AlwaysAdmit" };

const refuse = (request: AdmissionRequest): never => {
  throw refusal(request, "admission control is denying all modifications");
};

/** Refuses every write and every connection. */
export const alwaysDeny: AdmissionStep = { name: "AlwaysDeny", connects: true, mutate: refuse, validate: refuse };
