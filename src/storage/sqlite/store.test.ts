import { storeContract } from "../testing/contract-suite.ts";
import { systemClock } from "../../util/clock.ts";
import { openSqliteStore } from "./store.ts";
import { temporaryDirectory } from "./testing/directory.ts";

storeContract("sqlite", async () => {
  const { path, remove } = temporaryDirectory();
  const open = (): ReturnType<typeof openSqliteStore> => openSqliteStore({ directory: path, clock: systemClock });
  let store = await open();
  return {
    store,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    async close() {
      await store.close();
      remove();
    },
  };
});
