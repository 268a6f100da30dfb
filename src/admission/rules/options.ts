/**
 * The options of a request, as objects of `meta.k8s.io/v1` (HOOK-21).
 *
 * @module
 */
import type { ValueObject } from "../../value/value.ts";
import type { AdmissionOptions, AdmissionRequest } from "../contract.ts";

const KINDS = { CREATE: "CreateOptions", UPDATE: "UpdateOptions", DELETE: "DeleteOptions" } as const;

/** The options of a request by its operation, even where it is a patch; null for a connection. */
export function optionsOf({ operation, options }: AdmissionRequest): ValueObject | null {
  if (operation === "CONNECT") return null;
  const own = operation === "DELETE" ? deletion(options) : writing(options);
  const dryRun = options.dryRun ? { dryRun: ["All"] } : {};
  return { kind: KINDS[operation], apiVersion: "meta.k8s.io/v1", ...own, ...dryRun };
}

/** Members with default values are omitted. */
const writing = ({ fieldManager = "", fieldValidation = "Warn" }: AdmissionOptions): ValueObject => ({
  ...(fieldManager === "" ? {} : { fieldManager }),
  ...(fieldValidation === "Warn" ? {} : { fieldValidation }),
});

function deletion(options: AdmissionOptions): ValueObject {
  const { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy } = options;
  const { uid, resourceVersion } = preconditions ?? {};
  const named = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions ? { preconditions: named } : {}),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
  };
}
