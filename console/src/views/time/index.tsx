import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { CONSOLE_MOMENTS_PATH, type ConsoleMoments, type Moment } from "../../../../src/meta/console-protocol.ts";
import { kinds } from "../../api/discovery.ts";
import { ApiFailure, request } from "../../api/http.ts";
import { moment } from "../../state/moment.ts";
import { route } from "../../state/route.ts";
import { Button, Text } from "../../ui/basics.tsx";
import { timeText } from "../../ui/time-text.ts";
import {
  barsOf,
  Chooser,
  listParameters,
  positionAt,
  positionOf,
  shareOf,
  stepped,
  stepsOfKey,
  type Strip,
  stripOf,
} from "./model.ts";
import "./time.css";

/** What the server can show is asked again after this time, so that the strip grows. */
const REFRESH_MS = 5000;
/** A step of playing. */
const PLAY_MS = 500;

const momentAt = (time: number, strip: Strip): string => (strip.unit === "time" ? timeText(time) : `revision ${time}`);

const askMoments = (time: string, signal?: AbortSignal): Promise<ConsoleMoments> =>
  request<ConsoleMoments>(CONSOLE_MOMENTS_PATH, {
    query: { ...listParameters(route.peek(), kinds.peek()), ...(time === "" ? {} : { time }) },
    ...(signal ? { signal } : {}),
  });

/** The strip below the view that chooses the moment: the writes over the time, a slider, and what plays it. */
export default function TimeStrip({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const known = useSignal<ConsoleMoments | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  const isPlaying = useSignal(false);
  // Where the pointer or a key stands before the server has found the moment.
  const aimed = useSignal<number | undefined>(undefined);
  useEffect(() => {
    const aborter = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      try {
        if (document.visibilityState === "visible" || !known.peek()) {
          known.value = await askMoments("", aborter.signal);
          failure.value = undefined;
        }
      } catch (error) {
        if (aborter.signal.aborted) return;
        failure.value = textOf(error);
      }
      timer = setTimeout(() => void read(), REFRESH_MS);
    };
    void read();
    return () => {
      aborter.abort();
      clearTimeout(timer);
    };
  }, []);
  const strip = useMemo(() => known.value && stripOf(known.value), [known.value]);
  const unit = strip?.unit ?? "time";
  const chooser = useMemo(
    () =>
      new Chooser(
        async (position) => {
          if (unit === "revision") return { resourceVersion: String(position), time: "" };
          const time = new Date(position).toISOString();
          const before = moment.peek();
          const { found, oldest } = await askMoments(time);
          // Meanwhile the user may have gone back to now, or along a link.
          if (moment.peek() !== before) return undefined;
          return found ? shownAt(found, time) : oldest;
        },
        (next) => {
          moment.value = next;
        },
      ),
    [unit],
  );
  const choose = (position: number | undefined): void => {
    aimed.value = position;
    const end = (error?: unknown): void => {
      aimed.value = undefined;
      failure.value = error === undefined ? undefined : textOf(error);
      if (error !== undefined) isPlaying.value = false;
    };
    chooser.choose(position).then(() => end(), end);
  };
  const position = strip ? (aimed.value ?? positionOf(strip, moment.value)) : 0;
  const latest = useRef({ strip, position });
  latest.current = { strip, position };
  useEffect(() => {
    if (!isPlaying.value) return undefined;
    const timer = setInterval(() => {
      const { strip: all, position: from } = latest.current;
      if (!all) return;
      const next = stepped(all, from, 1);
      if (next === undefined) isPlaying.value = false;
      choose(next);
    }, PLAY_MS);
    return () => clearInterval(timer);
  }, [isPlaying.value]);
  const isNow = moment.value === undefined && aimed.value === undefined;
  return (
    <section class="time-strip" aria-label="Time" aria-busy={aimed.value !== undefined}>
      <div class="row">
        <Button
          disabled={!strip}
          onClick={() => {
            if (!strip) return;
            // From now there is nothing to play: it begins at the first moment.
            if (!isPlaying.value && isNow) choose(strip.from);
            isPlaying.value = !isPlaying.value;
          }}
        >
          {isPlaying.value ? "Pause" : "Play"}
        </Button>
        <Button
          disabled={isNow}
          onClick={() => {
            isPlaying.value = false;
            choose(undefined);
          }}
        >
          Now
        </Button>
      </div>
      <div class="time-middle">
        {strip ? (
          <Slider
            strip={strip}
            position={position}
            isNow={isNow}
            onChoose={(next) => {
              isPlaying.value = false;
              choose(next);
            }}
          />
        ) : (
          <p class="soft">{failure.value === undefined ? "Asking the server which moments it has…" : ""}</p>
        )}
        {failure.value === undefined ? undefined : (
          <p class="time-failure" role="alert">
            <Text value={failure.value} />
          </p>
        )}
      </div>
      <span class="time-text">{strip ? (isNow ? "now" : momentAt(position, strip)) : ""}</span>
      <Button
        kind="quiet"
        aria-label="Close the time strip, and show now"
        onClick={() => {
          isPlaying.value = false;
          moment.value = undefined;
          onClose();
        }}
      >
        ✕
      </Button>
    </section>
  );
}

/** The moment that was found stands where it was asked for, so that steps go on where nothing was written for long. */
const shownAt = (found: Moment, time: string): Moment => ({ ...found, time });

const textOf = (error: unknown): string =>
  error instanceof ApiFailure ? (error.status.message ?? `the server responded with ${error.code}`) : String(error);

function Slider({
  strip,
  position,
  isNow,
  onChoose,
}: {
  readonly strip: Strip;
  readonly position: number;
  readonly isNow: boolean;
  readonly onChoose: (position: number | undefined) => void;
}): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  const bars = useMemo(() => barsOf(strip), [strip]);
  const share = Math.min(1, Math.max(0, shareOf(strip, position)));
  const choose = (clientX: number): void => {
    const box = root.current?.getBoundingClientRect();
    if (!box) return;
    const at = (clientX - box.left) / Math.max(1, box.width);
    onChoose(at >= 0.995 ? undefined : positionAt(strip, at));
  };
  return (
    <div
      ref={root}
      class="slider"
      role="slider"
      tabIndex={0}
      aria-label="Moment that is shown"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      aria-valuetext={isNow ? "now" : momentAt(position, strip)}
      onKeyDown={(event) => {
        const steps = stepsOfKey(event.key, event.shiftKey);
        if (steps === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        onChoose(stepped(strip, position, steps));
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        choose(event.clientX);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) choose(event.clientX);
      }}
    >
      <svg class="bars" viewBox={`0 0 ${Math.max(1, bars.length)} 1`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map((height, i) =>
          height === 0 ? undefined : <rect key={i} x={i} y={1 - height} width={0.9} height={height} />,
        )}
      </svg>
      <span class="slider-past" style={{ width: `${share * 100}%` }} />
      <span class="slider-handle" style={{ left: `${share * 100}%` }} />
    </div>
  );
}
