import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Badge, Button, classes, Text, type Tone } from "../../ui/basics.tsx";
import { visible } from "../../ui/visible.ts";
import type { FlatRow } from "./list.ts";
import { endOf, type Mark, type Span, type SpanState } from "./rows.ts";
import { lengthText, moved, percentOf, type Range, ticksOf, zoomed } from "./scale.ts";

/** How states are called and coloured. */
export const TONES: Readonly<Record<SpanState, readonly [Tone, string]>> = {
  waits: ["warning", "waits"],
  runs: ["info", "runs"],
  ready: ["good", "ready"],
  done: ["good", "done"],
  idle: ["neutral", "scheduled"],
  failed: ["bad", "failed"],
  old: ["neutral", "old"],
  deleting: ["warning", "deleting"],
};

/** Buttons that move and enlarge the time that is shown. */
export function Zoom({
  range,
  isFixed,
  now: time,
  onRange,
}: {
  readonly range: Range;
  readonly isFixed: boolean;
  readonly now: number;
  readonly onRange: (range: Range | undefined) => void;
}): JSX.Element {
  const middle = (range.from + range.to) / 2;
  // What ends now is made larger around now.
  const around = time >= range.from && time <= range.to ? time : middle;
  return (
    <div class="row" role="group" aria-label="Time that is shown">
      <Button aria-label="Earlier" title="Earlier" onClick={() => onRange(moved(range, -0.25))}>
        ←
      </Button>
      <Button aria-label="Later" title="Later" onClick={() => onRange(moved(range, 0.25))}>
        →
      </Button>
      <Button aria-label="Shorter time" title="Shorter time" onClick={() => onRange(zoomed(range, 0.5, around))}>
        +
      </Button>
      <Button aria-label="Longer time" title="Longer time" onClick={() => onRange(zoomed(range, 2, around))}>
        −
      </Button>
      <Button disabled={!isFixed} onClick={() => onRange(undefined)}>
        Fit
      </Button>
      <span class="soft">{lengthText(range.to - range.from)}</span>
    </div>
  );
}

/** What clocks here show more than UTC, in milliseconds. */
const offsetMillis = (time: number): number => -new Date(time).getTimezoneOffset() * 60_000;

/** The names of the axis take so much of the width of a mark, in CSS pixels. */
const TICK_WIDTH = 64;
const LETTER_WIDTH = 8;

/** The times above the rows. */
export function Axis({ range, now: time }: { readonly range: Range; readonly now: number }): JSX.Element {
  const track = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useLayoutEffect(() => {
    const { current } = track;
    if (!current) return undefined;
    const measure = (): void => {
      width.value = current.clientWidth;
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const ticks = ticksOf(range, Math.max(1, Math.floor(width.value / TICK_WIDTH)), offsetMillis(time));
  // A name that the edge would cut is left out; its line stays.
  const fits = (left: number, text: string): boolean =>
    (left / 100) * width.value + text.length * LETTER_WIDTH <= width.value;
  return (
    <div class="axis" aria-hidden="true">
      <div class="axis-names" />
      <div ref={track} class="axis-track">
        {ticks.map((tick) => {
          const left = percentOf(range, tick.time);
          return (
            <span key={tick.time} class="axis-tick" style={{ left: `${left}%` }}>
              {fits(left, tick.text) ? tick.text : "\u00a0"}
            </span>
          );
        })}
      </div>
    </div>
  );
}

/** A row: what it is, and its time line. */
export function TimeRow({
  item: { row, depth },
  range,
  now: time,
  says,
  marks,
  isOpen,
  isSelected,
  onToggle,
  onSelect,
  onRange,
}: {
  readonly item: FlatRow;
  readonly range: Range;
  readonly now: number;
  readonly says: string | undefined;
  readonly marks: readonly Mark[];
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  readonly onToggle: () => void;
  readonly onSelect: () => void;
  readonly onRange: (range: Range) => void;
}): JSX.Element {
  const [tone, text] = TONES[row.state];
  const drag = useRef<{ x: number; range: Range } | undefined>(undefined);
  return (
    <div class={classes("time-row", isSelected && "time-row-selected")} data-row={row.id} data-state={row.state}>
      <div class="time-names" style={{ paddingLeft: `${depth * 16}px` }}>
        {row.children.length > 0 ? (
          <button
            type="button"
            class="time-toggle"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? "Close" : "Open"} ${row.kind} ${visible(row.name)}: ${row.children.length} below it`}
            onClick={onToggle}
          >
            {isOpen ? "▾" : "▸"}
          </button>
        ) : (
          <span class="time-toggle" aria-hidden="true" />
        )}
        <button type="button" class="time-name" aria-pressed={isSelected} onClick={onSelect}>
          <span class="time-title">
            <Text class="cut" value={depth === 0 ? `${row.namespace}/${row.name}` : row.name} />
            <Badge tone={tone}>{text}</Badge>
          </span>
          <span class="time-says soft">
            <Text class="cut" value={`${row.kind} · ${says ?? row.detail}`} />
          </span>
        </button>
      </div>
      {/* The track is moved with the pointer; the buttons above do the same. */}
      <div
        class="time-track"
        onPointerDown={(event) => {
          drag.current = { x: event.clientX, range };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          if (!drag.current || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
          const by = (drag.current.x - event.clientX) / Math.max(1, event.currentTarget.clientWidth);
          if (Math.abs(by) > 0.005) onRange(moved(drag.current.range, by));
        }}
        onPointerUp={() => {
          drag.current = undefined;
        }}
        onWheel={(event) => {
          if (!event.ctrlKey) return;
          event.preventDefault();
          const { left, width } = event.currentTarget.getBoundingClientRect();
          const around = range.from + ((event.clientX - left) / Math.max(1, width)) * (range.to - range.from);
          onRange(zoomed(range, event.deltaY > 0 ? 1.25 : 0.8, around));
        }}
      >
        {row.spans.map((span, i) => (
          <SpanBar key={i} span={span} range={range} now={time} />
        ))}
        {[...row.marks, ...marks].map((mark, i) => (
          <MarkDot key={i} mark={mark} range={range} />
        ))}
        <span class="time-now" style={{ left: `${percentOf(range, time)}%` }} />
      </div>
    </div>
  );
}

function SpanBar({
  span,
  range,
  now: time,
}: {
  readonly span: Span;
  readonly range: Range;
  readonly now: number;
}): JSX.Element | null {
  const end = endOf(span, time);
  const [from, to] = [Math.max(-1, percentOf(range, span.from)), Math.min(101, percentOf(range, end))];
  if (to < 0 || from > 100 || end < span.from) return null;
  const text = `${visible(span.text)}, ${lengthText(end - span.from)}`;
  return (
    <span
      class={`span span-${span.state}`}
      style={{ left: `${from}%`, width: `max(3px, ${to - from}%)` }}
      title={text}
      role="img"
      aria-label={text}
    />
  );
}

function MarkDot({ mark, range }: { readonly mark: Mark; readonly range: Range }): JSX.Element | null {
  const left = percentOf(range, mark.time);
  if (left < 0 || left > 100) return null;
  const text = visible(mark.text);
  return (
    <span class={`mark mark-${mark.kind}`} style={{ left: `${left}%` }} title={text} role="img" aria-label={text} />
  );
}
