import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { theme } from "../../state/preferences.ts";
import { shortNumber } from "../../ui/bytes.ts";
import type { Figures } from "./figures.ts";

/** A line of a {@link Plot}. */
export interface PlotLine {
  readonly figure: keyof Figures;
  readonly label: string;
  /** A custom property of colour. */
  readonly colour: string;
}

const HEIGHT = 120;
/** The time that a plot shows. */
const SECONDS = 120;
/** Steps of axes of bytes: 1, 2 and 5 of each power of 1024. */
const BINARY = Array.from({ length: 6 }, (_, power) =>
  [1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((step) => step * 1024 ** power),
).flat();

const endingAt = (end: number): [number, number] => [end - SECONDS, end];

/** The minute and second that a clock here shows. */
const timeText = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** The colour of a custom property as the canvas takes it; `light-dark()` is resolved for the theme of the element. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Lines over the last two minutes. What they are now stands beside the plot as text, so that the canvas is no content. */
export default function Plot({
  lines,
  columns,
  format = shortNumber,
  isBinary = false,
}: {
  readonly lines: readonly PlotLine[];
  /** Times in seconds, then the values of each line. */
  readonly columns: readonly (readonly (number | null)[])[];
  readonly format?: (value: number) => string;
  /** Whether the values are bytes. */
  readonly isBinary?: boolean;
}): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const data = useRef(columns);
  data.current = columns;
  useEffect(() => {
    const element = root.current;
    if (!element) return undefined;
    const make = (): void => {
      plot.current?.destroy();
      const [soft, grid] = [colourOf(element, "--ink-soft"), colourOf(element, "--border")];
      const axis = { stroke: soft, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font: "11px sans-serif" };
      plot.current = new uPlot(
        {
          width: Math.max(120, element.clientWidth),
          height: HEIGHT,
          legend: { show: false },
          cursor: { show: false },
          scales: {
            // Before the first reading it ends now.
            x: { range: (_, _least, most) => endingAt(data.current[0]?.length ? most : Date.now() / 1000) },
            y: { range: (_, _least, most) => [0, most > 0 ? most * 1.1 : 1] },
          },
          axes: [
            { ...axis, size: 24, space: 60, incrs: [10, 15, 30, 60], values: (_, ticks) => ticks.map(timeText) },
            {
              ...axis,
              size: 60,
              space: 28,
              ...(isBinary ? { incrs: BINARY } : {}),
              values: (_, ticks) => ticks.map(format),
            },
          ],
          series: [
            {},
            ...lines.map(({ label, colour }) => ({
              label,
              stroke: colourOf(element, colour),
              width: 1.5,
              points: { show: false },
            })),
          ],
        },
        data.current as uPlot.AlignedData,
        element,
      );
    };
    const stop = effect(() => {
      void theme.value;
      // The theme is on the page after the effects of its signal.
      queueMicrotask(make);
    });
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", make);
    const resized = new ResizeObserver(() => {
      plot.current?.setSize({ width: Math.max(120, element.clientWidth), height: HEIGHT });
    });
    resized.observe(element);
    return () => {
      stop();
      scheme.removeEventListener("change", make);
      resized.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, []);
  useEffect(() => plot.current?.setData(columns as uPlot.AlignedData), [columns]);
  return <div ref={root} class="plot" aria-hidden="true" />;
}
