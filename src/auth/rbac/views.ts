/**
 * The views of those who ask: for each identity one of the cluster and some of namespaces. How many are kept is bounded by
 * what they weigh together.
 *
 * @module
 */
import type { Identity } from "../contract.ts";
import { holdersOf } from "./binding.ts";
import type { BindingIndex } from "./binding-index.ts";
import type { RoleCells } from "./role-cells.ts";
import { View } from "./view.ts";

/** A view, and as of which change it was found to be good. */
interface Checked {
  readonly view: View;
  asOf: number;
}

/** The views of one identity. */
interface Known {
  readonly holders: readonly string[];
  ofCluster: Checked | undefined;
  readonly ofNamespaces: Map<string, Checked>;
}

/** Bindings and groups in all views that are kept; about a hundred bytes each. When there are more, all begins anew. */
const MOST_WEIGHT = 300_000;
/** Who has more groups than anybody has is not kept. */
const MOST_GROUPS = 256;

/** See the head of this file. */
export class Views {
  readonly #bindings: BindingIndex;
  readonly #roles: RoleCells;
  #known = new Map<string, Known>();
  /** An identity is often the same object as before. */
  #byIdentity = new WeakMap<Identity, Known>();
  #weight = 0;

  constructor(bindings: BindingIndex, roles: RoleCells) {
    this.#bindings = bindings;
    this.#roles = roles;
  }

  /**
   * The view of an identity of the cluster.
   *
   * @param asOf a number that is another one after each change
   */
  ofCluster(identity: Identity, asOf: number): View {
    const known = this.#knownOf(identity);
    const { ofCluster } = known;
    if (this.#isGood(ofCluster, asOf)) return ofCluster.view;
    const view = this.#make("", known);
    known.ofCluster = { view, asOf };
    return view;
  }

  /** The view of an identity of a namespace, as of a change. */
  ofNamespace(identity: Identity, namespace: string, asOf: number): View {
    const known = this.#knownOf(identity);
    const checked = known.ofNamespaces.get(namespace);
    if (this.#isGood(checked, asOf)) return checked.view;
    const view = this.#make(namespace, known);
    known.ofNamespaces.set(namespace, { view, asOf });
    return view;
  }

  #isGood(checked: Checked | undefined, asOf: number): checked is Checked {
    if (!checked) return false;
    if (checked.asOf === asOf) return true;
    if (!checked.view.isOfToday(this.#bindings)) return false;
    checked.asOf = asOf;
    return true;
  }

  #make(namespace: string, { holders }: Known): View {
    const view = new View(namespace, holders, this.#bindings, this.#roles);
    this.#weigh(view.held.length + holders.length + 1);
    return view;
  }

  #knownOf(identity: Identity): Known {
    const same = this.#byIdentity.get(identity);
    if (same) return same;
    const fresh = { holders: holdersOf(identity), ofCluster: undefined, ofNamespaces: new Map() };
    if (identity.groups.length > MOST_GROUPS) return fresh;
    const key = keyOf(identity);
    const known = this.#known.get(key) ?? fresh;
    if (known === fresh) {
      this.#weigh(fresh.holders.length + 1);
      this.#known.set(key, known);
    }
    this.#byIdentity.set(identity, known);
    return known;
  }

  #weigh(more: number): void {
    this.#weight += more;
    if (this.#weight <= MOST_WEIGHT) return;
    this.#known = new Map();
    this.#byIdentity = new WeakMap();
    this.#weight = 0;
  }
}

/** Names may hold anything: a length in front of each keeps them apart. */
function keyOf({ user, groups }: Identity): string {
  let key = `${user.length}:${user}`;
  for (const group of groups) key += `${group.length}:${group}`;
  return key;
}
