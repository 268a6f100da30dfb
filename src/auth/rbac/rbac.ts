/**
 * The RBAC authorizer: users may do what the roles allow that bindings give them (RBAC-24..37).
 *
 *     roles, clusterroles ──────────► role cache ─┐
 *     rolebindings, clusterrolebindings ─► index ─┴─► views of users ─► decisions
 *
 * Nothing is read before the first request. Each request compares four numbers to see whether a resource has changed, and
 * applies the changes; a changed role or binding invalidates only the views of its subjects. A request waits where the changes
 * take several slices, or are not known any more.
 *
 * @module
 */
import type { RequestInfo } from "../../meta/request-info.ts";
import type { Followed, Lookup, ObjectName } from "../../schema/lookup.ts";
import type { Loop, Slice } from "../../util/loop.ts";
import { ALLOWED, NO_OPINION, isMaster } from "../admin.ts";
import type { Authorizer, Decision, Identity, Rights } from "../contract.ts";
import { type RoleName, readBinding, roleName } from "./binding.ts";
import { BindingIndex } from "./binding-index.ts";
import { rightsBy } from "./rights.ts";
import { RBAC_GROUP, type CachedRole, RoleCache, missingRoles } from "./role-cache.ts";
import type { RuleForm } from "./rule.ts";
import { Views } from "./views.ts";

/** A resource that decisions depend on. */
interface Source {
  readonly followed: Followed;
  /** The mark up to which changes are applied. */
  mark: number;
  apply(object: ObjectName): void;
}

/** With more changes, everything is read again. */
const MAX_CHANGES = 5000;

/** The number of cached roles in addition to those of bindings, and of characters in their names. */
const SPARE_ROLES = 1000;
const SPARE_NAME_LENGTH = 1 << 20;

/** The reason of a refusal names the missing roles of the user, and nothing else (RBAC-34, RBAC-37). */
const refusal = (missing: readonly CachedRole[]): Decision =>
  missing.length === 0 ? NO_OPINION : { allowed: false, reason: `RBAC: ${missingRoles(missing)}` };

/** Decides by roles and bindings. */
export class Rbac implements Authorizer {
  readonly #lookup: Lookup;
  readonly #loop: Loop;
  readonly #sources: readonly Source[];
  readonly #roles: RoleCache;
  #bindings = new BindingIndex();
  #views: Views;
  #isLoaded = false;
  #loading: Promise<void> | undefined;
  /** The number of changes so far. */
  #changes = 0;

  constructor(lookup: Lookup, loop: Loop) {
    this.#lookup = lookup;
    this.#loop = loop;
    this.#roles = new RoleCache(lookup);
    this.#views = new Views(this.#bindings, this.#roles);
    this.#sources = [
      this.#bindingSource(`clusterrolebindings.${RBAC_GROUP}`),
      this.#bindingSource(`rolebindings.${RBAC_GROUP}`),
      this.#roleSource(`clusterroles.${RBAC_GROUP}`, "ClusterRole"),
      this.#roleSource(`roles.${RBAC_GROUP}`, "Role"),
    ];
  }

  authorize(identity: Identity, info: RequestInfo): Decision | Promise<Decision> {
    if (isMaster(identity)) return ALLOWED;
    const wait = this.#catchUp();
    return wait ? wait.then(() => this.#decide(identity, info)) : this.#decide(identity, info);
  }

  rightsOf(identity: Identity, namespace: string): Rights | Promise<Rights> {
    const wait = this.#catchUp();
    const list = (): Rights => rightsBy(this.#rolesOf(identity, namespace));
    return wait ? wait.then(list) : list();
  }

  /** The current rules of a role; undefined where the role does not exist. */
  rulesOf(name: RoleName): readonly RuleForm[] | undefined | Promise<readonly RuleForm[] | undefined> {
    const wait = this.#catchUp();
    const read = (): readonly RuleForm[] | undefined => this.#roles.peek(name)?.forms;
    return wait ? wait.then(read) : read();
  }

  /** The role of each binding of a user, first in the cluster, then in a namespace. */
  #rolesOf(identity: Identity, namespace: string): readonly CachedRole[] {
    const ofCluster = this.#views.ofCluster(identity, this.#changes).matches;
    const local = namespace === "" ? [] : this.#views.ofNamespace(identity, namespace, this.#changes).matches;
    return [...ofCluster, ...local].map(({ binding }) => this.#roles.get(binding.role));
  }

  #decide(identity: Identity, info: RequestInfo): Decision {
    const ofCluster = this.#views.ofCluster(identity, this.#changes);
    const inCluster = ofCluster.allows(info);
    if (inCluster) return inCluster;
    if (!info.isResource || info.namespace === "") return refusal(ofCluster.missing);
    const local = this.#views.ofNamespace(identity, info.namespace, this.#changes);
    return local.allows(info) ?? refusal([...ofCluster.missing, ...local.missing]);
  }

  /** Applies the changes; a promise where that takes several slices. */
  #catchUp(): Promise<void> | undefined {
    if (this.#loading) return this.#loading;
    if (!this.#isLoaded) return this.#wait(() => this.#load());
    return this.#sources.some(isBehind) ? this.#applyChanges() : undefined;
  }

  #applyChanges(): Promise<void> | undefined {
    const changes: [Source, ObjectName][] = [];
    for (const source of this.#sources) {
      if (!isBehind(source)) continue;
      const changed = source.followed.changedSince(source.mark);
      if (!changed) return this.#wait(() => this.#load());
      for (const object of changed) changes.push([source, object]);
      source.mark = source.followed.mark;
    }
    if (changes.length === 0) return undefined;
    return changes.length > MAX_CHANGES ? this.#wait(() => this.#load()) : this.#apply(changes);
  }

  /** Applies changes in one slice where that is enough. */
  #apply(changes: readonly (readonly [Source, ObjectName])[]): Promise<void> | undefined {
    const slice = this.#loop.slice();
    for (const [i, [source, object]] of changes.entries()) {
      source.apply(object);
      if (slice.isOver) return this.#wait(() => this.#applyInSlices(changes.slice(i + 1), slice));
    }
    this.#changed();
    return undefined;
  }

  async #applyInSlices(changes: readonly (readonly [Source, ObjectName])[], slice: Slice): Promise<void> {
    for (const [source, object] of changes) {
      if (slice.isOver) await slice.pause();
      source.apply(object);
    }
    this.#changed();
  }

  /** Starts work of several slices; requests wait for it, and then for the changes since it began. */
  #wait(work: () => Promise<void>): Promise<void> {
    const done = work().finally(() => {
      this.#loading = undefined;
    });
    this.#loading = done.then(() => this.#catchUp());
    return this.#loading;
  }

  /** Reads all bindings. A role is read when a decision needs it. */
  async #load(): Promise<void> {
    this.#isLoaded = false;
    for (const source of this.#sources) source.mark = source.followed.mark;
    const found = await Promise.all(
      ["clusterrolebindings", "rolebindings"].map((plural) =>
        this.#lookup.collect(`${plural}.${RBAC_GROUP}`, readBinding),
      ),
    );
    this.#bindings = new BindingIndex();
    await this.#bindings.fill(found.flat(), this.#loop.slice());
    this.#roles.clear();
    this.#views = new Views(this.#bindings, this.#roles);
    this.#isLoaded = true;
    this.#changed();
  }

  #changed(): void {
    this.#changes++;
    const { size, nameLength } = this.#bindings;
    this.#roles.trim(size + SPARE_ROLES, nameLength + SPARE_NAME_LENGTH);
  }

  #bindingSource(resource: string): Source {
    return this.#source(resource, ({ namespace, name }) => {
      const object = this.#lookup.get(resource, namespace, name);
      this.#bindings.set(namespace, name, object && readBinding(object));
    });
  }

  #roleSource(resource: string, kind: RoleName["kind"]): Source {
    return this.#source(resource, ({ namespace, name }) => this.#roles.invalidate(roleName(kind, namespace, name)));
  }

  #source(resource: string, apply: Source["apply"]): Source {
    return { followed: this.#lookup.follow(resource), mark: -1, apply };
  }
}

const isBehind = ({ followed, mark }: Source): boolean => followed.mark !== mark;

const made = new WeakMap<Lookup, Rbac>();

/** Returns the RBAC authorizer of a cluster, always the same one: decisions and escalation checks share its index. */
export function rbacOf(lookup: Lookup, loop: Loop): Rbac {
  let rbac = made.get(lookup);
  if (!rbac) made.set(lookup, (rbac = new Rbac(lookup, loop)));
  return rbac;
}
