import { ADMIN } from "../../auth/admin.ts";
import type { ServerHandle } from "../../server/index.ts";

/** The path of a Lease: its namespace and name. */
const LEASE = /^(\/apis\/coordination\.k8s\.io\/v1\/namespaces\/[^/?]+\/leases)(?:\/([^/?]+))?(?:\?|$)/;

/** Whether a request writes a Lease, as a replica does that takes the lead or keeps it. */
export const writesLease = (method: string, url: string): boolean => method !== "GET" && LEASE.test(url);

/** The Leases by which replicas of a program elect their leader, as its requests show them. */
export class Leases {
  readonly #inject: ServerHandle["inject"];
  readonly #paths = new Set<string>();
  #isElected = false;

  constructor(inject: ServerHandle["inject"]) {
    this.#inject = inject;
  }

  /** Whether a replica has written a Lease. */
  get isElected(): boolean {
    return this.#isElected;
  }

  /** Whether a request is about a Lease, which is remembered by its name. */
  seen(method: string, url: string): boolean {
    const found = LEASE.exec(url);
    if (!found) return false;
    if (found[2] !== undefined) this.#paths.add(`${found[1]}/${found[2]}`);
    if (method !== "GET") this.#isElected = true;
    return true;
  }

  /** Removes the holders, as if the Leases had expired: another replica need not wait for that. */
  async release(): Promise<void> {
    if (!this.#isElected) return;
    const headers = { "content-type": "application/merge-patch+json" };
    const body = JSON.stringify({ spec: { holderIdentity: "" } });
    const all = [...this.#paths].map(async (url) => {
      const response = await this.#inject({ method: "PATCH", url, headers, body, identity: ADMIN });
      await response.text();
    });
    // A Lease that does not exist has no holder.
    await Promise.allSettled(all);
  }
}
