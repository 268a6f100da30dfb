/**
 * Makes the roles and bindings that are there from the start, and puts right those that lack something (RBAC-55, RBAC-57).
 *
 * It is a client like any other, in the name of the server. What is there is looked up in memory, so that a server that finds
 * everything as it should be writes nothing and asks for nothing. Several servers may do it at once: who comes second
 * finds the object made, or another version of it, and looks again.
 *
 * A first start creates all of them, and waits: where requests are not audited, they go to the registry directly.
 *
 * @module
 */
import type { Identity } from "../auth/contract.ts";
import { type DefaultObject, defaultRoles } from "../auth/rbac/defaults/index.ts";
import { reconcile } from "../auth/rbac/defaults/reconcile.ts";
import { type Client, type Kind, type UntypedObject, isStatus } from "../client/index.ts";
import type { ApiContext, ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { HealthCheck } from "../server/index.ts";
import type { Log } from "../util/log.ts";
import { inSlices } from "../util/steps.ts";
import type { Slice } from "../util/loop.ts";

/** The server, when it makes what it needs itself. */
export const SERVER_ITSELF: Identity = { user: "system:apiserver", groups: ["system:masters", "system:authenticated"] };

/** What the roles are made with. */
export interface DefaultRolesOptions {
  readonly api: ApiContext;
  readonly lookup: Lookup;
  /** In the name of {@link SERVER_ITSELF}. */
  readonly client: () => Client;
  readonly log: Log;
  /** Makes objects without requests, and leaves out what cannot be made; not where requests are to be seen. */
  readonly provision?: ((objects: readonly DefaultObject[]) => Promise<void>) | undefined;
}

/** How often an object is read within one attempt. */
const MAX_READS = 4;

/** Milliseconds before the next attempt at what could not be made. */
const RETRY_MS = 1000;

/** See the head of this file. */
export class DefaultRoles {
  readonly #options: DefaultRolesOptions;
  readonly #limit: Slice;
  #making: Promise<void> | undefined;
  #isMade = false;
  #isClosed = false;
  /** Ends the wait for the next attempt. */
  #wake: () => void = () => {};

  constructor(options: DefaultRolesOptions) {
    this.#options = options;
    this.#limit = options.api.clock.loop.slice();
  }

  /** Keeps work away from the server until they are there (RBAC-58). */
  readonly health: HealthCheck = {
    name: "poststarthook/rbac/bootstrap-roles",
    live: false,
    check: () => (this.#isMade ? undefined : "the roles that are there from the start are not made yet"),
  };

  /** Makes them, once; resolves after the first attempt. What failed is tried again until all are there or this is closed. */
  make(): Promise<void> {
    return (this.#making ??= this.#makeFirst().then((left) => void this.#makeLeft(left)));
  }

  async #makeFirst(): Promise<readonly DefaultObject[]> {
    const { api, lookup, provision } = this.#options;
    const all = defaultRoles(api);
    if (!provision) return this.#makeAll(all);
    const isMissing = ({ resource, object: { metadata } }: DefaultObject): boolean => {
      try {
        return lookup.get(resource, metadata.namespace ?? "", metadata.name ?? "") === undefined;
      } catch {
        // What cannot be read is there; it is looked at again as what failed is.
        return false;
      }
    };
    const missing = new Set(all.filter(isMissing));
    await provision([...missing]);
    return this.#makeAll(all.filter((one) => !missing.has(one) || isMissing(one)));
  }

  async #makeLeft(left: readonly DefaultObject[]): Promise<void> {
    while (left.length > 0 && !this.#isClosed) {
      await this.#pause(left.length);
      if (!this.#isClosed) left = await this.#makeAll(left);
    }
    this.#isMade = left.length === 0;
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  #pause(left: number): Promise<void> {
    const { api, log } = this.#options;
    log.warn("roles that are there from the start could not be made, and are tried again", { left });
    return new Promise((resolve) => {
      const timer = api.clock.after(RETRY_MS, resolve, { owner: "default roles" });
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  /** Makes some of them side by side; those that could not be made. */
  async #makeAll(wanted: readonly DefaultObject[]): Promise<readonly DefaultObject[]> {
    const failed: DefaultObject[] = [];
    const make = async (one: DefaultObject): Promise<void> => {
      try {
        await this.#makeOne(one);
      } catch (error) {
        failed.push(one);
        const { resource, object } = one;
        this.#options.log.debug("a role that is there from the start could not be made", {
          resource,
          name: object.metadata.name,
          error: String(error),
        });
      }
    };
    await Promise.all(wanted.map(make));
    return failed;
  }

  async #makeOne(one: DefaultObject): Promise<void> {
    const { lookup, client, api } = this.#options;
    const { resource, object: wanted } = one;
    const { namespace, name = "" } = wanted.metadata;
    let existing = lookup.get(resource, namespace ?? "", name);
    for (let read = 1; ; read++) {
      const todo = await inSlices(reconcile(existing, wanted), this.#limit);
      if (!todo) return;
      const objects = client().resource(kindOf(one));
      const key = { name, namespace };
      const object = todo.object as unknown as UntypedObject;
      const options = { fieldManager: api.dialect.rules.serverManager };
      try {
        if (todo.do === "update") await objects.update(object, options);
        if (todo.do === "replace") await objects.delete(key, { uid: existing?.metadata.uid ?? "" });
        if (todo.do !== "update") await objects.create(object, options);
        return;
      } catch (error) {
        if (read === MAX_READS || !isStatus(error, "AlreadyExists", "Conflict", "NotFound")) throw error;
        existing = (await objects.find(key)) as ApiObject | undefined;
      }
    }
  }
}

/** The kind of a default object, as far as a client has to know it. */
function kindOf({ resource, object }: DefaultObject): Kind<UntypedObject> {
  const [plural = "", ...group] = resource.split(".");
  const scope = object.metadata.namespace === undefined ? "Cluster" : "Namespaced";
  return { group: group.join("."), version: "v1", kind: object.kind, plural, scope };
}
