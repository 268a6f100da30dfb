import type { ScalarEqual } from "./typed/index.ts";

/** What differs between the dialects, and the limits. Every member has the default of Kubernetes. */
export interface OwnershipRules {
  /** An empty `managedFields` list clears it (AMB-45); the documents say that it does not (CLR-5). Default true. */
  readonly emptyListClears: boolean;
  /** Updates of an object without entries are recorded (CONV-7, CLR-6); else only the first apply begins to. Default false. */
  readonly recordAfterClear: boolean;
  /** An apply that changes nothing but owners leaves its entry without a new time (DEC-14). Default true. */
  readonly timelessOwnership: boolean;
  /** A null in an intent counts as absent (DEC-22, POL-1). Default false: it is a value, and owned. */
  readonly nullIsAbsent: boolean;
  /** Entries with `fields` instead of `fieldsV1` are understood (MF-10). Default false: they own nothing. */
  readonly readOldShape: boolean;
  /**
   * A write that is no apply and leaves an entry without a key in a keyed list leaves the object without owners. Default
   * false: nobody owns such an entry, everything else keeps its owners.
   */
  readonly keylessForgets: boolean;
  /** Update entries beyond this number are folded into one (DEC-14). Default 10. */
  readonly maxUpdateManagers: number;
  /** Which scalars are equal although written differently (DEC-9). Default: none. */
  readonly scalarEqual: ScalarEqual | undefined;
  /**
   * What becomes of a list or map that an apply takes the last entry out of. Default `null`, as Kubernetes has it: the
   * decoder of a kind reads that as absent, a free value keeps it. `absent` takes the container out as well.
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
  keylessForgets: false,
  maxUpdateManagers: 10,
  scalarEqual: undefined,
  emptied: "null",
};

const known = new WeakMap<Partial<OwnershipRules>, OwnershipRules>();

/** Some rules, and the default of each other one; those of one object are put together once. */
export function allRules(some: Partial<OwnershipRules> | undefined): OwnershipRules {
  if (some === undefined) return DEFAULT_RULES;
  let all = known.get(some);
  if (all === undefined) known.set(some, (all = { ...DEFAULT_RULES, ...some }));
  return all;
}
