/**
 * The two worlds of a run: one server on the embedded store, and two servers on three members of etcd.
 *
 * @module
 */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openEtcdStore } from "../../src/storage/etcd/store.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { type Random, systemClock, systemRandom } from "../../src/util/clock.ts";
import { Proxy } from "../etcd/proxy.ts";
import { type EtcdCluster, startEtcd } from "../etcd/start.ts";
import { Scratch } from "../serve/keelson.ts";
import { type Fault, pause } from "./faults.ts";
import type { Recorder } from "./recorder.ts";
import { Server } from "./server.ts";
import { StoreLog, readLog } from "./store-log.ts";

/** Servers, what can happen to them, and a way to look behind them. */
export interface World {
  readonly servers: readonly Server[];
  /** What happens side by side: of each list one at a time. */
  readonly faults: readonly (readonly Fault[])[];
  /** For how long the servers keep the past, in ms. */
  readonly keptMillis: number;
  /** By when everybody must have seen everything, after all is whole again, in ms. */
  readonly settleMillis: number;
  /** Begins to take down the log of the store, where that can be read while servers run. */
  follow(recorder: Recorder, from: number): Promise<void>;
  /** Waits until the log was recorded up to a revision; times out at `until`. */
  reach(revision: number, until: number): Promise<void>;
  close(): Promise<void>;
}

/** How to start the world of a store. */
export type MakeWorld = (random: Random) => Promise<World>;

const SETTLE_MILLIS = 90_000;

const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random.next() * values.length)]!;

/** One server on the embedded store. What it left on disk is read from a copy after each kill, as a restart would. */
export const embeddedWorld: MakeWorld = async (random) => {
  const scratch = new Scratch();
  const keptMillis = pick(random, [1000, 3000, 20_000]);
  const server = await Server.start(scratch.fresh(), ["--history", `${keptMillis}ms`]);
  let recorder: Recorder | undefined;
  const copyLog = async (): Promise<void> => {
    if (!recorder) return;
    const directory = scratch.fresh();
    cpSync(join(server.directory, "store"), directory, { recursive: true });
    const store = await openSqliteStore({ directory, clock: systemClock });
    await readLog(store, recorder);
    await store.close();
    rmSync(directory, { recursive: true });
  };
  return {
    servers: [server],
    faults: [server.faults("the server", copyLog)],
    keptMillis,
    settleMillis: SETTLE_MILLIS,
    follow: async (to) => void (recorder = to),
    reach: async () => {},
    close: async () => {
      await server.close();
      scratch.remove();
    },
  };
};

/** A world that breaks its promises: the second time that its server is killed, the disk is as after the first. */
export const forgetfulWorld: MakeWorld = async () => {
  const scratch = new Scratch();
  const server = await Server.start(scratch.fresh(), []);
  const store = join(server.directory, "store");
  let saved: string | undefined;
  const forget = async (): Promise<void> => {
    if (saved === undefined) {
      saved = scratch.fresh();
      cpSync(store, saved, { recursive: true });
      return;
    }
    rmSync(store, { recursive: true });
    cpSync(saved, store, { recursive: true });
  };
  return {
    servers: [server],
    faults: [server.faults("the server", forget).filter(({ name }) => name.startsWith("kill"))],
    keptMillis: 0,
    // Watches from before wait for what never comes.
    settleMillis: 5000,
    follow: async () => {},
    reach: async () => {},
    close: async () => {
      await server.close();
      scratch.remove();
    },
  };
};

/** Two servers on one etcd of three members, each server with its own way to each member. */
export const etcdWorld: MakeWorld = async (random) => {
  const scratch = new Scratch();
  const etcd = await startEtcd({ members: 3 });
  // Longer than a server can be out of touch: it would have to begin anew, and tell its watches so.
  const keptMillis = pick(random, [20_000, 30_000]);
  const ways = await Promise.all([0, 1].map(() => Promise.all(etcd.endpoints.map((url) => Proxy.to(url)))));
  const servers: Server[] = [];
  for (const [i, proxies] of ways.entries()) {
    const directory = scratch.fresh();
    if (i > 0) copyIdentity(servers[0]!.directory, directory);
    const to = proxies.map(({ url }) => url).join(",");
    const args = ["--store", "etcd", "--etcd-servers", to, "--history", `${keptMillis}ms`];
    servers.push(await Server.start(directory, args));
  }
  const store = await openEtcdStore({
    endpoints: etcd.endpoints,
    clock: systemClock,
    random: systemRandom,
    prefix: "/keelson",
  });
  let log: StoreLog | undefined;
  let recorder: Recorder | undefined;
  const compact = async (chance: Random): Promise<void> => {
    // Never beyond what has been taken down.
    const revision = (log?.reached ?? 0) - Math.floor(chance.next() * 50);
    if (revision <= 0) return;
    // Noted first: a server may act on it before this call returns.
    recorder!.compactions.push({ revision, at: recorder!.now() });
    await store.compact(revision).catch(() => {});
  };
  return {
    servers,
    faults: [
      servers.flatMap((server, i) => server.faults(`server ${i}`, async () => {})),
      [...memberFaults(etcd), ...ways.flatMap(wayFaults), { name: "compact etcd", weight: 3, run: compact }],
    ],
    keptMillis,
    settleMillis: SETTLE_MILLIS,
    follow: async (to, from) => {
      recorder = to;
      log = new StoreLog(store, to, from);
    },
    reach: async (revision, until) => {
      while (log!.reached < revision && performance.now() < until) {
        await store.currentRevision().catch(() => {});
        await pause(50, new AbortController().signal);
      }
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
      await log?.close();
      for (const proxy of ways.flat()) proxy.close();
      await etcd.close();
      scratch.remove();
    },
  };
};

/** Servers that are one have one identity. */
function copyIdentity(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 });
  for (const name of ["pki", "admin.token"]) cpSync(join(from, name), join(to, name), { recursive: true });
}

function memberFaults({ members }: EtcdCluster): Fault[] {
  const down = (count: number, name: string, weight: number, longest: number): Fault => ({
    name,
    weight,
    run: async (random, signal) => {
      const first = Math.floor(random.next() * members.length);
      const chosen = Array.from({ length: count }, (_, i) => members[(first + i) % members.length]!);
      await Promise.all(chosen.map((member) => member.kill()));
      await pause(300 + random.next() * longest, signal);
      await Promise.all(chosen.map((member) => member.start()));
    },
  });
  return [
    down(1, "kill -9 a member", 3, 4000),
    down(2, "kill -9 two members", 1, 2000),
    down(3, "kill -9 all members", 1, 1000),
    {
      name: "pause a member",
      weight: 3,
      run: async (random, signal) => {
        const member = pick(random, members);
        member.pause();
        await pause(200 + random.next() * 5000, signal);
        member.resume();
      },
    },
  ];
}

function wayFaults(proxies: readonly Proxy[], i: number): Fault[] {
  const all = (name: string, how: (proxy: Proxy) => void): Fault => ({
    name: `${name} server ${i} and etcd`,
    weight: 1,
    run: async () => proxies.forEach(how),
  });
  return [
    all("cut", (proxy) => proxy.cut()),
    all("silence", (proxy) => proxy.silence()),
    {
      name: `no way between server ${i} and etcd`,
      weight: 1,
      run: async (random, signal) => {
        for (const proxy of proxies) {
          proxy.refuse(true);
          proxy.cut();
        }
        await pause(300 + random.next() * 4000, signal);
        for (const proxy of proxies) proxy.refuse(false);
      },
    },
  ];
}
