import type { Authorizer, AuthContext } from "./contract.ts";

type Make = (context: AuthContext) => Authorizer;

/** An authorizer that can be replaced at run time. */
export class ReplaceableAuthorizer {
  #make: Make;
  readonly #made: { readonly context: AuthContext; current: Authorizer }[] = [];

  constructor(make: Make) {
    this.#make = make;
  }

  /** Replaces the authorizer; requests in flight get the decision of the one before. */
  replace(make: Make): void {
    this.#make = make;
    for (const one of this.#made) one.current = make(one.context);
  }

  /** The authorizer of a cluster. */
  for(context: AuthContext): Authorizer {
    const one = { context, current: this.#make(context) };
    this.#made.push(one);
    return {
      authorize: (identity, info) => one.current.authorize(identity, info),
      rightsOf: (identity, namespace) => one.current.rightsOf(identity, namespace),
      advise: async (identity, info) => one.current.advise?.(identity, info),
    };
  }
}
