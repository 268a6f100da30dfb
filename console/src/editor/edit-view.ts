/**
 * The view of a text that is edited: proposals, explanations and mistakes by the schema.
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
import { bracketMatching, foldGutter, indentOnInput, indentUnit } from "@codemirror/language";
import { type Diagnostic, forceLinting, lintGutter, lintKeymap, linter } from "@codemirror/lint";
import { highlightSelectionMatches } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, Transaction } from "@codemirror/state";
import { EditorView, highlightActiveLine, hoverTooltip, keymap } from "@codemirror/view";
import { MAX_LENGTH } from "../api/yaml-limits.ts";
import { toast } from "../ui/toast.tsx";
import { type CodeView, base } from "./code-base.ts";
import type { Problem } from "./documents.ts";
import {
  type Explanation,
  type KindSchema,
  type Proposal,
  explain,
  memberProposals,
  valueProposals,
} from "./schema.ts";
import { smallestChange } from "./smallest-change.ts";
import { type Place, placeOf } from "./yaml-place.ts";

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
  /** Whether this is the text. */
  is(text: string): boolean;
  /** Replaces the text; the user can undo that. */
  replace(text: string): void;
  /** Shows what a server says of the text, until it is changed; the cursor moves to the first of them. */
  refuse(problems: readonly Problem[]): void;
  /** Whether the text cannot be changed: it is being written. */
  freeze(frozen: boolean): void;
}

/** What a server says of the text; the linter shows it with what it finds itself. */
const refusals = StateEffect.define<readonly Problem[]>();

/** Milliseconds after the last key before a text is judged. */
const JUDGE_MS = 350;
/** The most proposals of one place. */
const MAX_PROPOSALS = 500;

/** Makes an editor. */
export function editorView(parent: HTMLElement, options: EditorOptions): Editor {
  let refused: readonly Problem[] = [];
  const frozen = new Compartment();
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
          async ({ state: { doc } }) => {
            const found = await options.problems(doc.toString()).catch((): readonly Problem[] => []);
            return [...refused, ...found].map((problem) => diagnosticOf(problem, doc.length));
          },
          {
            delay: JUDGE_MS,
            needsRefresh: ({ transactions }) =>
              transactions.some(({ effects }) => effects.some((effect) => effect.is(refusals))),
          },
        ),
        frozen.of([]),
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
        EditorView.domEventHandlers({
          // The text of files that are dropped is inserted.
          drop({ dataTransfer }) {
            const bytes = [...(dataTransfer?.files ?? [])].reduce((sum, { size }) => sum + size, 0);
            if (bytes <= MAX_LENGTH) return false;
            toast(`Files of at most ${MAX_LENGTH} bytes can be dropped here; these have ${bytes}.`, "bad");
            return true;
          },
        }),
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
    is: (text) => view.state.doc.length === text.length && view.state.doc.toString() === text,
    refuse(problems) {
      refused = problems;
      const [first] = problems;
      if (!first) return;
      const at = Math.min(first.from, view.state.doc.length);
      view.dispatch({
        selection: { anchor: at },
        effects: [refusals.of(problems), EditorView.scrollIntoView(at, { y: "center" })],
      });
      forceLinting(view);
    },
    freeze(isFrozen) {
      view.dispatch({ effects: frozen.reconfigure(isFrozen ? EditorState.readOnly.of(true) : []) });
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
