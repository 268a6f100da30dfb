/**
 * Possible mistakes in our binder, collector and provisioner, written by hand.
 *
 * @module
 */
import { BINDER_MUTANTS } from "./binder.ts";
import { COLLECTOR_MUTANTS } from "./collector.ts";
import type { Mutant } from "./mutant.ts";
import { PROVISIONER_MUTANTS } from "./provisioner.ts";

/** All mutants, by controller. */
export const MUTANTS: Readonly<Record<"binder" | "garbage collector" | "provisioner", readonly Mutant[]>> = {
  binder: BINDER_MUTANTS,
  "garbage collector": COLLECTOR_MUTANTS,
  provisioner: PROVISIONER_MUTANTS,
};
