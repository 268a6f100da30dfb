import { describe, expect, test } from "vitest";
import { parseExposition } from "./exposition.ts";
import {
  bucketsBetween,
  type Figures,
  figuresBetween,
  parseHealth,
  quantile,
  rateOf,
  ratesBy,
  type Reading,
  Ring,
  WANTED,
} from "./figures.ts";

const reading = (at: number, text: string): Reading => ({ at, samples: parseExposition(text, WANTED).samples });

describe("rates", () => {
  const before = reading(0, 'apiserver_request_total{verb="list"} 10\napiserver_request_total{verb="get"} 5');
  test("a rate is the growth of a counter by seconds", () => {
    const after = reading(2000, 'apiserver_request_total{verb="list"} 16\napiserver_request_total{verb="get"} 5');
    expect(rateOf(before, after, "apiserver_request_total")).toBe(3);
  });
  test("a counter that shrank was reset, and counts from 0", () => {
    const after = reading(1000, 'apiserver_request_total{verb="list"} 4\napiserver_request_total{verb="get"} 5');
    expect(rateOf(before, after, "apiserver_request_total")).toBe(4);
  });
  test("a sample that is new counts from 0", () => {
    const after = reading(1000, 'apiserver_request_total{verb="list"} 10\napiserver_request_total{verb="delete"} 2');
    expect([...ratesBy(before, after, "apiserver_request_total", (labels) => labels.get("verb") ?? "")]).toEqual([
      ["delete", 2],
    ]);
  });
  test("two readings of one moment have no rate", () => {
    expect(rateOf(before, before, "apiserver_request_total")).toBeUndefined();
  });
});

describe("quantiles", () => {
  test.each([
    [0.5, 0.1],
    [0.25, 0.05],
    [0.75, 0.55],
    [0.995, 1],
  ])("the quantile %f is linear within its bucket", (share, expected) => {
    // 50 up to 0.1, 50 more up to 1; the last one beyond all finite bounds.
    const buckets = [
      [0.1, 50],
      [1, 100],
      [Infinity, 100],
    ] as const;
    expect(quantile(buckets, share)).toBeCloseTo(expected, 1);
  });
  test("beyond all finite bounds it is the largest one", () => {
    expect(
      quantile(
        [
          [1, 0],
          [Infinity, 3],
        ],
        0.5,
      ),
    ).toBe(1);
  });
  test("without observations there is none", () => {
    expect([quantile([], 0.5), quantile([[Infinity, 0]], 0.5)]).toEqual([undefined, undefined]);
  });
  test("buckets of several resources are added, and sorted by their bound", () => {
    const line = (le: string, resource: string, count: number): string =>
      `apiserver_request_duration_seconds_bucket{verb="get",resource="${resource}",le="${le}"} ${count}`;
    const before = reading(0, line("+Inf", "pods", 1)).samples;
    const after = reading(1, [line("+Inf", "pods", 4), line("0.1", "pods", 2), line("0.1", "nodes", 1)].join("\n"));
    expect(bucketsBetween(before, after.samples, "apiserver_request_duration_seconds")).toEqual([
      [0.1, 3],
      [Infinity, 3],
    ]);
  });
});

test("figures count reads, writes and errors, and leave watches out of the latency", () => {
  const text = (list: number, create: number, slow: number): string =>
    [
      `apiserver_request_total{verb="list",code="200"} ${list}`,
      `apiserver_request_total{verb="create",code="409"} ${create}`,
      `apiserver_request_total{verb="watch",code="200"} ${slow}`,
      `apiserver_request_duration_seconds_bucket{verb="list",le="0.01"} ${list}`,
      `apiserver_request_duration_seconds_bucket{verb="list",le="+Inf"} ${list}`,
      `apiserver_request_duration_seconds_bucket{verb="watch",le="0.01"} 0`,
      `apiserver_request_duration_seconds_bucket{verb="watch",le="+Inf"} ${slow}`,
      "nodejs_eventloop_utilization 0.25",
    ].join("\n");
  const figures = figuresBetween(reading(0, text(0, 0, 0)), reading(2000, text(20, 4, 900)));
  expect(figures).toMatchObject({ reads: 10, writes: 2, errors: 2, loop: 25, storeBytes: undefined });
  expect(figures.p50).toBeCloseTo(5);
});

test("a ring keeps the last moments, and has null where a line has no value", () => {
  const ring = new Ring(2);
  const figures = (reads: number): Figures => ({ reads }) as Figures;
  for (const time of [1, 2, 3]) ring.push(time, figures(time * 10));
  expect(ring.columns(["reads", "p50"])).toEqual([
    [2, 3],
    [20, 30],
    [null, null],
  ]);
  expect([ring.length, ring.last?.reads]).toEqual([2, 30]);
});

test("the checks of health are read with their names and reasons", () => {
  expect(parseHealth("[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n")).toEqual([
    { name: "ping", isOk: true, says: "ok" },
    { name: "etcd", isOk: false, says: "failed: reason withheld" },
  ]);
});
