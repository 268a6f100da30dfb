import type { ScalarEqual } from "./typed/index.ts";

/** What differs between the dialects, and the limits. The defaults are those of Kubernetes. */
export interface OwnershipRules {
  /** An empty `managedFields` list clears it (AMB-45); the documents say that it does not (CLR-5). Default true. */
  readonly emptyListClears: boolean;
  /** Updates of an object without entries are recorded (CONV-7, CLR-6); else only from the first apply on. Default false. */
  readonly recordAfterClear: boolean;
  /** An apply that changes nothing but owners leaves its entry without a new time (DEC-14). Default true. */
  readonly timelessOwnership: boolean;
  /** A null in an intent counts as absent (DEC-22, POL-1). Default false: it is a value, and owned. */
  readonly nullIsAbsent: boolean;
  /** Entries with `fields` instead of `fieldsV1` are read (MF-10). Default false: they own nothing. */
  readonly readOldShape: boolean;
  /**
   * A write that is no apply clears all owners if the new object has an entry without a key in a keyed list. Default
   * false: such an entry has no owner, all else keeps its owners.
   */
  readonly keylessClears: boolean;
  /** Update entries beyond this number are merged into one (DEC-14). Default 10. */
  readonly maxUpdateManagers: number;
  /** Which scalars are equal although written differently (DEC-9). Default: none. */
  readonly scalarEqual: ScalarEqual | undefined;
  /**
   * What a list or map becomes when an apply removes its last entry. Default `null`, as in Kubernetes: the decoder of a
   * kind reads that as absent, a free value keeps it. `absent` removes the container too.
   */
  readonly emptied: "null" | "absent";
}

/** The rules of Kubernetes. */
export const DEFAULT_RULES: OwnershipRules = {
  emptyListClears: true,
  recordAfterClear: false,
  timelessOwnership: true,
  nullIsAbsent: false,
  readOldShape: false,
  keylessClears: false,
  maxUpdateManagers: 10,
  scalarEqual: undefined,
  emptied: "null",
};

const known = new WeakMap<Partial<OwnershipRules>, OwnershipRules>();

/** All rules, with defaults for those that are not set; computed once for each object of rules. */
export function allRules(some: Partial<OwnershipRules> | undefined): OwnershipRules {
  if (some === undefined) return DEFAULT_RULES;
  let all = known.get(some);
  if (all === undefined) known.set(some, (all = { ...DEFAULT_RULES, ...some }));
  return all;
}
