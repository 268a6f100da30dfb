import { expect, test } from "vitest";
import { kubernetes } from "../../meta/dialect.ts";
import { ManualClock } from "../../util/clock.ts";
import { lookupOf, objectOf } from "../testing/requests.ts";
import { namespaceWarnings } from "./namespace-pods.ts";

test("Pods are evaluated for a second at most, and a warning says how many were", async () => {
  const clock = new ManualClock();
  const pods = Array.from({ length: 10 }, (_, i) =>
    objectOf({ name: `p${i}`, namespace: "team" }, { kind: "Pod", spec: { hostPID: true, containers: [] } }),
  );
  const inner = lookupOf({ pods });
  // Each read takes 300 ms.
  const lookup = { ...inner, get: (...args: [string, string, string]) => (clock.advance(300), inner.get(...args)) };
  const by = { level: "baseline", version: "latest", minor: Infinity } as const;
  expect(await namespaceWarnings({ lookup, clock, dialect: kubernetes }, "team", by)).toEqual([
    "new PodSecurity enforce level only checked against the first 4 of 10 existing pods",
    'existing pods in namespace "team" violate the new PodSecurity enforce level "baseline:latest"',
    "p0 (and 3 other pods): host namespaces",
  ]);
});
