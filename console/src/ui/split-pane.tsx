import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";

/** Two parts side by side with a handle between them, which the pointer drags and arrows move. */
export function SplitPane({
  label,
  first,
  second,
  initial = 50,
}: {
  /** What the handle changes: `Width of the editor`. */
  readonly label: string;
  readonly first: ComponentChildren;
  readonly second: ComponentChildren;
  /** The part of the first one, in percent. */
  readonly initial?: number;
}): JSX.Element {
  const percent = useSignal(initial);
  const root = useRef<HTMLDivElement>(null);
  const set = (value: number): void => {
    percent.value = Math.round(Math.min(85, Math.max(15, value)));
  };
  return (
    <div ref={root} class="split">
      <div class="split-part" style={{ flexBasis: `${percent.value}%` }}>
        {first}
      </div>
      {/* A separator that has a value is a widget that takes the focus (WAI-ARIA, window splitter). */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/no-noninteractive-tabindex */}
      <div
        class="split-handle"
        role="separator"
        aria-orientation="vertical"
        aria-label={label}
        aria-valuenow={percent.value}
        aria-valuemin={15}
        aria-valuemax={85}
        tabIndex={0}
        onKeyDown={(event) => {
          const step = { ArrowLeft: -5, ArrowRight: 5 }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          set(percent.value + step);
        }}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => {
          const box = root.current?.getBoundingClientRect();
          if (box && event.currentTarget.hasPointerCapture(event.pointerId))
            set(((event.clientX - box.left) / box.width) * 100);
        }}
      />
      <div class="split-part split-rest">{second}</div>
    </div>
  );
}
