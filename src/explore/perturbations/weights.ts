/**
 * How telling a point is.
 *
 * @module
 */
import type { CleanRun, Delivery, Read, Write } from "../causality.ts";
import { causePair } from "../causality.ts";
import type { Candidate } from "./rule.ts";

/** Whether a write deletes, or lets a deletion happen. */
export const isDeletion = (write: Write): boolean => write.request.verb.startsWith("delete") || write.removesFinalizer;

/** Whether the same create makes another object when it is sent again. */
export const isRepeatable = ({ request }: Write): boolean =>
  request.verb === "create" && request.generateName !== undefined;

/**
 * The weight of a fault at a write, from 0.2 to 2: highest at the first of several writes, where the rest is not yet done; at deletions,
 * which cannot be undone; and at creates that make another object when they are repeated. A repeated write with an earlier cause has a
 * lower weight.
 */
export const gravity = (write: Write): number => {
  const isLast = write.place === write.groupSize - 1;
  const place = write.groupSize === 1 ? 0.6 : isLast ? 0.5 : 1 - 0.1 * Math.min(write.place, 3);
  const status = write.point.subresource === "status" ? -0.2 : 0;
  const call = write.point.protocol === "csi" ? 0.3 : 0;
  const grave = place + status + call + (isRepeatable(write) ? 0.5 : 0) + (isDeletion(write) ? 0.4 : 0);
  return write.isFirst ? grave : 0.7 * grave;
};

/** Writes that do something new, or for a new cause. */
export const freshWrites = (run: CleanRun): readonly Write[] => run.writes.filter((write) => write.fresh);

/** Reads that come before a write of their group; one of each. */
export const freshReads = (run: CleanRun): readonly Read[] => {
  const used = new Set(run.writes.flatMap((write) => write.causes.flatMap(({ read }) => read ?? [])));
  return run.reads.filter((read) => read.fresh && used.has(read));
};

/** The coverage of a perturbation of a delivery: pairs of it and of the writes that it caused. */
export const pairsOf = (delivery: Delivery): readonly string[] =>
  delivery.led.map((write) => causePair(write, { shape: delivery.shape, delivery }));

/** A candidate for a write, with all pairs of it. */
export const forWrite = (write: Write, perturbation: Candidate["perturbation"], worth: number): Candidate => ({
  perturbation,
  worth,
  write: write.shape,
  pairs: write.causes.map((cause) => causePair(write, cause)),
});
