import type { Authorizer, TrustGround } from "./contract.ts";

/** Makes an authorizer for a cluster. */
type Make = (ground: TrustGround) => Authorizer;

/** An authorizer that may be replaced by another one while it is asked. */
export class ReplaceableAuthorizer {
  #make: Make;
  readonly #made: { readonly ground: TrustGround; current: Authorizer }[] = [];

  constructor(make: Make) {
    this.#make = make;
  }

  /** Another one is asked from now on; questions under way are answered by the one of before. */
  replace(make: Make): void {
    this.#make = make;
    for (const one of this.#made) one.current = make(one.ground);
  }

  /** The authorizer for a cluster. */
  for(ground: TrustGround): Authorizer {
    const one = { ground, current: this.#make(ground) };
    this.#made.push(one);
    return {
      authorize: (identity, info) => one.current.authorize(identity, info),
      rightsOf: (identity, namespace) => one.current.rightsOf(identity, namespace),
      advise: async (identity, info) => one.current.advise?.(identity, info),
    };
  }
}
