/**
 * The views of those who ask: for each identity one of the cluster and some of namespaces. What is kept is bounded by the bytes
 * that it takes, names and all: anybody may ask in any words.
 *
 * @module
 */
import { textBytes } from "../../util/bounded-cache.ts";
import { flatCopy } from "../../util/flat-copy.ts";
import type { Identity } from "../contract.ts";
import { identityKey, identityLength } from "../identity-key.ts";
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

/** Bytes of all that is kept, about. When there are more, all begins anew. */
const MOST_BYTES = 32 << 20;
/** What a view costs beside its names, and for each holder and each binding that it knows. */
const VIEW_BYTES = 512;
const HELD_BYTES = 100;
/** Who has more groups than anybody has, or longer names, is not kept. */
const MOST_GROUPS = 256;
const LONGEST_IDENTITY = 16_384;
/** No namespace has a longer name: nothing is kept of one that cannot be there. */
const LONGEST_NAMESPACE = 63;

/** See the head of this file. */
export class Views {
  readonly #bindings: BindingIndex;
  readonly #roles: RoleCells;
  #known = new Map<string, Known>();
  /** An identity is often the same object as before. */
  #byIdentity = new WeakMap<Identity, Known>();
  #bytes = 0;

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
    if (namespace.length > LONGEST_NAMESPACE) return new View(namespace, known.holders, this.#bindings, this.#roles);
    const checked = known.ofNamespaces.get(namespace);
    if (this.#isGood(checked, asOf)) return checked.view;
    const name = flatCopy(namespace);
    const view = this.#make(name, known);
    known.ofNamespaces.set(name, { view, asOf });
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
    const view = new View(namespace, holders, this.#bindings, this.#roles, this.#weigh);
    this.#weigh(VIEW_BYTES + textBytes(namespace) + HELD_BYTES * (view.held.length + holders.length));
    return view;
  }

  #knownOf(identity: Identity): Known {
    const same = this.#byIdentity.get(identity);
    if (same) return same;
    const length = identityLength(identity);
    if (length > LONGEST_IDENTITY || identity.groups.length > MOST_GROUPS) return unknown(holdersOf(identity));
    const key = identityKey(identity);
    const known = this.#known.get(key) ?? this.#add(key, identity, length);
    this.#byIdentity.set(identity, known);
    return known;
  }

  #add(key: string, identity: Identity, length: number): Known {
    const known = unknown(holdersOf(identity).map(flatCopy));
    // The names stand in the key and in the holders.
    this.#weigh(VIEW_BYTES + 4 * length + HELD_BYTES * known.holders.length);
    this.#known.set(flatCopy(key), known);
    return known;
  }

  /** Takes bytes into account that are kept from now on, or, where they are fewer than none, not any more. */
  readonly #weigh = (bytes: number): void => {
    this.#bytes = Math.max(0, this.#bytes + bytes);
    if (this.#bytes <= MOST_BYTES) return;
    this.#known = new Map();
    this.#byIdentity = new WeakMap();
    this.#bytes = 0;
  };
}

const unknown = (holders: readonly string[]): Known => ({ holders, ofCluster: undefined, ofNamespaces: new Map() });
