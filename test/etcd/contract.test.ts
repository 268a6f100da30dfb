import { afterAll, beforeAll, describe } from "vitest";
import { openEtcdStore } from "../../src/storage/etcd/store.ts";
import { storeContract } from "../../src/storage/testing/contract-suite.ts";
import { systemClock, systemRandom } from "../../src/util/clock.ts";
import { inOrder } from "./in-order.ts";
import { type EtcdCluster, hasEtcd, startEtcd } from "./start.ts";

describe.skipIf(!(await hasEtcd()))("on one member", () => {
  let etcd: EtcdCluster;
  let tests = 0;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd?.close());

  const openFresh = async () => {
    // Every test has a prefix of its own: the suite expects a store without other writers.
    const prefix = `/test-${tests++}`;
    const open = async () =>
      inOrder(await openEtcdStore({ endpoints: etcd.endpoints, prefix, clock: systemClock, random: systemRandom }));
    let store = await open();
    return {
      store,
      async reopen() {
        await store.close();
        store = await open();
        return store;
      },
      close: () => store.close(),
    };
  };
  storeContract("etcd", openFresh, { numbersTransactions: true });
});
