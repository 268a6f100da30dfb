import { describe, expect, test } from "vitest";
import { TimeZone, timeZone } from "./time-zone.ts";

const HOUR = 3_600_000;
const at = (text: string): number => Date.parse(text);

describe("a time zone", () => {
  test.each([
    ["Europe/Berlin", "2026-03-29T00:59:59.999Z", 1],
    ["Europe/Berlin", "2026-03-29T01:00:00Z", 2],
    ["Europe/Berlin", "2026-10-25T00:59:59Z", 2],
    ["Europe/Berlin", "2026-10-25T01:00:00Z", 1],
    ["Asia/Kathmandu", "2026-01-01T00:00:00Z", 5.75],
    ["Australia/Lord_Howe", "2026-01-01T00:00:00Z", 11],
    ["Australia/Lord_Howe", "2026-07-01T00:00:00Z", 10.5],
    ["America/St_Johns", "2026-01-01T00:00:00Z", -3.5],
    ["UTC", "1969-12-31T23:59:59Z", 0],
  ])("in %s at %s clocks are %d hours ahead", (name, time, hours) => {
    expect(timeZone(name).offsetAt(at(time))).toBe(hours * HOUR);
  });

  test("offsets that are kept are those that are asked for, over years", () => {
    const asked = (time: number): string => new Date(time).toLocaleString("sv-SE", { timeZone: "America/New_York" });
    const zone = new TimeZone("America/New_York");
    for (let time = at("2024-01-01T00:30:00Z"); time < at("2027-01-01T00:00:00Z"); time += 7 * HOUR) {
      expect(new Date(zone.toLocal(time)).toISOString().replace("T", " ").slice(0, 19)).toBe(asked(time));
      expect(zone.fromLocal(zone.toLocal(time)) === time || isRepeated(zone, time)).toBe(true);
    }
  });

  test("some sixty zones are kept, as each may take 128 KiB", () => {
    const berlin = timeZone("Europe/Berlin");
    const others = Intl.supportedValuesOf("timeZone").filter((name) => name !== berlin.name);
    for (const name of others.slice(0, 60)) timeZone(name);
    expect(timeZone("Europe/Berlin")).toBe(berlin);
    for (const name of others.slice(0, 70)) timeZone(name);
    expect(timeZone("Europe/Berlin")).not.toBe(berlin);
  });

  test("one that the engine does not know is an error", () => {
    expect(() => timeZone("Mars/Olympus")).toThrow(RangeError);
  });
});

/** Whether the local time for a time occurs twice. */
const isRepeated = (zone: TimeZone, time: number): boolean =>
  zone.offsetAt(time + 2 * HOUR) !== zone.offsetAt(time - 2 * HOUR);
