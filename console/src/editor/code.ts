/**
 * Views of text: with owners, for editing, and of differences. It is loaded when the first one is shown.
 *
 * @module
 */
import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Diagnostic, forceLinting, lintGutter, lintKeymap, linter } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, RangeSet, StateEffect, StateField, Transaction } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  WidgetType,
  drawSelection,
  gutter,
  highlightActiveLine,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { ageText } from "../ui/age.ts";
import { visible } from "../ui/visible.ts";
import type { Problem } from "./documents.ts";
import { type LegendEntry, type LineOwner, type OwnedText, changedLines, foldedFor, legendOf } from "./owners.ts";
import {
  type Explanation,
  type KindSchema,
  type Proposal,
  explain,
  memberProposals,
  valueProposals,
} from "./schema.ts";
import { type Place, placeOf } from "./yaml-place.ts";

/** A view that its maker closes. */
export interface CodeView {
  focus(): void;
  close(): void;
}

/** The nonce that the server has put into the page, for the styles of the editor. */
const nonce = (): string => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";

/** Invisible characters, in addition to those that the editor shows anyway. */
const UNSEEN =
  /\u034f|\u17b4|\u17b5|[\u061c\u115f\u1160\u202a-\u202c\u2060-\u2068\u206a-\u206f\u3164\uffa0]|\p{Variation_Selector}/gu;

/** What every view has. */
function base(label: string): Extension {
  return [
    EditorView.cspNonce.of(nonce()),
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off" }),
    EditorView.perLineTextDirection.of(false),
    highlightSpecialChars({ addSpecialChars: UNSEEN }),
    drawSelection(),
    yaml(),
    syntaxHighlighting(classHighlighter),
    lineNumbers(),
    search({ top: true }),
    keymap.of([...searchKeymap, ...foldKeymap]),
  ];
}

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

/** Who owns a line, in words. */
export function ownerText({ managers, setBy, isUnowned }: LineOwner, now: number): string {
  if (managers.length === 0) {
    if (setBy) return `no owner; ${visible(setBy.name)} of ${visible(setBy.source)} sets it`;
    return isUnowned ? "no owner" : "its presence has no owner; see its members";
  }
  const words = managers.map(({ manager, operation, subresource, time }) => {
    const then = time === undefined ? Number.NaN : Date.parse(time);
    const age = Number.isNaN(then) ? "" : `, ${ageText(then, now)} ago`;
    return `${visible(manager)} (${operation}${subresource ? ` ${visible(subresource)}` : ""}${age})`;
  });
  return `owned by ${words.join(", ")}`;
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

/** The change from one text to another, without what both begin and end with, so that the cursor and the view stay. */
function smallestChange(before: string, after: string): { from: number; to: number; insert: string } | undefined {
  if (before === after) return undefined;
  let from = 0;
  const shorter = Math.min(before.length, after.length);
  while (from < shorter && before.charCodeAt(from) === after.charCodeAt(from)) from++;
  let end = 0;
  while (
    end < shorter - from &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

/** What an editor asks of its maker. */
export interface EditorOptions {
  readonly label: string;
  readonly text: string;
  /** The schema of the document at an offset; undefined while it is not known. */
  readonly schemaAt: (offset: number) => KindSchema | undefined;
  /** What is wrong with a text; asked some time after the last key. */
  readonly problems: (text: string) => Promise<readonly Problem[]>;
  /** Called after each change. */
  readonly onChange: () => void;
  /** Called with what the cursor stands in. */
  readonly onPlace: (explanation: Explanation | undefined) => void;
  /** Called for Ctrl-Enter. */
  readonly onTry: () => void;
}

/** A text that is edited. */
export interface Editor extends CodeView {
  text(): string;
  /** Replaces the text; the user can undo that. */
  replace(text: string): void;
  /** Shows what a server says of the text, until it is changed. */
  refuse(problems: readonly Problem[]): void;
  /** Moves the cursor to an offset, and shows it. */
  goTo(offset: number): void;
}

/** Milliseconds after the last key before a text is judged. */
const JUDGE_MS = 350;
/** The most proposals of one place. */
const MAX_PROPOSALS = 500;

/** Makes an editor. */
export function editorView(parent: HTMLElement, options: EditorOptions): Editor {
  let refused: readonly Problem[] = [];
  const place = (state: EditorState, offset: number): Place => {
    const line = state.doc.lineAt(offset);
    return placeOf((number) => state.doc.line(number + 1).text, line.number - 1, offset - line.from);
  };
  const explainAt = (state: EditorState, offset: number): Explanation | undefined => {
    const schema = options.schemaAt(offset);
    if (!schema) return undefined;
    const { path, key, isText } = place(state, offset);
    return isText && key === undefined ? undefined : explain(schema, key === undefined ? path : [...path, key]);
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        base(options.label),
        history(),
        foldGutter(),
        indentOnInput(),
        indentUnit.of("  "),
        EditorState.tabSize.of(2),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        autocompletion({
          override: [(context) => proposalsAt(context, options.schemaAt, place)],
          icons: false,
          maxRenderedOptions: 100,
        }),
        lintGutter(),
        linter(
          async ({ state }) => {
            const doc = state.doc;
            const found = await options.problems(doc.toString()).catch((): readonly Problem[] => []);
            return [...refused, ...found].map((problem) => diagnosticOf(problem, doc.length));
          },
          { delay: JUDGE_MS },
        ),
        hoverTooltip((_view, offset) => {
          const found = explainAt(view.state, offset);
          if (!found) return null;
          return { pos: offset, above: true, create: () => ({ dom: explanationDom(found) }) };
        }),
        keymap.of([
          {
            key: "Mod-Enter",
            run() {
              options.onTry();
              return true;
            },
          },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of(({ state, docChanged, selectionSet }) => {
          if (docChanged) {
            refused = [];
            options.onChange();
          }
          if (docChanged || selectionSet) options.onPlace(explainAt(state, state.selection.main.head));
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace(text) {
      const changes = smallestChange(view.state.doc.toString(), text);
      if (changes) view.dispatch({ changes, annotations: Transaction.userEvent.of("input.replace") });
    },
    refuse(problems) {
      refused = problems;
      forceLinting(view);
      const [first] = problems;
      if (first) this.goTo(first.from);
    },
    goTo(offset) {
      const at = Math.min(offset, view.state.doc.length);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    },
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}

const diagnosticOf = ({ from, to, severity, message }: Problem, length: number): Diagnostic => ({
  from: Math.min(from, length),
  to: Math.min(to, length),
  severity,
  message,
});

function proposalsAt(
  { state, pos, explicit }: CompletionContext,
  schemaAt: EditorOptions["schemaAt"],
  place: (state: EditorState, offset: number) => Place,
): CompletionResult | null {
  const schema = schemaAt(pos);
  if (!schema) return null;
  const line = state.doc.lineAt(pos);
  const { path, key, at, from, isText } = place(state, pos);
  if (isText) return null;
  const start = line.from + Math.min(from, pos - line.from);
  if (!explicit && start === pos && at === "key") return null;
  const proposals: readonly Proposal[] =
    at === "key"
      ? memberProposals(schema, path, from)
      : valueProposals(schema, key === undefined ? path : [...path, key]);
  if (proposals.length === 0) return null;
  // A name that has its colon already is replaced without another one.
  const rest = line.text.slice(pos - line.from);
  const hasColon = at === "key" && /^[\w-]*:/.test(rest);
  const options = proposals.slice(0, MAX_PROPOSALS).map(({ label, detail, info, required, insert }): Completion => ({
    label,
    detail: required ? `${detail}, required` : detail,
    ...(info === "" ? {} : { info: () => textDom(info, "proposal-info") }),
    apply: hasColon ? label : insert,
    boost: required ? 10 : 0,
  }));
  return {
    from: start,
    to: hasColon ? pos + /^[\w-]*/.exec(rest)![0].length : pos,
    options,
    validFor: /^[\w.-]*$/,
  };
}

function textDom(text: string, className: string): HTMLElement {
  const element = document.createElement("div");
  element.className = className;
  element.textContent = text;
  return element;
}

function explanationDom({ field, type, required, description }: Explanation): HTMLElement {
  const element = document.createElement("div");
  element.className = "explain-tip";
  element.append(
    textDom(`${field}: ${type}${required ? ", required" : ""}`, "explain-field"),
    textDom(description.length > 600 ? `${description.slice(0, 600)}…` : description, "explain-text"),
  );
  return element;
}
