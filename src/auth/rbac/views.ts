/**
 * The views of users: for each user one of the cluster, and some of namespaces. Their memory is bounded in bytes, names
 * included, since any client may send any names.
 *
 * @module
 */
import { textBytes } from "../../util/bounded-cache.ts";
import { flatCopy } from "../../util/flat-copy.ts";
import type { Identity } from "../contract.ts";
import { identityKey, identityLength } from "../identity-key.ts";
import { subjectKeysOf } from "./binding.ts";
import type { BindingIndex } from "./binding-index.ts";
import type { RoleCache } from "./role-cache.ts";
import { View } from "./view.ts";

/** A view, and the number of changes as of which it is current. */
interface Checked {
  readonly view: View;
  asOf: number;
}

/** The views of one user. */
interface UserViews {
  readonly subjectKeys: readonly string[];
  ofCluster: Checked | undefined;
  readonly ofNamespaces: Map<string, Checked>;
}

/** The approximate bytes of all views; beyond them all views are dropped. */
const MAX_BYTES = 32 << 20;
/** The bytes of a view without its names, and of each of its subject keys and bindings. */
const VIEW_BYTES = 512;
const ENTRY_BYTES = 100;
/** Users with more groups or longer names are not cached. */
const MAX_GROUPS = 256;
const MAX_IDENTITY_LENGTH = 16_384;
/** Namespaces with longer names cannot exist. */
const MAX_NAMESPACE_LENGTH = 63;

/** Returns the views of users. */
export class Views {
  readonly #bindings: BindingIndex;
  readonly #roles: RoleCache;
  #users = new Map<string, UserViews>();
  /** Many requests of a user have the same identity object. */
  #byIdentity = new WeakMap<Identity, UserViews>();
  #bytes = 0;

  constructor(bindings: BindingIndex, roles: RoleCache) {
    this.#bindings = bindings;
    this.#roles = roles;
  }

  /**
   * The view of a user in the cluster.
   *
   * @param asOf the number of changes so far
   */
  ofCluster(identity: Identity, asOf: number): View {
    const user = this.#viewsOf(identity);
    const { ofCluster } = user;
    if (this.#isCurrent(ofCluster, asOf)) return ofCluster.view;
    const view = this.#make("", user);
    user.ofCluster = { view, asOf };
    return view;
  }

  /** The view of a user in a namespace. */
  ofNamespace(identity: Identity, namespace: string, asOf: number): View {
    const user = this.#viewsOf(identity);
    if (namespace.length > MAX_NAMESPACE_LENGTH)
      return new View(namespace, user.subjectKeys, this.#bindings, this.#roles);
    const checked = user.ofNamespaces.get(namespace);
    if (this.#isCurrent(checked, asOf)) return checked.view;
    const name = flatCopy(namespace);
    const view = this.#make(name, user);
    user.ofNamespaces.set(name, { view, asOf });
    return view;
  }

  #isCurrent(checked: Checked | undefined, asOf: number): checked is Checked {
    if (!checked) return false;
    if (checked.asOf === asOf) return true;
    if (!checked.view.isCurrent(this.#bindings)) return false;
    checked.asOf = asOf;
    return true;
  }

  #make(namespace: string, { subjectKeys }: UserViews): View {
    const view = new View(namespace, subjectKeys, this.#bindings, this.#roles, this.#weigh);
    this.#weigh(VIEW_BYTES + textBytes(namespace) + ENTRY_BYTES * (view.matches.length + subjectKeys.length));
    return view;
  }

  #viewsOf(identity: Identity): UserViews {
    const same = this.#byIdentity.get(identity);
    if (same) return same;
    const length = identityLength(identity);
    if (length > MAX_IDENTITY_LENGTH || identity.groups.length > MAX_GROUPS) return newUser(subjectKeysOf(identity));
    const key = identityKey(identity);
    const user = this.#users.get(key) ?? this.#add(key, identity, length);
    this.#byIdentity.set(identity, user);
    return user;
  }

  #add(key: string, identity: Identity, length: number): UserViews {
    const user = newUser(subjectKeysOf(identity).map(flatCopy));
    // The key and the subject keys contain the names.
    this.#weigh(VIEW_BYTES + 4 * length + ENTRY_BYTES * user.subjectKeys.length);
    this.#users.set(flatCopy(key), user);
    return user;
  }

  /** Adds bytes to the total; a negative number for bytes that are freed. */
  readonly #weigh = (bytes: number): void => {
    this.#bytes = Math.max(0, this.#bytes + bytes);
    if (this.#bytes <= MAX_BYTES) return;
    this.#users = new Map();
    this.#byIdentity = new WeakMap();
    this.#bytes = 0;
  };
}

const newUser = (subjectKeys: readonly string[]): UserViews => ({
  subjectKeys,
  ofCluster: undefined,
  ofNamespaces: new Map(),
});
