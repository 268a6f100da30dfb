/**
 * The place of a cursor in a YAML text: which member of the object it is in. The text need not be complete, so the lines are read
 * by their indentation, upwards from the cursor.
 *
 * @module
 */

/** The place of a cursor. */
export interface Place {
  /** Names of members and positions in lists, down to the container that the cursor is in. */
  readonly path: readonly (string | number)[];
  /** The member whose name or value the cursor is in; absent where a name has not begun. */
  readonly key?: string;
  /** Whether the cursor stands in the name of a member, or where one may begin; else in a value. */
  readonly at: "key" | "value";
  /** Where the name or value begins, as a column of the line. */
  readonly from: number;
  /** Whether the cursor stands in the text of a block, a comment or an item that is no map. */
  readonly isText: boolean;
}

/** A part of a line: the dash of an item, or a member. */
interface Part {
  readonly column: number;
  /** Absent for a dash. */
  readonly key?: string;
  /** Where the value begins; for a dash what is behind it. */
  readonly value: number;
}

/** The most lines above the cursor that are read. */
const MAX_LINES = 50_000;

/** The place of a column in a line (both from 0); `lineAt` returns the text of a line. */
export function placeOf(lineAt: (line: number) => string, line: number, column: number): Place {
  const text = lineAt(line);
  const parts = partsOf(text);
  const before = parts.findLastIndex((part) => part.column <= column);
  const part = parts[before];
  const inner = parts.slice(0, before + 1);
  const comment = /(?:^|\s)#/.exec(text);
  let isText = comment !== null && column > comment.index;
  const blank = text.trim() === "" || part === undefined;
  const start = blank ? Math.min(column, text.length) : part.column;
  if (part?.key === undefined) {
    // Behind a dash, or in a line without anything: a name begins here.
    const from = part ? part.value : wordStart(text, column);
    const around = ancestors(lineAt, line, part ? inner : [], part ? from : Math.min(start, from));
    isText ||= around.isText;
    return { path: around.path, at: "key", from, isText };
  }
  const around = ancestors(lineAt, line, inner.slice(0, -1), part.column);
  const isKey = column < part.value;
  return {
    path: around.path,
    key: part.key,
    at: isKey ? "key" : "value",
    from: isKey ? part.column : part.value,
    isText: isText || around.isText,
  };
}

const wordStart = (text: string, column: number): number => {
  let from = Math.min(column, text.length);
  while (from > 0 && /\S/.test(text[from - 1]!)) from--;
  return from;
};

/** The containers of what begins at a column behind `inner`, the parts before it in its line. */
function ancestors(
  lineAt: (line: number) => string,
  line: number,
  inner: readonly Part[],
  column: number,
): { readonly path: (string | number)[]; readonly isText: boolean } {
  const path: (string | number)[] = [];
  let isText = false;
  let limit = column;
  /** Whether the innermost container so far is an item whose position is counted. */
  let item = false;
  let index = 0;
  let isDirect = true;
  const enter = (part: Part, text: string): void => {
    if (part.key === undefined) {
      if (item) path.unshift(index);
      item = true;
      index = 0;
    } else {
      if (item) path.unshift(index);
      item = false;
      if (isDirect && /^[|>][-+0-9]*\s*(?:#.*)?$/.test(text.slice(part.value))) isText = true;
      path.unshift(part.key);
    }
    isDirect = false;
    limit = part.column;
  };
  for (const part of inner.toReversed()) enter(part, "");
  const end = Math.max(0, line - MAX_LINES);
  for (let at = line - 1; at >= end && (limit > 0 || item); at--) {
    const text = lineAt(at);
    const indent = text.search(/\S/);
    // Members beside what is looked for, and what is in them; there may be many thousand.
    if (indent > limit || (indent === limit && !item)) continue;
    if (/^\s*(?:#|$)/.test(text)) continue;
    if (/^(?:---|\.\.\.)(?:\s|$)/.test(text)) break;
    for (const part of partsOf(text).toReversed()) {
      if (part.column < limit) enter(part, text);
      else if (part.column === limit && item && part.key === undefined) index++;
      // A list may begin in the column of its member.
      else if (part.column === limit && item) enter(part, text);
    }
  }
  if (item) path.unshift(index);
  return { path, isText };
}

const KEY = /^(?:"((?:[^"\\]|\\.)*)"\s*|'((?:[^']|'')*)'\s*|([^\s#"'{[&*!|>%@`?,-][^#:]*|[-?][^\s#:][^#:]*)):(?=\s|$)/;

/** The parts of a line, from left to right. */
function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let at = text.length - text.trimStart().length;
  for (;;) {
    const dash = /^-(?:\s+|$)/.exec(text.slice(at, at + 200));
    if (!dash) break;
    parts.push({ column: at, value: at + dash[0].length });
    at += dash[0].length;
  }
  // Names are short; what is longer is a text.
  const key = KEY.exec(text.slice(at, at + 600));
  if (!key) return parts;
  const name = key[1] === undefined ? (key[2]?.replaceAll("''", "'") ?? key[3]?.trimEnd() ?? "") : unescaped(key[1]);
  const behind = text.slice(at + key[0].length);
  const value = at + key[0].length + (behind.length - behind.trimStart().length);
  parts.push({ column: at, key: name, value: behind === "" ? at + key[0].length + 1 : value });
  return parts;
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
