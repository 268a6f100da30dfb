/**
 * A difference or error of a run, before the root of several is named.
 *
 * @module
 */
import type { Fault, FaultKind } from "../contract/finding.ts";
import type { ActionVerb, Actor } from "../contract/trace.ts";
import type { Difference } from "./differences.ts";
import type { Identity } from "./names.ts";

/** Something that looks wrong. */
export interface Suspect {
  readonly kind: FaultKind;
  readonly identity?: Identity;
  readonly path?: string;
  readonly step: number;
  readonly seq?: number;
  readonly severity: Fault["severity"];
  readonly expected?: string;
  readonly found?: string;
  /** Of a difference of states. */
  readonly difference?: Difference;
  /** Whether it was repaired later. */
  readonly healed?: boolean;
  /** The last step after which it shows, where a later step of the user made it vanish. */
  readonly until?: number;
  /** The program that did it, where one is to blame; several that fight. */
  readonly actors?: readonly Actor[];
  readonly verb?: ActionVerb;
  /** The error that the run itself reports: the text of a complaint. */
  readonly detail?: string;
  /** The key of a suspect without object and member: a rule, a program. */
  readonly subject?: string;
}

/** Whether an actor is a program under test. */
export const isProgram = (actor: Actor): boolean => actor !== "user" && actor !== "cluster";
