/**
 * Writes that are evaluated and never stored.
 *
 * @module
 */
import type { AdmissionRequest, AdmissionTrace } from "../admission/contract.ts";
import type { Identity } from "../auth/contract.ts";
import type { Kind } from "../registry/index.ts";
import { formOf } from "../registry/objects/lens.ts";
import { ObjectRequest } from "../registry/pipeline/admission-request.ts";
import type { ApiContext, ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { Hold } from "../util/keyed-lock.ts";

/** A write in a trial. */
export interface TriedWrite {
  readonly kind: Kind;
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly subresource?: string;
  /** Undefined for a delete. */
  readonly object: ApiObject | undefined;
  /** Undefined for a create. */
  readonly old: ApiObject | undefined;
}

/** What a request has in addition to its write. */
export interface RequestSettings {
  readonly api: ApiContext;
  readonly lookup: Lookup;
  readonly identity: Identity;
  /** Whether it is shown as a dry run; false by default, as policies would see the write itself. */
  readonly dryRun?: boolean;
  readonly trace?: AdmissionTrace;
  readonly note?: (key: string, value: string) => void;
}

/** Writes of a trial need no lock. */
const NO_HOLD: Hold = { signal: new AbortController().signal };

/** The request of a write, as the steps of admission get it. */
export function requestOfTrial(
  { kind, operation, subresource = "", object, old }: TriedWrite,
  { api, lookup, identity, dryRun = false, trace, note }: RequestSettings,
): AdmissionRequest {
  const { namespace = "", name = "" } = (object ?? old)?.metadata ?? {};
  // A subresource such as scale shows the object as another kind.
  const form = formOf(kind, subresource);
  const parts = {
    ref: kind.ref,
    version: kind.definition.version,
    namespaced: kind.namespaced,
    form: form.kind,
    stored: kind.stored,
    target: { namespace, name: operation === "CREATE" ? "" : name, subresource },
    options: { dryRun },
    caller: { ...identity, userAgent: "keelson", trace, ...(note ? { note } : {}) },
    ctx: { ...api, warnings: [] },
  };
  const show = (one: ApiObject | undefined): ApiObject | undefined => one && form.show(one);
  return new ObjectRequest(parts, { hold: NO_HOLD, lookup }, operation, show(object), show(old));
}
