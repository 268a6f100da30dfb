import type { Resources } from "../rules/quantities.ts";

/** The part of an object that is needed to count it. */
export interface Countable {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
}

/** A scope of a quota. */
export interface Scope {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** How the objects of a resource are counted. */
export interface Usage<T extends Countable = Countable> {
  /** The usage of an object, at a time in milliseconds. */
  of(object: T, now: number): Resources;
  /** Whether a scope matches an object; without this, none does. */
  holds?(scope: Scope, object: T): boolean;
  /** The limited resources that an object must set and does not. */
  unsaid?(object: T, limited: readonly string[]): string | undefined;
  /** Whether an update, or a write of a subresource, may change the usage; creates always do. */
  mayChange?(subresource: string, object: T, old: T): boolean;
}
