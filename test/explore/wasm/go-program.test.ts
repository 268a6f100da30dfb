import { describe, expect, test } from "vitest";
import { type Client, type Transport } from "../../../src/client/index.ts";
import { ConfigMap, Lease, Secret } from "../../../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../../../src/testing/index.ts";
import { type GoProgram, goProgram } from "../../../src/testing/explore/wasm/program.ts";
import { seededRandom } from "../../../src/util/clock.ts";
import { builtOperator } from "./operator.ts";

const file = await builtOperator();
const ADMIN = { user: "operator", groups: ["system:masters"] };
const WANTED = { metadata: { name: "a", namespace: "default", labels: { password: "wanted" } } };
/** A manager looks every 100 ms whether its caches are there. */
const SYNCHRONIZED = "1s";
const CHECKED = "example.com/checked";

describe.skipIf(file === undefined)(
  "a manager of controller-runtime in this process",
  { timeout: 120_000 },
  async () => {
    const [plain, mended, elected] = file
      ? [await program(), await program("--mended"), await program("--leader-elect")]
      : ([] as never);

    test("reconciles under virtual time, at the instants that it asks for", async () => {
      await using cluster = await createCluster();
      const process = plain.start(contextOf(cluster));
      await cluster.settled();
      await cluster.client().resource(ConfigMap).create(WANTED);
      await cluster.settled();
      const checks: string[] = [];
      for (let hour = 0; hour < 6; hour++) {
        await cluster.clock.advance("10m");
        checks.push((await cluster.client().resource(ConfigMap).get(WANTED.metadata)).metadata.annotations![CHECKED]!);
      }
      expect(checks).toEqual(
        [10, 20, 30, 40, 50, 60].map((minutes) =>
          new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString().replace(".000", ""),
        ),
      );
      const { items } = await cluster.client().resource(Secret).list({ namespace: "default" });
      expect(items.map(({ metadata }) => metadata.ownerReferences?.[0]?.name)).toEqual(["a"]);
      process.kill();
    });

    test("does the same in each run", async () => {
      const runs = await Promise.all([1, 2].map(() => traceOf(plain)));
      expect(runs[0]!.length).toBeGreaterThan(10);
      expect(runs[1]).toEqual(runs[0]);
    });

    test("does nothing after it was killed, and goes on when it starts again", async () => {
      await using cluster = await createCluster();
      const first = plain.start(contextOf(cluster));
      await cluster.settled();
      first.kill();
      await cluster.client().resource(ConfigMap).create(WANTED);
      await cluster.clock.advance("1h");
      expect(cluster.requests({ verb: "writes" })).toEqual([]);
      const second = plain.start(contextOf(cluster));
      await cluster.clock.advance(SYNCHRONIZED);
      expect(cluster.requests({ verb: "create" }).map(({ kind }) => kind)).toEqual(["Secret"]);
      second.kill();
    });

    test.for([
      { name: "a crash before the second write leaves a Secret that is not known", mends: false, secrets: 2 },
      { name: "its mended twin finds the Secret again", mends: true, secrets: 1 },
    ])("$name", async ({ mends, secrets }) => {
      await using cluster = await createCluster();
      const operator = mends ? mended : plain;
      const context = contextOf(cluster);
      let isKilled = false;
      const killing =
        (transport: Transport): Transport =>
        async (request) => {
          const answer = await transport(request);
          if (isKilled || request.method !== "POST") return answer;
          isKilled = true;
          first.kill();
          return new Promise(() => {});
        };
      const first = operator.start({ ...context, client: context.client.with({ through: killing }) });
      await cluster.client().resource(ConfigMap).create(WANTED);
      await cluster.clock.advance(SYNCHRONIZED);
      const second = operator.start(context);
      await cluster.clock.advance(SYNCHRONIZED);
      expect(isKilled).toBe(true);
      expect((await cluster.client().resource(Secret).list({ namespace: "default" })).items).toHaveLength(secrets);
      second.kill();
    });

    test("goes on in a fork of its cluster: warm, and alone", async () => {
      await using cluster = await createCluster();
      const process = plain.start(contextOf(cluster));
      await cluster.client().resource(ConfigMap).create(WANTED);
      await cluster.settled();
      await cluster.clock.advance("25m");
      const kept = process.keep();
      await using fork = cluster.fork();
      const copy = kept.start(contextOf(fork));
      await fork.settled();
      await fork
        .client()
        .resource(ConfigMap)
        .create({ metadata: { ...WANTED.metadata, name: "b" } });
      await fork.settled();
      await fork.clock.advance("10m");
      const found = await fork.client().resource(ConfigMap).get(WANTED.metadata);
      expect(found.metadata.annotations![CHECKED]).toBe("2026-01-01T00:30:00Z");
      expect(fork.requests({ verb: "create" }).map(({ kind }) => kind)).toEqual(["Secret"]);
      expect(fork.requests({ verb: "list" })).toEqual([]);
      expect(await cluster.client().resource(ConfigMap).find({ namespace: "default", name: "b" })).toBeUndefined();
      await cluster.clock.advance("10m");
      expect((await cluster.client().resource(ConfigMap).get(WANTED.metadata)).metadata.annotations![CHECKED]).toBe(
        "2026-01-01T00:30:00Z",
      );
      process.kill();
      copy.kill();
    });

    test("of two replicas one leads, and the other takes over when it was killed", async () => {
      await using cluster = await createCluster();
      const replicas = [1, 2].map((seed) => elected.start({ ...contextOf(cluster), random: seededRandom(seed) }));
      await cluster.settled();
      const holder = async (): Promise<string> =>
        (await cluster.client().resource(Lease).get({ namespace: "default", name: "passwords" })).spec!.holderIdentity!;
      await cluster.clock.advance("5s");
      const before = await holder();
      replicas[0]!.kill();
      await cluster.clock.advance("1m");
      expect(await holder()).not.toBe(before);
      await cluster.client().resource(ConfigMap).create(WANTED);
      await cluster.settled();
      expect(cluster.requests({ verb: "create", kind: Secret })).toHaveLength(1);
      replicas[1]!.kill();
    });

    test("main rejects with the exit code and what the program wrote last", async () => {
      await using cluster = await createCluster();
      const wrong = await program("--nothing");
      const ended = wrong.main({ ...contextOf(cluster), signal: new AbortController().signal });
      await expect(ended).rejects.toThrow(/exit code 2:\n.*flag provided but not defined: -nothing/s);
    });

    test("main ends with its signal", async () => {
      await using cluster = await createCluster();
      const stop = new AbortController();
      const ended = plain.main({ ...contextOf(cluster), signal: stop.signal });
      await cluster.settled();
      stop.abort();
      await ended;
      await cluster.client().resource(ConfigMap).create(WANTED);
      await cluster.settled();
      expect(cluster.requests({ verb: "writes" })).toEqual([]);
    });
  },
);

const program = (...args: readonly string[]): Promise<GoProgram> => goProgram({ file: file!, args });

const contextOf = (cluster: Cluster): { client: Client; clock: Cluster["clock"] } => ({
  client: cluster.as(ADMIN),
  clock: cluster.clock,
});

/** All that the server sees of an hour of the operator. */
async function traceOf(operator: GoProgram): Promise<readonly string[]> {
  await using cluster = await createCluster();
  const process = operator.start(contextOf(cluster));
  await cluster.settled();
  await cluster.client().resource(ConfigMap).create(WANTED);
  await cluster.settled();
  await cluster.clock.advance("1h");
  process.kill();
  return cluster.requests().map((request) => JSON.stringify(request));
}
