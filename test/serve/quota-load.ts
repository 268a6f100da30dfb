/**
 * Clients that fill a quota, for tests that kill servers meanwhile.
 *
 * @module
 */
import type { Random } from "../../src/util/clock.ts";
import { type Http2Client, configMap, until } from "./keelson.ts";

/** The namespace with the quota. */
export const NAMESPACE = "/api/v1/namespaces/full";
const MAPS = `${NAMESPACE}/configmaps`;
const QUOTA = `${NAMESPACE}/resourcequotas/q`;
const WRITERS = 64;

/** What a quota has, and what is stored. */
interface Numbers {
  readonly used: number;
  readonly stored: number;
}

/** Makes the namespace with a quota, and waits until the controller has counted it. */
export async function limit(client: Http2Client, most: number): Promise<void> {
  await client.done("POST", "/api/v1/namespaces", { metadata: { name: "full" } });
  const spec = { hard: { "count/configmaps": String(most) } };
  await client.done("POST", `${NAMESPACE}/resourcequotas`, { metadata: { name: "q" }, spec });
  await until(async () => (await numbers(client)).used >= 0);
}

/** What the quota has counted, -1 where it has not, and how many objects are stored. */
export async function numbers(client: Http2Client): Promise<Numbers> {
  const quota = (await client.done("GET", QUOTA)) as { status?: { used?: Record<string, string> } };
  const { items } = (await client.done("GET", MAPS)) as { items: readonly object[] };
  return { used: Number(quota.status?.used?.["count/configmaps"] ?? -1), stored: items.length };
}

/** Waits until the quota has counted what is stored. */
export async function counted(client: Http2Client, millis = 20_000): Promise<Numbers> {
  let last = await numbers(client);
  await until(async () => {
    last = await numbers(client);
    return last.used === last.stored;
  }, millis);
  return last;
}

/** 64 writers create until each is refused once, or its connection breaks; returns how many creates succeeded. */
export async function fill(clients: readonly Http2Client[], prefix: string): Promise<number> {
  let created = 0;
  const write = async (writer: number): Promise<void> => {
    for (let i = 0; ; i++) {
      const name = `${prefix}-${writer}-${i}`;
      const answer = await clients[writer % clients.length]!.send("POST", MAPS, configMap(name)).catch(() => undefined);
      if (answer?.status !== 201) return;
      created++;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, i) => write(i)));
  return created;
}

/** 64 writers create and delete until their connections break; returns how many creates succeeded. */
export async function churn(clients: readonly Http2Client[], prefix: string, random: Random): Promise<number> {
  let created = 0;
  const write = async (writer: number): Promise<void> => {
    const client = clients[writer % clients.length]!;
    for (let i = 0; ; i++) {
      const name = `${prefix}-${writer}-${i}`;
      const { status } = await client.send("POST", MAPS, configMap(name));
      if (status === 201) created++;
      if (status === 201 && random.next() < 0.9) await client.send("DELETE", `${MAPS}/${name}`);
    }
  };
  await Promise.allSettled(Array.from({ length: WRITERS }, (_, i) => write(i)));
  return created;
}
