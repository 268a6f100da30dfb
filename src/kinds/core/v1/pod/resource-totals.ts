/**
 * The total resources of the containers of a Pod (KIND-Pod-2, KIND-PodSpec-7): the sum of those that run together, or the largest init
 * container with the sidecars that run at that time, whichever is more.
 *
 * @module
 */
import { addQuantities, compareQuantities } from "../../../../meta/quantity.ts";
import type { Resources } from "../../../rules/quantities.ts";
import type { PodSpec } from "./spec-schema.ts";

type Totals = Record<string, string>;

/** The requests of all containers. */
export const totalRequests = (spec: PodSpec): Resources => total(spec, "requests");

/** The limits of all containers; a container without a limit does not count. */
export const totalLimits = (spec: PodSpec): Resources => total(spec, "limits");

function total({ containers, initContainers }: PodSpec, part: "requests" | "limits"): Resources {
  const running: Totals = {};
  for (const { resources } of containers ?? []) add(running, resources?.[part]);
  const kept: Totals = {};
  const most: Totals = {};
  for (const { resources, restartPolicy } of initContainers ?? []) {
    if (restartPolicy === "Always") {
      add(running, resources?.[part]);
      add(kept, resources?.[part]);
      raise(most, kept);
    } else {
      const here = { ...resources?.[part] };
      add(here, kept);
      raise(most, here);
    }
  }
  raise(running, most);
  return running;
}

function add(totals: Totals, resources: Resources | undefined): void {
  for (const name in resources) {
    const before = totals[name];
    totals[name] = before === undefined ? resources[name]! : addQuantities(before, resources[name]!);
  }
}

function raise(totals: Totals, resources: Resources): void {
  for (const name in resources) {
    const before = totals[name];
    if (before === undefined || compareQuantities(resources[name]!, before) > 0) totals[name] = resources[name]!;
  }
}
