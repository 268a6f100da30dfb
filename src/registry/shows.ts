import { hasReason } from "../meta/status.ts";
import type { Shows } from "./allocation/pools.ts";
import { EVERYTHING } from "./lookup.ts";
import { SYSTEM } from "./kind/system.ts";
import { deleteObject } from "./verbs/delete.ts";
import { createOwn } from "./verbs/own.ts";
import { objectOf } from "./versions/view.ts";

/** Writes and reads the objects that represent the allocations of a pool. */
export const shows: Shows = {
  create: createOwn,
  async remove(kind, { metadata: { name = "", uid = "" } }) {
    const target = { namespace: "", name, subresource: "" };
    try {
      await deleteObject(kind, target, { dryRun: false, preconditions: { uid } }, SYSTEM);
    } catch (error) {
      if (!hasReason(error, "NotFound") && !hasReason(error, "Conflict")) throw error;
    }
  },
  get(kind, name) {
    const entry = kind.cache.get(name);
    return entry && objectOf(kind, entry);
  },
  async all(kind) {
    const { entries } = await kind.cache.snapshot().listInSlices(EVERYTHING);
    return entries.map((entry) => objectOf(kind, entry));
  },
};
