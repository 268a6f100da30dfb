import type { Resources } from "../rules/quantities.ts";

/** As much of any object as is looked at to count it. */
export interface Countable {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
}

/** What a quota asks of the objects that it is about. */
export interface Scope {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** How the objects of a resource are counted. */
export interface Usage<T extends Countable = Countable> {
  /** What an object takes, at a time in milliseconds. */
  of(object: T, now: number): Resources;
  /** Whether what a quota asks of its objects holds for one; without this, nothing does. */
  holds?(scope: Scope, object: T): boolean;
  /** What an object has to say where something is limited, and does not say. */
  unsaid?(object: T, limited: readonly string[]): string | undefined;
  /** Whether a write of a subresource, or of an object that is there, may change what it takes; creates always do. */
  mayChange?(subresource: string, object: T, old: T): boolean;
}
