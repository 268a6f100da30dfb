/**
 * The roles that decisions have asked for, each in a cell that says when the role is another one.
 *
 * @module
 */
import { notFound } from "../../meta/status.ts";
import type { Lookup } from "../../schema/lookup.ts";
import type { RoleName } from "./binding.ts";
import { CompiledRole } from "./role.ts";

/** The API group of roles and bindings. */
export const GROUP = "rbac.authorization.k8s.io";

/** A role as it was when it was asked for. */
export interface RoleCell {
  readonly named: RoleName;
  /** Undefined where there is none of the name. */
  readonly role: CompiledRole | undefined;
  /** Whether it has changed since, come or gone: then another cell stands for it. */
  isOld: boolean;
}

const RESOURCES: Readonly<Record<string, string>> = { Role: `roles.${GROUP}`, ClusterRole: `clusterroles.${GROUP}` };

/** See the head of this file. */
export class RoleCells {
  readonly #lookup: Lookup;
  readonly #cells = new Map<string, RoleCell>();
  /** How many characters the names of all cells have together. */
  #length = 0;

  constructor(lookup: Lookup) {
    this.#lookup = lookup;
  }

  /** The role of a name as it is now. */
  get(named: RoleName): RoleCell {
    let cell = this.#cells.get(named.key);
    if (!cell) {
      cell = { named, role: this.#read(named), isOld: false };
      this.#cells.set(named.key, cell);
      this.#length += named.key.length;
    }
    return cell;
  }

  /** The same for once: nothing is kept for a name that stands in no binding, and may be anybody's. */
  look(named: RoleName): CompiledRole | undefined {
    return (this.#cells.get(named.key) ?? { role: this.#read(named) }).role;
  }

  /** Says that a role is another one now. */
  forget(named: RoleName): void {
    const cell = this.#cells.get(named.key);
    if (!cell) return;
    cell.isOld = true;
    this.#cells.delete(named.key);
    this.#length -= named.key.length;
  }

  /** Says that every role may be another one now. */
  forgetAll(): void {
    for (const cell of this.#cells.values()) cell.isOld = true;
    this.#cells.clear();
    this.#length = 0;
  }

  /**
   * Gives up what is known where that is more than so many cells, or so many characters of names: bindings that have gone may
   * have named them.
   */
  trim(most: number, mostLength: number): void {
    if (this.#cells.size > most || this.#length > mostLength) this.forgetAll();
  }

  #read({ kind, namespace, name }: RoleName): CompiledRole | undefined {
    const role = this.#lookup.get(RESOURCES[kind]!, namespace, name);
    return role && new CompiledRole(role);
  }
}

/** At most how many missing roles one reason names. */
const MOST_NAMED = 10;

/** Which roles are missing, for the reason of a refusal (RBAC-34); empty where none is. */
export function missingRoles(cells: Iterable<RoleCell>): string {
  const missing = new Set<string>();
  let more = 0;
  for (const { named, role } of cells) {
    if (role) continue;
    if (missing.size < MOST_NAMED) missing.add(nameOf(named));
    else more++;
  }
  const told = [...missing, ...(more > 0 ? [`${more} more`] : [])];
  return told.length > 1 ? `[${told.join(", ")}]` : (told[0] ?? "");
}

/** A role is missed in the words in which its own request would be answered. */
const nameOf = ({ kind, name }: RoleName): string =>
  notFound({ group: GROUP, plural: kind.toLowerCase(), kind }, name).message;
