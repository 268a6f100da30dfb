/**
 * RBAC: who may do what, by the roles that bindings give them (RBAC-24..37).
 *
 *     roles, clusterroles ──────────► role cells ─┐
 *     rolebindings, clusterrolebindings ─► index ─┴─► views of those who ask ─► decisions
 *
 * Nothing is read before the first question that is about roles. After that each question looks whether anything has
 * changed, which is a comparison of four numbers, and takes in what has: a change of one role or one binding concerns the views
 * of those whom it is given to, and no others. Where more has changed than one turn should take in, or memory does not say what,
 * the question waits.
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
import { GROUP, type RoleCell, RoleCells, missingRoles } from "./role-cells.ts";
import type { RuleForm } from "./rule.ts";
import { Views } from "./views.ts";

/** A resource that decisions depend on. */
interface Source {
  readonly followed: Followed;
  /** How far it has been taken in. */
  mark: number;
  take(object: ObjectName): void;
}

/** More changes than it is worth to take in one by one. */
const MANY = 5000;

/** How many roles are kept beside those that bindings name, and how many characters of their names. */
const SPARE_ROLES = 1000;
const SPARE_LENGTH = 1 << 20;

/** A refusal tells which of the roles that somebody is given are missing, and nothing else (RBAC-34, RBAC-37). */
function refusal(missing: readonly RoleCell[]): Decision {
  return missing.length === 0 ? NO_OPINION : { allowed: false, reason: `RBAC: ${missingRoles(missing)}` };
}

/** See the head of this file. */
export class Rbac implements Authorizer {
  readonly #lookup: Lookup;
  readonly #loop: Loop;
  readonly #sources: readonly Source[];
  readonly #roles: RoleCells;
  #bindings = new BindingIndex();
  #views: Views;
  #isLoaded = false;
  #loading: Promise<void> | undefined;
  /** Counts what has changed. */
  #changes = 0;

  constructor(lookup: Lookup, loop: Loop) {
    this.#lookup = lookup;
    this.#loop = loop;
    this.#roles = new RoleCells(lookup);
    this.#views = new Views(this.#bindings, this.#roles);
    this.#sources = [
      this.#bindingSource(`clusterrolebindings.${GROUP}`),
      this.#bindingSource(`rolebindings.${GROUP}`),
      this.#roleSource(`clusterroles.${GROUP}`, "ClusterRole"),
      this.#roleSource(`roles.${GROUP}`, "Role"),
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

  /** The rules of a role as they are now; undefined where there is no such role. */
  rulesOf(named: RoleName): readonly RuleForm[] | undefined | Promise<readonly RuleForm[] | undefined> {
    const wait = this.#catchUp();
    const read = (): readonly RuleForm[] | undefined => this.#roles.look(named)?.forms;
    return wait ? wait.then(read) : read();
  }

  /** The role of each binding of an identity in the cluster, and then in a namespace. */
  #rolesOf(identity: Identity, namespace: string): readonly RoleCell[] {
    const ofCluster = this.#views.ofCluster(identity, this.#changes).held;
    const local = namespace === "" ? [] : this.#views.ofNamespace(identity, namespace, this.#changes).held;
    return [...ofCluster, ...local].map(({ binding }) => this.#roles.get(binding.role));
  }

  #decide(identity: Identity, info: RequestInfo): Decision {
    const ofCluster = this.#views.ofCluster(identity, this.#changes);
    const inCluster = ofCluster.allows(info);
    if (inCluster) return inCluster;
    if (!info.isResource || info.namespace === "") return refusal(ofCluster.missing);
    const local = this.#views.ofNamespace(identity, info.namespace, this.#changes);
    const here = local.allows(info);
    if (here) return here;
    return refusal([...ofCluster.missing, ...local.missing]);
  }

  /** Takes in what has changed; a promise where that is not done at once. */
  #catchUp(): Promise<void> | undefined {
    if (this.#loading) return this.#loading;
    if (!this.#isLoaded) return this.#begin(() => this.#load());
    return this.#sources.some(isBehind) ? this.#takeNews() : undefined;
  }

  #takeNews(): Promise<void> | undefined {
    const changes: [Source, ObjectName][] = [];
    for (const source of this.#sources) {
      if (!isBehind(source)) continue;
      const changed = source.followed.changedSince(source.mark);
      if (!changed) return this.#begin(() => this.#load());
      for (const object of changed) changes.push([source, object]);
      source.mark = source.followed.mark;
    }
    if (changes.length === 0) return undefined;
    return changes.length > MANY ? this.#begin(() => this.#load()) : this.#take(changes);
  }

  /** Takes changes in, in one turn where that is enough. */
  #take(changes: readonly (readonly [Source, ObjectName])[]): Promise<void> | undefined {
    const limit = this.#loop.slice();
    for (const [i, [source, object]] of changes.entries()) {
      source.take(object);
      if (limit.isOver) return this.#begin(() => this.#takeInTurns(changes.slice(i + 1), limit));
    }
    this.#changed();
    return undefined;
  }

  async #takeInTurns(changes: readonly (readonly [Source, ObjectName])[], limit: Slice): Promise<void> {
    for (const [source, object] of changes) {
      if (limit.isOver) await limit.pause();
      source.take(object);
    }
    this.#changed();
  }

  /** Does what takes several turns; who asks meanwhile waits for it, and then for what has changed meanwhile. */
  #begin(work: () => Promise<void>): Promise<void> {
    const done = work().finally(() => {
      this.#loading = undefined;
    });
    this.#loading = done.then(() => this.#catchUp());
    return this.#loading;
  }

  /** Reads all bindings, as for the first time. Roles are read when a decision needs them. */
  async #load(): Promise<void> {
    this.#isLoaded = false;
    for (const source of this.#sources) source.mark = source.followed.mark;
    const found = await Promise.all(
      ["clusterrolebindings", "rolebindings"].map((plural) => this.#lookup.collect(`${plural}.${GROUP}`, readBinding)),
    );
    this.#bindings = new BindingIndex();
    await this.#bindings.fill(found.flat(), this.#loop.slice());
    this.#roles.forgetAll();
    this.#views = new Views(this.#bindings, this.#roles);
    this.#isLoaded = true;
    this.#changed();
  }

  #changed(): void {
    this.#changes++;
    const { size, nameLength } = this.#bindings;
    this.#roles.trim(size + SPARE_ROLES, nameLength + SPARE_LENGTH);
  }

  #bindingSource(resource: string): Source {
    return this.#source(resource, ({ namespace, name }) => {
      const object = this.#lookup.get(resource, namespace, name);
      this.#bindings.set(namespace, name, object && readBinding(object));
    });
  }

  #roleSource(resource: string, kind: string): Source {
    return this.#source(resource, ({ namespace, name }) => this.#roles.forget(roleName(kind, namespace, name)));
  }

  #source(resource: string, take: Source["take"]): Source {
    return { followed: this.#lookup.follow(resource), mark: -1, take };
  }
}

const isBehind = ({ followed, mark }: Source): boolean => followed.mark !== mark;

const known = new WeakMap<Lookup, Rbac>();

/** The RBAC of a cluster: decisions and checks of what somebody gives share one index. */
export function rbacOf(lookup: Lookup, loop: Loop): Rbac {
  let rbac = known.get(lookup);
  if (!rbac) known.set(lookup, (rbac = new Rbac(lookup, loop)));
  return rbac;
}
