/**
 * Creates the default roles and bindings, and repairs those that lack rules or subjects (RBAC-55, RBAC-57).
 * It is a client like any other, with the identity of the server. It reads existing objects from memory, so a server with complete roles
 * sends no request. Several servers may do it at once: the second one finds the object, or another version of it, and compares again.
 *
 * A first start creates all of them: where requests are not audited, the creates are sent to the registry directly, to save time.
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

/** The identity of the server for its own writes. */
export const SERVER_ITSELF: Identity = { user: "system:apiserver", groups: ["system:masters", "system:authenticated"] };

/** The parts for creating the roles. */
export interface DefaultRolesOptions {
  readonly api: ApiContext;
  readonly lookup: Lookup;
  /** A client with the identity {@link SERVER_ITSELF}. */
  readonly client: () => Client;
  readonly log: Log;
  /** Creates objects without requests, and omits those that fail; undefined where requests must be visible. */
  readonly provision?: ((objects: readonly DefaultObject[]) => Promise<void>) | undefined;
}

/** The number of reads of an object within one attempt. */
const MAX_READS = 4;

/** Milliseconds before the next attempt for objects that failed. */
const RETRY_MS = 1000;

/** Creates and repairs the default roles. */
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

  /** Makes the server not ready until they exist (RBAC-58). */
  readonly health: HealthCheck = {
    name: "poststarthook/rbac/bootstrap-roles",
    live: false,
    check: () => (this.#isMade ? undefined : "the default roles do not exist yet"),
  };

  /** Creates them, once; resolves after the first attempt. Failed ones are retried until all exist or this is closed. */
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
        // An unreadable object exists; it is read again like a failed one.
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
    log.warn("default roles could not be created, and are retried", { left });
    return new Promise((resolve) => {
      const timer = api.clock.after(RETRY_MS, resolve, { owner: "default roles" });
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  /** Creates some of them concurrently; returns those that failed. */
  async #makeAll(wanted: readonly DefaultObject[]): Promise<readonly DefaultObject[]> {
    const failed: DefaultObject[] = [];
    const make = async (one: DefaultObject): Promise<void> => {
      try {
        await this.#makeOne(one);
      } catch (error) {
        failed.push(one);
        const { resource, object } = one;
        this.#options.log.debug("a default role could not be created", {
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

/** The kind of a default object, as far as a client needs it. */
function kindOf({ resource, object }: DefaultObject): Kind<UntypedObject> {
  const [plural = "", ...group] = resource.split(".");
  const scope = object.metadata.namespace === undefined ? "Cluster" : "Namespaced";
  return { group: group.join("."), version: "v1", kind: object.kind, plural, scope };
}
