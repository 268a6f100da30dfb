/**
 * What objects take for themselves alone: addresses, ports. A thing that one of them has, nobody else gets, whichever server
 * of a store is asked; it comes back when the write that took it fails, and when its object has no more use for it.
 *
 * A definition says in `takings` what its objects take and from which stocks; who keeps the stocks knows of no kind.
 *
 * @module
 */
import type { FieldErrors } from "../meta/field-errors.ts";
import type { Random } from "../util/clock.ts";
import type { ApiObject, NewObject, WriteContext } from "./definition.ts";

/** One thing of a stock. */
export interface Taking {
  /** The {@link Stock.id} of the stock. */
  readonly stock: string;
  /** What it is called there: an address, the number of a port. */
  readonly name: string;
}

/** The object that has taken something. */
export interface Owner {
  readonly namespace: string;
  readonly name: string;
}

/** A set of names, each of which at most one object has. */
export interface Stock {
  readonly id: string;
  /** Why a name is not one of the stock; undefined where it is. */
  refuses(name: string): string | undefined;
  /** The names in the order in which they are given out to who takes any; where it begins is a matter of chance. */
  names(random: Random): Iterable<string>;
  /** The kind whose objects show what is taken; without it nobody sees that. */
  readonly shown?: ShownStock;
}

/** How what is taken of a stock is seen: an object for each name. */
export interface ShownStock {
  /** `plural.group` of the kind. */
  readonly resource: string;
  /** The object that says who has a name. */
  object(name: string, owner: Owner): NewObject;
  /** Who has what an object stands for; undefined for one that was not made here. */
  owner(object: ApiObject): Owner | undefined;
}

/** What a write takes things with: where the write fails, they go back. A dry run gets what it asks for and takes nothing. */
export interface Hand {
  /** Takes one thing by its name; why not, where that is not possible. */
  take(stock: Stock, name: string): Promise<string | undefined>;
  /** Takes whatever is there; undefined where nothing is left. */
  takeAny(stock: Stock): Promise<string | undefined>;
}

/** What the objects of a kind take. */
export interface Takings {
  readonly stocks: readonly Stock[];
  /** What an object has. Pure. */
  of(object: ApiObject): readonly Taking[];
  /**
   * Takes what an object asks for and does not have yet, and says in it what it got. Runs before anything else of the kind
   * looks at the write, so any member may be wrong: what cannot be made sense of is left to the rules. Changes `object`.
   */
  take(
    object: ApiObject,
    old: ApiObject | undefined,
    hand: Hand,
    errors: FieldErrors,
    ctx: WriteContext,
  ): Promise<void>;
}
