/**
 * What the zoo is made of: small controllers with one fault each, and their mended twins.
 *
 * @module
 */
import type { Manifest } from "../../src/client/index.ts";
import type { FaultKind } from "../../src/explore/contract/finding.ts";
import type { InProcessProgram, Scenario } from "../../src/testing/explore/scenario.ts";

/** What every entry has. */
interface Described {
  readonly name: string;
  /** The class of the fault, as the literature calls it. */
  readonly class: string;
  /** The fault in one sentence. */
  readonly fault: string;
  /** The kinds of faults by which it may show. */
  readonly kinds: readonly FaultKind[];
  readonly scenario: Scenario;
  /** Whether it is right in the end and only wasteful, so that a notice tells of it. */
  readonly isNotice?: boolean;
  /** An object whose members are changed as its schema permits. */
  readonly operations?: Manifest;
}

/** A controller in this process. */
export interface InProcessEntry extends Described {
  readonly language: "TypeScript";
  /** The programs with the fault, or those in which only that is mended, by name. */
  readonly programs: (mended: boolean) => Readonly<Record<string, InProcessProgram>>;
}

/** A controller that is a program of its own: its name is the argument of the program of all controllers of its language. */
export interface CommandEntry extends Described {
  readonly language: "Go" | "Python";
}

/** A controller with one fault, and its mended twin. */
export type Entry = InProcessEntry | CommandEntry;
