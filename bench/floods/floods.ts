import { alwaysAllow } from "../../src/auth/admin.ts";
import { createCluster } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { testAuthority } from "../../src/server/testing/certificates.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import type { Load, LoadResult } from "./load.ts";
import { Turns } from "./turns.ts";

/** Runs a load in a thread of its own. */
export type Runner = (load: Load) => Promise<LoadResult>;

const READERS = 100;
const PAUSE_MS = 100;
/** Requests that who floods has under way at a time: as many as one connection lets it. */
const DEEP = 200;

/** Compares the times of readers with and without floods, and prints them. */
export async function floodBench(
  objects: number,
  seconds: number,
  run: Runner,
): Promise<Readonly<Record<string, number>>> {
  await using cluster = await createCluster({
    store: await openMemoryStore(),
    dialect: kubernetes,
    authenticator: () => ({
      authenticate: ({ header }) => {
        const user = header("authorization").replace("Bearer ", "");
        return { user, groups: ["system:authenticated"] };
      },
    }),
    authorizer: () => alwaysAllow,
  });
  await fill(cluster, objects);
  const authority = testAuthority();
  const tls = { ...authority.server(), clientCa: authority.cert };
  const listener = await cluster.server.listen({ host: "127.0.0.1", port: 0, tls });
  const url = `https://127.0.0.1:${listener.port}`;
  const load = (kind: Load["kind"], tokens: readonly string[], deep: number, pause: number): Load => ({
    url,
    ca: authority.cert,
    tokens,
    kind,
    objects,
    seconds,
    deep,
    pause,
  });
  const readers = Array.from({ length: READERS }, (_, i) => `reader-${i}`);
  const reads = load("reads", readers, 1, PAUSE_MS);
  await run({ ...reads, seconds: 1 });
  const quiet = report("quiet", await run(reads));
  const ratios: Record<string, number> = {};
  for (const kind of ["lists", "writes", "watches"] as const) {
    const turns = new Turns();
    const [calm, flood] = await Promise.all([run(reads), run(load(kind, ["flood"], DEEP, 0))]);
    const { p99: turn, most } = turns.end();
    const p99 = report(`flood of ${kind}`, calm);
    console.log(`  turns of the server: p99 ${turn.toFixed(2)} ms of CPU, most ${most.toFixed(2)} ms`);
    ratios[kind] = p99 / quiet;
    console.log(
      `  ${flood.millis.length} ${kind} answered, ${flood.refused} refused; p99 ${ratios[kind]!.toFixed(2)} times`,
    );
  }
  return ratios;
}

async function fill({ server }: Awaited<ReturnType<typeof createCluster>>, objects: number): Promise<void> {
  const identity = { user: "admin", groups: ["system:masters"] };
  const headers = { "content-type": "application/json" };
  for (let i = 0; i < objects; i += 100) {
    const some = Array.from({ length: Math.min(100, objects - i) }, async (_, at) => {
      const object = { metadata: { name: `c-${i + at}` }, data: { pad: "x".repeat(900) } };
      const answer = await server.inject({
        method: "POST",
        url: "/api/v1/namespaces/default/configmaps",
        headers,
        identity,
        body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", ...object }),
      });
      await answer.bytes();
    });
    await Promise.all(some);
  }
}

/** Prints the percentiles of some times; gives back the 99th, in ms. */
function report(what: string, { millis, refused }: LoadResult): number {
  const sorted = millis.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  const [p50, p99, most] = [at(0.5), at(0.99), at(1)].map((ms) => ms.toFixed(2));
  console.log(
    `${what.padEnd(18)} ${sorted.length} reads, p50 ${p50} ms, p99 ${p99} ms, most ${most} ms, ${refused} refused`,
  );
  return at(0.99);
}
