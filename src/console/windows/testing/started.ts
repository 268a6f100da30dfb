/**
 * A server with windows for tests, and clients of its streams.
 *
 * @module
 */
import type { Store } from "../../../storage/contract.ts";
import { openMemoryStore } from "../../../storage/memory/store.ts";
import type { Listening } from "../../../server/testing/listening.ts";
import { ADMIN } from "../../../server/testing/test-server.ts";
import { openWindows } from "../index.ts";
import type { ListLimits } from "../memory.ts";
import { StreamClient } from "./client.ts";

type Options = NonNullable<Parameters<Listening["start"]>[1]>;

/** What is started. */
interface StartedWindows {
  readonly store: Store;
  /** Opens a stream, as the admin by default. */
  readonly connect: (headers?: Record<string, string>) => Promise<StreamClient>;
}

/** Starts a server whose store records times. */
export async function startWindows(
  listening: Listening,
  { listLimits, ...options }: Options & { listLimits?: ListLimits } = {},
): Promise<Awaited<ReturnType<Listening["start"]>> & StartedWindows> {
  const store = options.store ?? (await openMemoryStore({ now: () => Date.now() }));
  const { routes, metrics } = openWindows({ store, ...(listLimits ? { limits: listLimits } : {}) });
  const made = await listening.start(false, { ...options, store, routes, collectors: [metrics] });
  const connect = async (headers: Record<string, string> = ADMIN): Promise<StreamClient> => {
    const client = new StreamClient(made.listener.port, headers);
    listening.onClean(() => client.close());
    await client.opened();
    return client;
  };
  return { ...made, store, connect };
}
