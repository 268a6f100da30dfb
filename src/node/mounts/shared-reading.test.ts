import { expect, test } from "vitest";
import { nextPass } from "../../util/testing/pass.ts";
import { sharedReading } from "./shared-reading.ts";

test("callers during a reading share the next one, and get nothing that was read before their call", async () => {
  const readings: PromiseWithResolvers<string>[] = [];
  const read = sharedReading(() => {
    const reading = Promise.withResolvers<string>();
    readings.push(reading);
    return reading.promise;
  });
  const first = read();
  const others = [read(), read(), read()];
  expect(readings).toHaveLength(1);
  readings[0]!.resolve("old");
  expect(await first).toBe("old");
  await nextPass();
  expect(readings).toHaveLength(2);
  const later = read();
  readings[1]!.resolve("new");
  expect(await Promise.all(others)).toEqual(["new", "new", "new"]);
  await nextPass();
  expect(readings).toHaveLength(3);
  readings[2]!.resolve("newest");
  expect(await later).toBe("newest");
});

test("a failed reading fails only for the callers that share it", async () => {
  let readings = 0;
  const read = sharedReading(async () => {
    if (++readings === 1) throw new Error("no table");
    return "table";
  });
  const [first, second] = await Promise.allSettled([read(), read()]);
  expect([first.status, second.status, readings]).toEqual(["rejected", "fulfilled", 2]);
  expect(await read()).toBe("table");
});
