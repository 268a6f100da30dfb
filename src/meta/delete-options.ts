/**
 * DeleteOptions of `meta/v1` (DEC-26), which are sent as a body, in a query, or within another body (an Eviction).
 *
 * @module
 */
import { FieldErrors } from "./field-errors.ts";
import { invalid } from "./status.ts";
import { atomicList, bool, int64, optional, pointer, struct, text } from "./types.ts";

/** The schema of DeleteOptions within another body. */
export const DeleteOptionsSchema = struct("How to delete.", {
  apiVersion: optional(text("The version of these options.")),
  kind: optional(text("DeleteOptions.")),
  gracePeriodSeconds: pointer(int64("Seconds to wait; what the object says by default.")),
  preconditions: pointer(
    struct("What must be so.", {
      uid: pointer(text("The UID of the object.")),
      resourceVersion: pointer(text("Its version.")),
    }),
  ),
  orphanDependents: pointer(bool("Whether what belongs to the object stays; propagationPolicy says more.")),
  propagationPolicy: pointer(text("What happens to what belongs to the object: Background, Foreground or Orphan.")),
  dryRun: optional(atomicList(text(), "`All` to change nothing.")),
  ignoreStoreReadErrorWithClusterBreakingPotential: pointer(bool("Whether damaged objects are deleted unread.")),
});

/** Valid DeleteOptions. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Removes an object that cannot be read (CRYPT-10). */
  readonly unread?: true;
}

/** DeleteOptions as they were sent, with valid types. */
export interface SentDeleteOptions {
  readonly dryRun?: readonly string[] | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
}

const POLICIES = ["Background", "Foreground", "Orphan"] as const;

/** Validates `dryRun`: only `All` is supported, and an empty value is not the same as none (DEC-23). */
export function readDryRun(values: readonly unknown[], errors: FieldErrors): boolean {
  for (const value of values) if (value !== "All") errors.notSupported("dryRun", value, ["All"]);
  return values.length > 0;
}

/** Throws 422 with every fault of the options; members that were not sent are not in the result. */
export function checkDeleteOptions(sent: SentDeleteOptions): DeleteOptions {
  const errors = new FieldErrors();
  const dryRun = readDryRun(sent.dryRun ?? [], errors);
  const { propagationPolicy: policy } = sent;
  const known = POLICIES.find((name) => name === policy);
  if (policy !== undefined && !known) errors.notSupported("propagationPolicy", policy, POLICIES);
  if (policy !== undefined && sent.orphanDependents !== undefined) {
    errors.invalid("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set");
  }
  if (errors.any) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors.causes);
  const { uid, resourceVersion } = sent.preconditions ?? {};
  return {
    dryRun,
    ...(sent.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: sent.gracePeriodSeconds }),
    ...(sent.orphanDependents === undefined ? {} : { orphanDependents: sent.orphanDependents }),
    ...(known ? { propagationPolicy: known } : {}),
    ...(sent.ignoreStoreReadErrorWithClusterBreakingPotential ? { unread: true } : {}),
    ...(sent.preconditions
      ? {
          preconditions: {
            ...(uid === undefined ? {} : { uid }),
            ...(resourceVersion === undefined ? {} : { resourceVersion }),
          },
        }
      : {}),
  };
}
