/**
 * Caches the compiled roles of decisions. An entry becomes stale when its role changes.
 *
 * @module
 */
import { notFound } from "../../meta/status.ts";
import type { Lookup } from "../../schema/lookup.ts";
import type { RoleName } from "./binding.ts";
import { CompiledRole } from "./role.ts";

/** The API group of roles and bindings. */
export const RBAC_GROUP = "rbac.authorization.k8s.io";

/** A compiled role, as of the time of its lookup. */
export interface CachedRole {
  readonly name: RoleName;
  /** Undefined where there is no role of the name. */
  readonly role: CompiledRole | undefined;
  /** Whether the role has been created, changed or deleted since; another entry then replaces this one. */
  isStale: boolean;
}

const RESOURCES: Readonly<Record<RoleName["kind"], string>> = {
  Role: `roles.${RBAC_GROUP}`,
  ClusterRole: `clusterroles.${RBAC_GROUP}`,
};

/** Looks up roles and caches them. */
export class RoleCache {
  readonly #lookup: Lookup;
  readonly #roles = new Map<string, CachedRole>();
  /** The number of characters of all names. */
  #nameLength = 0;

  constructor(lookup: Lookup) {
    this.#lookup = lookup;
  }

  /** The current role of a name. */
  get(name: RoleName): CachedRole {
    let cached = this.#roles.get(name.key);
    if (!cached) {
      cached = { name, role: this.#read(name), isStale: false };
      this.#roles.set(name.key, cached);
      this.#nameLength += name.key.length;
    }
    return cached;
  }

  /** The current role of a name that no binding has; it is not cached, since the name may come from any client. */
  peek(name: RoleName): CompiledRole | undefined {
    return (this.#roles.get(name.key) ?? { role: this.#read(name) }).role;
  }

  /** Removes a role that has changed. */
  invalidate(name: RoleName): void {
    const cached = this.#roles.get(name.key);
    if (!cached) return;
    cached.isStale = true;
    this.#roles.delete(name.key);
    this.#nameLength -= name.key.length;
  }

  /** Removes all roles. */
  clear(): void {
    for (const cached of this.#roles.values()) cached.isStale = true;
    this.#roles.clear();
    this.#nameLength = 0;
  }

  /** Removes all roles where there are more entries or characters of names than the limits: their bindings may be deleted. */
  trim(maxEntries: number, maxNameLength: number): void {
    if (this.#roles.size > maxEntries || this.#nameLength > maxNameLength) this.clear();
  }

  #read({ kind, namespace, name }: RoleName): CompiledRole | undefined {
    const role = this.#lookup.get(RESOURCES[kind], namespace, name);
    return role && new CompiledRole(role);
  }
}

const MAX_NAMED_ROLES = 10;

/** Names the roles that do not exist, for the reason of a refusal (RBAC-34); empty where all exist. */
export function missingRoles(roles: Iterable<CachedRole>): string {
  const missing = new Set<string>();
  let more = 0;
  for (const { name, role } of roles) {
    if (role) continue;
    if (missing.size < MAX_NAMED_ROLES) missing.add(notFoundMessage(name));
    else more++;
  }
  const messages = [...missing, ...(more > 0 ? [`${more} more`] : [])];
  return messages.length > 1 ? `[${messages.join(", ")}]` : messages.join("");
}

const notFoundMessage = ({ kind, name }: RoleName): string =>
  notFound({ group: RBAC_GROUP, plural: kind.toLowerCase(), kind }, name).message;
