import { expect, test } from "vitest";
import type { Pod } from "../../client/kinds/index.ts";
import { planOwnership } from "./ownership.ts";

const GOING = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const podOf = (name: string, owner?: string, metadata: object = {}): Pod =>
  ({
    metadata: { name, ...(owner ? { ownerReferences: [{ uid: owner, controller: true }] } : {}), ...metadata },
  }) as unknown as Pod;
const ownerOf = (metadata: object = {}): Pod => podOf("owner", undefined, { uid: "o", ...metadata });
const PODS = [
  podOf("own-fits", "o"),
  podOf("own-other", "o"),
  podOf("own-going-fits", "o", GOING),
  podOf("free-fits"),
  podOf("free-other"),
  podOf("free-going-fits", undefined, GOING),
  podOf("others-fits", "x"),
];
const planned = (metadata: object = {}) => {
  const { owned, adopts, releases } = planOwnership(ownerOf(metadata), PODS, (pod) =>
    pod.metadata.name.endsWith("fits"),
  );
  const names = (pods: readonly Pod[]): string[] => pods.map((pod) => pod.metadata.name);
  return { owned: names(owned), adopts: names(adopts), releases: names(releases) };
};

test("WL-GEN-1: takes free objects that fit and are not going, and releases own ones that do not fit", () => {
  expect(planned()).toEqual({
    owned: ["own-fits", "own-going-fits"],
    adopts: ["free-fits"],
    releases: ["own-other"],
  });
});

test("WL-GEN-2: an owner that is going takes nothing over and releases nothing", () => {
  expect(planned(GOING)).toEqual({ owned: ["own-fits", "own-going-fits"], adopts: [], releases: [] });
});
