import type { Authorizer, AuthContext } from "./contract.ts";

type Make = (context: AuthContext) => Authorizer;

/** An authorizer of a cluster. */
interface Made {
  readonly context: AuthContext;
  current: Authorizer;
}

/** An authorizer that can be replaced at run time. */
export class ReplaceableAuthorizer {
  #make: Make;
  /** Weak: a cluster creates an authorizer for each plan, and drops it afterwards. */
  #made: WeakRef<Made>[] = [];

  constructor(make: Make) {
    this.#make = make;
  }

  /** Replaces the authorizer; requests in flight get the decision of the previous one. */
  replace(make: Make): void {
    this.#make = make;
    for (const ref of this.#made) {
      const one = ref.deref();
      if (one) one.current = make(one.context);
    }
  }

  /** The authorizer of a cluster. */
  for(context: AuthContext): Authorizer {
    const one: Made = { context, current: this.#make(context) };
    this.#made = [...this.#made.filter((ref) => ref.deref()), new WeakRef(one)];
    return {
      authorize: (identity, info) => one.current.authorize(identity, info),
      rightsOf: (identity, namespace) => one.current.rightsOf(identity, namespace),
      advise: async (identity, info) => one.current.advise?.(identity, info),
    };
  }
}
