/**
 * Whether a user may see a list, and the seat in which a list is begun.
 *
 * @module
 */
import type { Identity } from "../../auth/contract.ts";
import { Refused, type Ticket, listWidth } from "../../fairness/index.ts";
import type { WindowList } from "../../meta/console-protocol.ts";
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import { tooManyRequests } from "../../meta/status.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import type { Registry } from "../../registry/index.ts";
import { type ServerContext, permit } from "../../server/index.ts";
import { KeyedSemaphore, Semaphore } from "../../util/semaphore.ts";

/** The request for a list, as authorizers and fairness see it. */
export function infoOf({ group, version, resource, namespace = "" }: WindowList, verb: "list" | "watch"): RequestInfo {
  const root = group === "" ? "/api" : "/apis";
  const inside = namespace === "" ? "" : `/namespaces/${namespace}`;
  return {
    ...NO_REQUEST,
    path: `${root}/${apiVersionOf(group, version)}${inside}/${resource}`,
    isResource: true,
    verb,
    group,
    version,
    resource,
    namespace,
    namespaced: namespace !== "",
  };
}

/** Resolves where a user may list and watch; rejects with 403 where not, for a past state where the user may not list. */
export async function permitList(
  server: Pick<ServerContext, "authorizer">,
  identity: Identity,
  list: WindowList,
): Promise<void> {
  await permit(server, identity, infoOf(list, "list"));
  if (list.at === undefined) await permit(server, identity, infoOf(list, "watch"));
}

/** What beginning a list needs of its server. */
export type SeatServer = Pick<ServerContext, "fairness" | "limits"> & { readonly registry: Pick<Registry, "find"> };

/** A list that is to be begun. */
export interface Beginning {
  readonly list: WindowList;
  /** How many objects are read; 0 for all of them. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** How many lists are begun at once, each with all of its objects, where a server has no seats; and how many of one user. */
const MAX_WITHOUT_SEATS = 4;
const MAX_OF_USER = 2;

/**
 * Where lists are begun: in the seats that the same lists would have; a few at once on a server that has no seats, so that the
 * lists of one user wait for each other, and delay those of others little.
 */
export class Seats {
  readonly #server: SeatServer;
  readonly #few = new Semaphore(MAX_WITHOUT_SEATS);
  readonly #ofUser = new KeyedSemaphore(MAX_OF_USER);

  constructor(server: SeatServer) {
    this.#server = server;
  }

  /** Waits for a seat and runs work in it. Rejects with 429 where there is none, and with the reason of a signal that is aborted first. */
  async run(identity: Identity, { list, limit, signal }: Beginning, work: () => Promise<void>): Promise<void> {
    const { fairness, limits, registry } = this.#server;
    if (!fairness) {
      return limit > 0 ? work() : this.#ofUser.run(identity.user, signal, () => this.#few.run(work, signal));
    }
    const info = infoOf(list, "list");
    const load = registry.find(list.group, list.version, list.resource)?.load();
    const flow = fairness.classify(identity, info);
    const width = load ? listWidth(load, limit) : 1;
    const ticket = await entered(() => {
      // A request waits for a quarter of its time (APF-19).
      const entering = fairness.enter(flow, identity, info, width, limits.requestMillis / 4);
      signal.addEventListener("abort", () => entering.cancel(), { once: true });
      return entering;
    });
    try {
      signal.throwIfAborted();
      await work();
    } finally {
      ticket.end();
    }
  }
}

/** Enters, and waits; who is refused has no seat. */
async function entered(enter: () => Ticket): Promise<Ticket> {
  try {
    const ticket = enter();
    await ticket.waiting?.promise;
    return ticket;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw tooManyRequests("Too many requests, please try again later.", error.reason, error.seconds);
  }
}
