import { expect, test, vi } from "vitest";
import { ApiFailure } from "../../api/http.ts";
import { INTERVAL_MS, type PollParts, pollServer } from "./poll.ts";

/** A browser whose time passes when a test says so. */
function fakeBrowser(
  metrics: () => string,
): PollParts & { tick(): Promise<void>; isSeenNow: boolean; reads: string[] } {
  let time = 0;
  const due = new Set<() => void>();
  const reads: string[] = [];
  return {
    isSeenNow: true,
    reads,
    timers: {
      after: (ms, call) => {
        expect(ms).toBe(INTERVAL_MS);
        due.add(call);
        return () => due.delete(call);
      },
      random: { next: () => 0.5, uuid: () => "" },
    },
    steady: () => time,
    now: () => 1_000_000 + time,
    isSeen(this: { isSeenNow: boolean }) {
      return this.isSeenNow;
    },
    read: async (path) => {
      reads.push(path);
      if (path !== "/metrics") return "[+]ping ok\n";
      return metrics();
    },
    async tick() {
      time += INTERVAL_MS;
      const calls = [...due];
      due.clear();
      for (const call of calls) call();
      await vi.waitFor(() => expect(due.size).toBe(1));
    },
  };
}

test("the second reading has rates, and a failure in between says why and is forgotten", async () => {
  let requests = 0;
  let code = 0;
  const browser = fakeBrowser(() => {
    if (code > 0) throw new ApiFailure(code, { message: "not now" } as never);
    requests += 20;
    return `apiserver_request_total{verb="list",code="200"} ${requests}`;
  });
  const poll = pollServer(browser);
  await vi.waitFor(() => expect(poll.value.value.readings).toBe(1));
  expect(poll.value.value.ring.length).toBe(0);
  await browser.tick();
  expect(poll.value.value).toMatchObject({ readings: 2, health: [{ name: "ping", isOk: true }] });
  expect(poll.value.value.ring.last).toMatchObject({ reads: 10 });
  code = 500;
  await browser.tick();
  expect(poll.value.value.failure?.code).toBe(500);
  code = 0;
  await browser.tick();
  expect(poll.value.value.failure).toBeUndefined();
  // What the user may not read is asked for again after half a minute; the health is read meanwhile.
  code = 403;
  await browser.tick();
  browser.reads.length = 0;
  code = 0;
  for (let i = 0; i < 14; i++) await browser.tick();
  expect([poll.value.value.failure?.code, browser.reads.includes("/metrics")]).toEqual([403, false]);
  expect(browser.reads.length).toBe(14);
  await browser.tick();
  expect(poll.value.value.failure).toBeUndefined();
  poll.close();
});

test("nothing is read while the page is not seen", async () => {
  const browser = fakeBrowser(() => "");
  const poll = pollServer({ ...browser, isSeen: () => browser.isSeenNow });
  await vi.waitFor(() => expect(poll.value.value.readings).toBe(1));
  browser.isSeenNow = false;
  const before = browser.reads.length;
  await browser.tick();
  await browser.tick();
  expect(browser.reads.length).toBe(before);
  browser.isSeenNow = true;
  await browser.tick();
  expect(browser.reads.length).toBe(before + 2);
  poll.close();
});
