/**
 * A store whose writes of one turn get their revisions in the order of the calls, whatever their keys.
 *
 * The contract promises that order for each key alone, and etcd gives no more: transactions that are under way side by
 * side are ordered by the cluster. The contract suite compares with a model that knows one order for all, so it gets the
 * store in this form. Writes of different turns still run side by side.
 *
 * @module
 */
import type { Store, Write } from "../../src/storage/contract.ts";

/** See the head of this file. */
export function inOrder(store: Store): Store {
  let turn: Promise<unknown> | undefined;
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  const after = <T>(write: () => Promise<T>): Promise<T> => {
    const before = turn;
    const done = closing || before === undefined ? write() : settled(before).then(write);
    if (before === undefined) setImmediate(() => (turn = undefined));
    turn = done;
    running.add(done);
    void settled(done).then(() => running.delete(done));
    return done;
  };
  const close = async (): Promise<void> => {
    await Promise.allSettled(running);
    await store.close();
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === "write") return (write: Write) => after(() => store.write(write));
      if (name === "transact") return (writes: readonly Write[]) => after(() => store.transact(writes));
      if (name === "close") return () => (closing ??= close());
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const settled = (promise: Promise<unknown>): Promise<unknown> => promise.catch(() => {});
