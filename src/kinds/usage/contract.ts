import type { ApiObject } from "../../schema/definition.ts";
import type { Resources } from "../core/v1/quantities.ts";
import type { ScopeRequirement } from "../core/v1/resource-quota.ts";

/** How the objects of a resource are counted. */
export interface Usage {
  /** What an object takes, at a time in milliseconds. */
  of(object: ApiObject, now: number): Resources;
  /** Whether what a quota asks of its objects holds for one; without this, nothing does. */
  holds?(requirement: ScopeRequirement, object: ApiObject): boolean;
  /** What an object has to say where something is limited, and does not say. */
  unsaid?(object: ApiObject, limited: readonly string[]): string | undefined;
  /** Whether a write of a subresource, or of an object that is there, may change what it takes; creates always do. */
  mayChange?(subresource: string, object: ApiObject, old: ApiObject): boolean;
}
