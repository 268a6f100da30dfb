/**
 * Whether a user may see a list, and the seat in which a list is begun.
 *
 * @module
 */
import type { Identity } from "../../auth/contract.ts";
import { Refused, listWidth } from "../../fairness/index.ts";
import type { WindowList } from "../../meta/console-protocol.ts";
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import { tooManyRequests } from "../../meta/status.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import type { Registry } from "../../registry/index.ts";
import { type ServerContext, permit } from "../../server/index.ts";

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

const FREE: Disposable = { [Symbol.dispose]: () => {} };

/**
 * Waits for a seat, as the same list would; rejects with 429 where there is none.
 *
 * @param limit how many objects are read; 0 for all of them
 */
export async function takeSeat(
  { fairness, limits, registry }: SeatServer,
  identity: Identity,
  list: WindowList,
  limit: number,
  signal: AbortSignal,
): Promise<Disposable> {
  if (!fairness) return FREE;
  const info = infoOf(list, "list");
  const load = registry.find(list.group, list.version, list.resource)?.load();
  const flow = fairness.classify(identity, info);
  try {
    // A request waits for a quarter of its time (APF-19).
    const ticket = fairness.enter(flow, identity, info, load ? listWidth(load, limit) : 1, limits.requestMillis / 4);
    const cancel = (): void => ticket.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    await ticket.waiting?.promise;
    return {
      [Symbol.dispose]() {
        signal.removeEventListener("abort", cancel);
        ticket.end();
      },
    };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw tooManyRequests("Too many requests, please try again later.", error.reason, error.seconds);
  }
}
