import { expect, test } from "vitest";
import { turn } from "../../util/testing/turn.ts";
import { sharedReading } from "./shared-reading.ts";

test("who asks while a reading is under way shares the next one, and is given nothing that was read before", async () => {
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
  await turn();
  expect(readings).toHaveLength(2);
  const later = read();
  readings[1]!.resolve("new");
  expect(await Promise.all(others)).toEqual(["new", "new", "new"]);
  await turn();
  expect(readings).toHaveLength(3);
  readings[2]!.resolve("newest");
  expect(await later).toBe("newest");
});

test("a reading that fails fails for those alone who share it", async () => {
  let readings = 0;
  const read = sharedReading(async () => {
    if (++readings === 1) throw new Error("no table");
    return "table";
  });
  const [first, second] = await Promise.allSettled([read(), read()]);
  expect([first.status, second.status, readings]).toEqual(["rejected", "fulfilled", 2]);
  expect(await read()).toBe("table");
});
