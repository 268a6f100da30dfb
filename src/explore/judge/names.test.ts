import { expect, test } from "vitest";
import { GONE, RunNames } from "./names.ts";
import { RecordedRun } from "./testing/recorded-run.ts";

const service = (name: string, clusterIP: string) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { clusterIP },
});

test("addresses that the cluster has allocated are names of what has them", () => {
  const run = new RecordedRun(1);
  run.begin();
  run.create("user", service("web", "10.96.0.7"));
  run.create("user", service("headless", "None"));
  run.create("user", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: "web-" },
    status: { podIP: "10.1.0.5" },
  });
  run.quiet();
  const names = new RunNames(run.record());
  expect(names.text("http://10.96.0.7:80/ of 10.1.0.5")).toBe(
    "http://address of Service default/web:80/ of address of Pod default/web-*",
  );
  for (const other of ["10.96.0.70", "110.96.0.7", "None", "1.2.3"]) expect(names.text(other)).toBe(other);
});

test("a uid is that of its object while it is stored, and of none when it is gone", () => {
  const run = new RecordedRun(1);
  run.begin();
  const { metadata } = run.create("user", service("web", "None"));
  run.delete("user", run.get("Service", "web"));
  run.quiet();
  const names = new RunNames(run.record());
  expect(names.text(`of ${metadata.uid}`)).toBe("of uid of Service default/web");
  expect(names.text(`of ${metadata.uid}`, () => false)).toBe(`of ${GONE}`);
  // One that no object of the run had.
  expect(names.text("00000000-0000-4000-8000-000000000000", () => false)).toBe("*");
});
