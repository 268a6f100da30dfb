/**
 * A cluster in memory for benchmarks of admission, and a write in it.
 *
 * @module
 */
import { alwaysAllow } from "../src/auth/admin.ts";
import { createCluster } from "../src/cluster/index.ts";
import { kubernetes } from "../src/meta/dialect.ts";
import { gatesOf } from "../src/meta/gates.ts";
import { openMemoryStore } from "../src/storage/memory/store.ts";

/** Sends a request that creates or updates an object. */
export type Send = (method: string, url: string, body: object) => Promise<void>;

/** Opens a cluster; `prepare` creates what the write is about. Returns the write: an update of a ConfigMap, other each time. */
export async function openWrites(prepare: (send: Send) => Promise<void>): Promise<() => Promise<void>> {
  const cluster = await createCluster({
    store: await openMemoryStore(),
    dialect: kubernetes,
    gates: gatesOf(kubernetes, { MutatingAdmissionPolicy: true }),
    authorizer: () => alwaysAllow,
  });
  const send: Send = async (method, url, body) => {
    const response = await cluster.server.inject({
      method,
      url,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      identity: { user: "bench", groups: ["system:masters"] },
    });
    if (response.code > 201) throw new Error(`expected 200 or 201, got ${response.code}`);
  };
  await prepare(send);
  const url = "/api/v1/namespaces/default/configmaps";
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v".repeat(1000) } };
  await send("POST", url, body);
  let n = 0;
  return () => send("PUT", `${url}/a`, { ...body, data: { ...body.data, n: String(n++) } });
}
