/**
 * The view of a text with the owner of every line.
 *
 * @module
 */
import { defaultKeymap } from "@codemirror/commands";
import { foldGutter } from "@codemirror/language";
import { EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  WidgetType,
  gutter,
  highlightActiveLine,
  keymap,
} from "@codemirror/view";
import { ageText } from "../ui/age.ts";
import { visible } from "../ui/visible.ts";
import { type CodeView, base } from "./code-base.ts";
import {
  type LegendEntry,
  type LineOwner,
  type OwnedText,
  changedLines,
  foldedFor,
  legendOf,
  ownerText,
} from "./owners.ts";
import { smallestChange } from "./smallest-change.ts";

/** The owners of lines, as {@link ownedView} shows them. */
interface Shown {
  readonly owned: OwnedText;
  readonly legend: ReadonlyMap<string, LegendEntry>;
  readonly now: number;
}

const showOwners = StateEffect.define<Shown>();
const showOnly = StateEffect.define<string | undefined>();
const unfold = StateEffect.define<number>();
const flash = StateEffect.define<readonly number[]>();

const NOBODY: Shown = { owned: { text: "", lines: [] }, legend: new Map(), now: 0 };

const ownersField = StateField.define<Shown>({
  create: () => NOBODY,
  update: (shown, { effects }) => effects.find((effect) => effect.is(showOwners))?.value ?? shown,
});

/** The owners of a line in its gutter. */
class OwnerMarker extends GutterMarker {
  readonly #owner: LineOwner;
  readonly #shown: Shown;

  constructor(owner: LineOwner, shown: Shown) {
    super();
    this.#owner = owner;
    this.#shown = shown;
  }

  override eq(other: OwnerMarker): boolean {
    return other.#owner === this.#owner && other.#shown === this.#shown;
  }

  override toDOM(): Node {
    const { managers, setBy, isContinued, isUnowned } = this.#owner;
    const cell = document.createElement("span");
    cell.className = "owner-cell";
    const add = (className: string, text: string): HTMLElement => {
      const part = document.createElement("span");
      part.className = className;
      part.textContent = text;
      cell.append(part);
      return part;
    };
    cell.title = ownerText(this.#owner, this.#shown.now);
    const [first, ...others] = managers;
    if (!first) {
      if (isContinued) add("owner-name", "");
      else if (setBy) add("owner-name owner-setter", `(${visible(setBy.name)})`);
      else if (isUnowned) add("owner-name owner-nobody", "–");
      return cell;
    }
    for (const { manager } of managers.slice(0, 3)) {
      const entry = this.#shown.legend.get(manager);
      add(`owner-sign owner-${entry?.colour ?? 0}`, entry?.sign ?? "?");
    }
    if (isContinued) return cell;
    add("owner-name", visible(first.manager));
    if (others.length > 0) add("owner-more", `+${others.length}`);
    const time = first.time === undefined ? Number.NaN : Date.parse(first.time);
    add("owner-age", `${first.operation}${Number.isNaN(time) ? "" : ` ${ageText(time, this.#shown.now)}`}`);
    return cell;
  }
}

const ownerGutter = gutter({
  class: "cm-owners",
  lineMarker(view, line) {
    const shown = view.state.field(ownersField);
    const owner = shown.owned.lines[view.state.doc.lineAt(line.from).number - 1];
    return owner ? new OwnerMarker(owner, shown) : null;
  },
  lineMarkerChange: ({ startState, state }) => startState.field(ownersField) !== state.field(ownersField),
});

/** In place of lines that are folded. */
class FoldedLines extends WidgetType {
  readonly #lines: number;
  readonly #from: number;

  constructor(lines: number, from: number) {
    super();
    this.#lines = lines;
    this.#from = from;
  }

  override eq(other: FoldedLines): boolean {
    return other.#lines === this.#lines && other.#from === this.#from;
  }

  override toDOM(view: EditorView): HTMLElement {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "folded-lines";
    button.textContent = `⋯ ${this.#lines} lines of others`;
    button.addEventListener("click", () => view.dispatch({ effects: unfold.of(this.#from) }));
    return button;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

const foldField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(folded, { effects, state, docChanged }) {
    let next = docChanged ? Decoration.none : folded;
    for (const effect of effects) {
      if (effect.is(unfold)) next = next.update({ filter: (from) => from !== effect.value });
      if (!effect.is(showOnly)) continue;
      const { lines } = state.field(ownersField).owned;
      const ranges = effect.value === undefined ? [] : foldedFor(lines, effect.value);
      next = Decoration.set(
        ranges.map(([from, to]) => {
          const start = state.doc.line(from + 1).from;
          const widget = new FoldedLines(to - from, start);
          return Decoration.replace({ widget, block: true }).range(start, state.doc.line(to).to);
        }),
      );
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const CHANGED = Decoration.line({ class: "cm-changed" });
const flashField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { effects, state, docChanged }) {
    for (const effect of effects)
      if (effect.is(flash))
        return RangeSet.of(
          effect.value
            .filter((line) => line < state.doc.lines)
            .map((line) => CHANGED.range(state.doc.line(line + 1).from)),
        );
    return docChanged ? Decoration.none : shown;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const FLASH_MS = 2000;

/** A text with owners. */
export interface OwnedView extends CodeView {
  /** Shows another text; lines that are different flash. Returns the managers of its lines. */
  show(owned: OwnedText, now: number): readonly LegendEntry[];
  /** Folds what this manager does not own; unfolds all without one. */
  only(manager: string | undefined): void;
}

/** Shows a text with the owner of every line. `onLine` is called with the line of the cursor. */
export function ownedView(
  parent: HTMLElement,
  label: string,
  onLine: (owner: LineOwner, line: number) => void,
): OwnedView {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let manager: string | undefined;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        ownersField,
        ownerGutter,
        foldField,
        flashField,
        base(label),
        foldGutter(),
        EditorState.readOnly.of(true),
        // The cursor moves with the keys, and says whose line it is in.
        EditorView.contentAttributes.of({ "aria-readonly": "true", "aria-multiline": "true" }),
        highlightActiveLine(),
        keymap.of(defaultKeymap),
        EditorView.updateListener.of(({ state, selectionSet, docChanged }) => {
          if (!selectionSet && !docChanged) return;
          const { number } = state.doc.lineAt(state.selection.main.head);
          const owner = state.field(ownersField).owned.lines[number - 1];
          if (owner) onLine(owner, number);
        }),
      ],
    }),
  });
  return {
    show(owned, now) {
      const before = view.state.field(ownersField).owned;
      const legend = legendOf(owned.lines);
      const changes = smallestChange(view.state.doc.toString(), owned.text);
      const changed = before.lines.length === 0 ? [] : changedLines(before, owned);
      view.dispatch({
        ...(changes ? { changes } : {}),
        effects: [
          showOwners.of({ owned, legend: new Map(legend.map((entry) => [entry.manager, entry])), now }),
          ...(changed.length > 0 ? [flash.of(changed)] : []),
        ],
      });
      if (manager !== undefined) view.dispatch({ effects: showOnly.of(manager) });
      if (changed.length > 0) {
        clearTimeout(timer);
        timer = setTimeout(() => view.dispatch({ effects: flash.of([]) }), FLASH_MS);
      }
      return legend;
    },
    only(chosen) {
      manager = chosen;
      view.dispatch({ effects: showOnly.of(chosen) });
    },
    focus: () => view.focus(),
    close() {
      clearTimeout(timer);
      view.destroy();
    },
  };
}
