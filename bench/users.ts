/**
 * What a `get` costs the server when it is the admin's, and when it is that of a user who may do it by a role: CPU time of
 * the executable, with all that it does for a request over HTTP/2.
 *
 *     node bench/users.ts [requests per window] [windows]
 *
 * @module
 */
import { connect } from "node:http2";
import { CONFIGMAPS, ask } from "./floods/load.ts";
import { ADMIN, fill, serve } from "./floods/server.ts";
import { cpuMillisOf } from "../test/serve/keelson.ts";

const REQUESTS = Number(process.argv[2] ?? 20_000);
const WINDOWS = Number(process.argv[3] ?? 15);
const DEEP = 16;
const USER = "kim";

await using server = await serve([USER]);
await fill(server, 100);
const session = connect(server.url, { ca: server.ca });
const costs = new Map<string, number[]>([
  [ADMIN, []],
  [USER, []],
]);
for (let window = 0; window < WINDOWS; window++) {
  for (const [token, micros] of costs) micros.push(await costOf(token));
}
session.destroy();

const [admin, user] = [...costs.values()].map((micros) => micros.toSorted((a, b) => a - b));
const median = (sorted: readonly number[]): number => sorted[sorted.length >> 1]!;
console.log(`a get of the admin: ${median(admin!).toFixed(1)} µs (least ${admin![0]!.toFixed(1)})`);
console.log(`a get of a user with a role: ${median(user!).toFixed(1)} µs (least ${user![0]!.toFixed(1)})`);
console.log(
  `${(median(user!) / median(admin!)).toFixed(3)} times, least by least ${(user![0]! / admin![0]!).toFixed(3)}`,
);

/** CPU time of the server for one request, in µs. */
async function costOf(token: string): Promise<number> {
  const before = cpuMillisOf(server.pid);
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < REQUESTS) {
      const code = await ask(session, token, { path: `${CONFIGMAPS}/c-${next++ % 100}` });
      if (code !== 200) throw new Error(`expected an object, got ${code}`);
    }
  };
  await Promise.all(Array.from({ length: DEEP }, client));
  return ((cpuMillisOf(server.pid) - before) * 1000) / REQUESTS;
}
