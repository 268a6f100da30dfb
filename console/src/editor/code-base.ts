/**
 * What every view of text has.
 *
 * @module
 */
import { yaml } from "@codemirror/lang-yaml";
import { foldKeymap, syntaxHighlighting } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import type { Extension } from "@codemirror/state";
import { EditorView, drawSelection, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

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

/** What every view has: its label, colours, line numbers, search and folds. */
export function base(label: string): Extension {
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
