import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { classes } from "../../ui/basics.tsx";
import { visible } from "../../ui/visible.ts";
import { boxBeside, boxesInView, type Layout, type PlacedBox, SIZES } from "./layout.ts";
import type { Column } from "./item.ts";

const TITLES: Readonly<Record<Column, string>> = {
  drivers: "Drivers",
  classes: "Classes",
  claims: "Claims",
  volumes: "Volumes",
  attachments: "Attachments",
  nodes: "Nodes",
};

const KEYS = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"]);

/** The states in words, for those who do not see colours. */
const STATES = {
  ok: "",
  waits: "waits",
  stuck: "is stuck",
  deleting: "is being deleted",
  free: "is free",
  unknown: "is not read",
} as const;

/** The picture: boxes in columns, and lines of SVG between them. Arrow keys follow the lines. */
export function Picture({
  layout,
  selected,
  onSelect,
}: {
  readonly layout: Layout;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  const seen = useSignal({ top: 0, height: 800 });
  const focused = useRef<string | undefined>(undefined);
  /** The box that takes the focus when it is drawn. */
  const wanted = useRef<string | undefined>(undefined);
  const related = useMemo(() => relatedTo(layout, selected), [layout, selected]);
  const lines = useMemo(() => linesOf(layout, related), [layout, related]);
  const first = layout.boxes.some(({ id }) => id === focused.current) ? focused.current : layout.boxes[0]?.id;
  const drawn = boxesInView(layout, seen.value, [first, wanted.current]);
  useEffect(() => {
    const element = root.current;
    if (!element) return undefined;
    const read = (): void => {
      seen.value = { top: element.scrollTop, height: element.clientHeight };
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const go = (id: string | undefined): void => {
    if (id === undefined) return;
    focused.current = id;
    wanted.current = id;
    // The box is drawn if it was not.
    seen.value = { ...seen.peek() };
  };
  useLayoutEffect(() => {
    const id = wanted.current;
    wanted.current = undefined;
    if (id === undefined) return;
    const boxes = root.current?.querySelectorAll<HTMLElement>("[data-box]") ?? [];
    [...boxes].find(({ dataset }) => dataset["box"] === id)?.focus();
  });
  // A box that was deleted while it had the focus leaves it to none: the next key begins at the first one.
  useEffect(() => {
    if (focused.current !== undefined && !layout.boxes.some(({ id }) => id === focused.current))
      focused.current = undefined;
  }, [layout]);
  return (
    // The boxes are buttons; the group only leads the focus between them.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={root}
      class="picture"
      role="group"
      aria-label="Picture of storage; arrow keys follow the links"
      onScroll={({ currentTarget }) => {
        seen.value = { top: currentTarget.scrollTop, height: currentTarget.clientHeight };
      }}
      onKeyDown={(event) => {
        const id = event.target instanceof HTMLElement ? event.target.dataset["box"] : undefined;
        if (id === undefined || !KEYS.has(event.key)) return;
        event.preventDefault();
        event.stopPropagation();
        go(boxBeside(layout, id, event.key));
      }}
    >
      <div class="picture-space" style={{ width: `${layout.width}px`, height: `${layout.height}px` }}>
        <svg class="picture-lines" width={layout.width} height={layout.height} aria-hidden="true">
          {lines.map(({ className, path }) => (
            <path key={className} d={path} class={className} />
          ))}
        </svg>
        {layout.columns.map(({ column, x, count }) => (
          <h2 key={column} class="picture-column" style={{ left: `${x}px`, width: `${layout.boxWidth}px` }}>
            {TITLES[column]} <span class="soft">{count}</span>
          </h2>
        ))}
        {drawn.map((box) => (
          <Box
            key={box.id}
            box={box}
            width={layout.boxWidth}
            isFirst={box.id === first}
            isSelected={box.id === selected}
            isFaint={related !== undefined && !related.has(box.id)}
            onFocus={() => {
              focused.current = box.id;
            }}
            onSelect={() => onSelect(box.id)}
          />
        ))}
      </div>
    </div>
  );
}

function Box({
  box,
  width,
  isFirst,
  isSelected,
  isFaint,
  onFocus,
  onSelect,
}: {
  readonly box: PlacedBox;
  readonly width: number;
  readonly isFirst: boolean;
  readonly isSelected: boolean;
  readonly isFaint: boolean;
  readonly onFocus: () => void;
  readonly onSelect: () => void;
}): JSX.Element {
  const { x, y, title, detail, state, says, column } = box;
  const text = visible(title);
  return (
    <button
      type="button"
      class={classes(
        "box",
        `box-${state}`,
        box.count > 1 && "box-many",
        isSelected && "box-selected",
        isFaint && "picture-faint",
      )}
      data-box={box.id}
      aria-pressed={isSelected}
      title={says === undefined ? text : `${text}: ${visible(says)}`}
      tabIndex={isFirst ? 0 : -1}
      style={{ left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${SIZES.boxHeight}px` }}
      onFocus={onFocus}
      onClick={onSelect}
    >
      <span class="unseen">{TITLES[column]}: </span>
      <bdi class="box-title">{text}</bdi> <bdi class="box-detail">{visible(detail)}</bdi>
      <span class="unseen">{[" ", STATES[state], says === undefined ? "" : `: ${visible(says)}`].join("")}</span>
    </button>
  );
}

/** The lines that look alike are one path: thousands of elements would hold the page. */
function linesOf(
  { lines }: Layout,
  related: ReadonlySet<string> | undefined,
): readonly { readonly className: string; readonly path: string }[] {
  const alike = Map.groupBy(lines, ({ from, to, isReady, count }) =>
    classes(
      "picture-line",
      !isReady && "picture-line-waits",
      count > 1 && "picture-line-many",
      related && !(related.has(from) && related.has(to)) && "picture-faint",
    ),
  );
  return [...alike].map(([className, some]) => ({ className, path: some.map(({ path }) => path).join("") }));
}

/** The boxes that are linked with the selected one, towards both sides; undefined where none is selected. */
function relatedTo({ lines, boxes }: Layout, selected: string | undefined): ReadonlySet<string> | undefined {
  if (selected === undefined || !boxes.some(({ id }) => id === selected)) return undefined;
  const found = new Set([selected]);
  for (const [from, to] of [
    ["from", "to"],
    ["to", "from"],
  ] as const) {
    const near = Map.groupBy(lines, (line) => line[from]);
    const open = [selected];
    const seen = new Set(open);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      for (const { [to]: next } of near.get(id) ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        found.add(next);
        open.push(next);
      }
    }
  }
  return found;
}
