import fc from "fast-check";
import { expect, test } from "vitest";
import {
  lastOffset,
  MOST_HEIGHT,
  offsetToSee,
  positionAt,
  rowsSeen,
  scrolled,
  scrollHeight,
  windowRange,
  type ScrollSizes,
} from "./scroll.ts";

const ROW = 30;
const sizesOf = (rows: number): ScrollSizes => ({ content: rows * ROW, viewport: 600 });
const lastTop = (sizes: ScrollSizes): number => scrollHeight(sizes) - sizes.viewport;

test("a list that fits into an element is scrolled as far as the element", () => {
  const sizes = sizesOf(1000);
  let position = positionAt(0, sizes);
  for (const top of [7, 8, 5000, 29_400, 3, 0]) {
    position = scrolled(position, top, sizes);
    expect(position).toEqual({ offset: top, top });
  }
});

test("in a list of ten million rows a wheel moves by its own way, and the bar by its part of the whole", () => {
  const sizes = sizesOf(1e7);
  let position = positionAt(0, sizes);
  position = scrolled(position, 90, sizes);
  expect(position).toEqual({ offset: 90, top: 90 });
  position = scrolled(position, 190, sizes);
  expect(position.offset).toBe(190);
  const half = Math.round(lastTop(sizes) / 2);
  position = scrolled(position, half, sizes);
  expect(position.offset / lastOffset(sizes)).toBeCloseTo(0.5, 4);
  expect(scrolled(position, half + 30, sizes).offset).toBe(position.offset + 30);
});

test("a wheel reaches the first and the last row from everywhere, and the browser's bar is at its end then", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20_000_000 }),
      fc.array(fc.tuple(fc.boolean(), fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 30 }),
      fc.constantFrom(-1, 1),
      (rows, ways, direction) => {
        const sizes = sizesOf(rows);
        const end = Math.max(0, lastTop(sizes));
        let position = positionAt(0, sizes);
        const to = (top: number): void => {
          position = scrolled(position, Math.min(end, Math.max(0, Math.round(top))), sizes);
          expect(position.offset).toBeGreaterThanOrEqual(0);
          expect(position.offset).toBeLessThanOrEqual(lastOffset(sizes));
          expect(position.top).toBeGreaterThanOrEqual(0);
          expect(position.top).toBeLessThanOrEqual(end);
        };
        for (const [isWheel, part] of ways) to(isWheel ? position.top + (part - 0.5) * 1000 : part * end);
        // The last part of the way: so near to the end that a few turns of the wheel have to do.
        const target = direction < 0 ? 0 : lastOffset(sizes);
        position = positionAt(target - direction * 2000, sizes);
        for (let turn = 0; turn < 30 && position.offset !== target; turn++) to(position.top + direction * 100);
        expect(position.offset).toBe(target);
        expect(position.top).toBe(direction < 0 ? 0 : end);
      },
    ),
  );
});

test("no element is higher than browsers draw", () => {
  expect(scrollHeight(sizesOf(1e9))).toBe(MOST_HEIGHT);
  expect(scrollHeight(sizesOf(10))).toBe(300);
});

test("the rows that are seen cover the viewport and nothing more, but for the margin", () => {
  fc.assert(
    fc.property(
      fc.nat(1e7),
      fc.integer({ min: 1, max: 2000 }),
      fc.nat(1e6),
      fc.nat(20),
      (offset, viewport, count, more) => {
        const { first, end } = rowsSeen(offset, viewport, ROW, count, more);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(Math.max(count, first));
        const seen = { from: Math.min(offset, count * ROW), to: Math.min(offset + viewport, count * ROW) };
        expect(first * ROW).toBeLessThanOrEqual(seen.from);
        expect(end * ROW).toBeGreaterThanOrEqual(seen.to);
        expect(end - first).toBeLessThanOrEqual(Math.ceil(viewport / ROW) + 1 + 2 * more);
      },
    ),
  );
});

test("a window has the rows that are seen, stays while it has them, and is not larger than one may be", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000_000), { maxLength: 30 }), fc.integer({ min: 1, max: 100 }), (places, rows) => {
      let range = { offset: 0, size: 100 };
      for (const first of places) {
        range = windowRange({ first, end: first + rows }, range, 300);
        expect(range.offset).toBeLessThanOrEqual(first);
        expect(range.offset + range.size).toBeGreaterThanOrEqual(first + rows);
        expect(range.size).toBeLessThanOrEqual(300);
        expect(windowRange({ first, end: first + rows }, range, 300)).toBe(range);
      }
    }),
  );
});

test("a row that is hidden is scrolled to on the shortest way", () => {
  expect(offsetToSee(0, ROW, 100, 600)).toBe(0);
  expect(offsetToSee(10, ROW, 0, 600)).toBe(0);
  expect(offsetToSee(20, ROW, 0, 600)).toBe(30);
  expect(offsetToSee(5, ROW, 150, 600)).toBe(150);
});
