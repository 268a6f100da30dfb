import { AsyncLocalStorage } from "node:async_hooks";
import type { NoteWrites } from "./refusable-store.ts";

/** Told of the writes of the current request. */
const writers = new AsyncLocalStorage<NoteWrites>();

/** Runs `work`, a part of a request, and passes its writes to the store to `note`. */
export const asWriter = <T>(note: NoteWrites, work: () => T): T => writers.run(note, work);

/** Notifies the handler of the current request of its writes. */
export const noteWrites: NoteWrites = (writes) => writers.getStore()?.(writes);
