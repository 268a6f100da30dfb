import { expect, test } from "vitest";
import { FakeTimers } from "../testing/fake-timers.ts";
import { keepSession } from "./session.ts";

const MINUTE = 60_000;

/** A page that a test shows and hides, and how often it has renewed the session. */
function keptPage() {
  const timers = new FakeTimers();
  const page = { timers, renewed: 0, visible: true, changed: (): void => undefined };
  keepSession({
    timers,
    isVisible: () => page.visible,
    onVisibility: (call) => {
      page.changed = call;
    },
    renew: async () => {
      page.renewed++;
    },
  });
  const show = (visible: boolean): void => {
    page.visible = visible;
    page.changed();
  };
  return { page, timers, show };
}

test("the session is renewed every ten minutes while the page is seen", () => {
  const { page, timers } = keptPage();
  timers.pass(9 * MINUTE);
  expect(page.renewed).toBe(0);
  timers.pass(MINUTE);
  expect(page.renewed).toBe(1);
  timers.pass(30 * MINUTE);
  expect(page.renewed).toBe(4);
});

test("a hidden page renews nothing, and does so at once when it is visible again", () => {
  const { page, timers, show } = keptPage();
  show(false);
  timers.pass(60 * MINUTE);
  expect(page.renewed).toBe(0);
  show(true);
  expect(page.renewed).toBe(1);
  // Whoever comes and goes does not ask each time.
  show(false);
  show(true);
  expect(page.renewed).toBe(1);
  timers.pass(10 * MINUTE);
  expect(page.renewed).toBe(2);
});
