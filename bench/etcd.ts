/**
 * Writes of the etcd backend: updates of 1 KiB values by writers that each wait for their answer, on one member that is
 * started for it. CPU is that of this process alone, per write; a write counts when its event has come back too. Then
 * what it costs to let an object expire: by a lease of its own in etcd, or deleted by us when its time has come. One
 * JSON line per case.
 *
 *     node bench/etcd.ts [seconds per case]
 */
import { frameOf } from "../src/grpc/messages.ts";
import { GrpcSession } from "../src/grpc/session.ts";
import { openEtcdStore } from "../src/storage/etcd/store.ts";
import { systemClock, systemRandom } from "../src/util/clock.ts";
import { WireWriter } from "../src/wire/encoding/wire-writer.ts";
import { startEtcd } from "../test/etcd/start.ts";

const SECONDS = Number(process.argv[2] ?? 3);
const VALUE = Buffer.alloc(1024, "keelson ");

async function measure(name: string, writers: number, write: (writer: number) => Promise<unknown>): Promise<void> {
  const millis: number[] = [];
  const run = (seconds: number): Promise<unknown> => {
    const end = performance.now() + seconds * 1000;
    return Promise.all(
      Array.from({ length: writers }, async (_, id) => {
        for (let begin = performance.now(); begin < end;) {
          await write(id);
          const now = performance.now();
          millis.push(now - begin);
          begin = now;
        }
      }),
    );
  };
  await run(SECONDS / 4);
  millis.length = 0;
  const cpu = process.cpuUsage();
  const begin = performance.now();
  await run(SECONDS);
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  millis.sort((a, b) => a - b);
  const at = (share: number): number => Number((millis[Math.floor(millis.length * share)] ?? 0).toFixed(2));
  const line = {
    case: name,
    writers,
    perSecond: Math.round(millis.length / seconds),
    cpuMicros: Math.round((user + system) / millis.length),
    p50Millis: at(0.5),
    p99Millis: at(0.99),
  };
  console.log(JSON.stringify(line));
}

const etcd = await startEtcd();
const store = await openEtcdStore({ endpoints: etcd.endpoints, clock: systemClock, random: systemRandom });

const revisions = await Promise.all(
  Array.from({ length: 256 }, (_, i) => store.write({ type: "create", key: `/bench/${i}`, value: VALUE })),
);
const update = async (writer: number): Promise<void> => {
  const key = `/bench/${writer}`;
  revisions[writer] = await store.write({ type: "update", key, value: VALUE, expected: revisions[writer]! });
};
for (const writers of [1, 16, 64, 256]) await measure("update", writers, update);
await measure("current revision", 64, () => store.currentRevision());

let serial = 0;
const create = async (): Promise<void> => {
  const key = `/expiry/${serial++}`;
  const expected = await store.write({ type: "create", key, value: VALUE });
  await store.write({ type: "delete", key, value: VALUE, expected });
};
await measure("create, then deleted by us", 64, create);

const session = await GrpcSession.open(etcd.endpoints[0]!, {}, systemClock, 5000);
const grant = new WireWriter(32);
grant.integerField(1, 3600);
const frame = frameOf(grant);
await measure("create, with a lease of its own", 64, async () => {
  await session.call("/etcdserverpb.Lease/LeaseGrant", frame, 5000);
  await store.write({ type: "create", key: `/leased/${serial++}`, value: VALUE });
});

session.destroy("done");
await store.close();
await etcd.close();
