import { expect, test } from "vitest";
import { leastCpu } from "../../util/testing/cpu-time.ts";
import { type Toleration, isTolerated, tolerates } from "./tolerations.ts";

const others = Array.from({ length: 20 }, (_, i): Toleration => ({ key: `other-${i}`, operator: "Exists" }));

const effects = [undefined, "NoSchedule", "NoExecute"];
const taints = ["k", "l"].flatMap((key) =>
  [undefined, "v", "w"].flatMap((value) => ["NoSchedule", "NoExecute"].map((effect) => ({ key, value, effect }))),
);
const tolerations = [undefined, "", "k"].flatMap((key) =>
  [undefined, "", "Equal", "Exists", "Gt"].flatMap((operator) =>
    [undefined, "", "v"].flatMap((value) =>
      effects.map((effect) => JSON.parse(JSON.stringify({ key, operator, value, effect })) as Toleration),
    ),
  ),
);

test("one of many tolerations matches a taint as it does alone", () => {
  for (const toleration of tolerations) {
    const many = [...others, toleration];
    for (const taint of taints) expect(isTolerated(taint, many)).toBe(tolerates(toleration, taint));
  }
  const both = [...others, { key: "k", operator: "Exists", effect: "NoExecute" }, { key: "k", operator: "Exists" }];
  expect(isTolerated({ key: "k", effect: "NoSchedule" }, both)).toBe(true);
});

test("tens of thousands of tolerations are not compared with the taint of each node", async () => {
  const many = Array.from({ length: 40_000 }, (_, i) => ({ key: "k", operator: "Equal", value: `v-${i}` }));
  const judge = (): void => {
    for (let node = 0; node < 1000; node++) isTolerated({ key: "k", effect: "NoSchedule" }, many);
  };
  expect(await leastCpu(judge, 100)).toBeLessThan(100);
});
