/**
 * The text of an object with the owners of each line, from a report of ownership.
 *
 * @module
 */
import { blameLines, blameNodes } from "../../../src/meta/blame-tree.ts";
import { UNREPORTED_METADATA } from "../../../src/meta/changes.ts";
import type { BlameReport, ReportedManager, ReportedSetter } from "../../../src/meta/ownership-reports.ts";
import { escapeToken } from "../../../src/value/pointer.ts";
import { equal, isObject, type Value } from "../../../src/value/value.ts";
import type { Steps } from "../../../src/util/steps.ts";
import { ageText } from "../ui/age.ts";
import { visible } from "../ui/visible.ts";

/** The owner of a line: managers, what sets it if it has none, no owner, or the owner of the line before. */
export interface LineOwner {
  /** The JSON pointer of the member or item that begins in the line, or goes on in it. */
  readonly pointer: string;
  readonly managers: readonly ReportedManager[];
  readonly setBy?: ReportedSetter | undefined;
  /** Whether it is a value without an owner. */
  readonly isUnowned: boolean;
  /** Whether the value began in a line before. */
  readonly isContinued: boolean;
}

/** A text with the owners of its lines: as many as the text has lines. */
export interface OwnedText {
  readonly text: string;
  readonly lines: readonly LineOwner[];
}

/** What is left out of a text. */
export interface Hidden {
  /** Whether the status is left out. */
  readonly status?: boolean;
  /** Whether metadata that change with every write are left out, as of reported changes. */
  readonly unreported?: boolean;
}

/** Lines that are made before the caller may do something else. */
const LINES_A_STEP = 200;
/** Values that are read before the caller may do something else. */
const VALUES_A_STEP = 1000;

/** Makes the text of a report in steps of some milliseconds; `managedFields` are never in it. */
export function* ownedText(report: BlameReport, { status = false, unreported = false }: Hidden = {}): Steps<OwnedText> {
  const texts: string[] = [];
  const lines: LineOwner[] = [];
  const metadata = unreported ? UNREPORTED_METADATA : ["managedFields"];
  const hidden = [...metadata.map((name) => `/metadata/${name}`), ...(status ? ["/status"] : [])];
  const root = yield* blameNodes(report);
  let left = LINES_A_STEP;
  for (const { text, pointer, managers, isUnowned, setBy } of blameLines(root)) {
    if (hidden.some((one) => isBelow(pointer, one))) continue;
    texts.push(text);
    const rows = text.split("\n").length;
    for (let row = 0; row < rows; row++) lines.push({ pointer, managers, setBy, isUnowned, isContinued: row > 0 });
    left -= rows;
    if (left > 0) continue;
    left = LINES_A_STEP;
    yield;
  }
  return { text: texts.length === 0 ? "" : `${texts.join("\n")}\n`, lines };
}

const isBelow = (pointer: string, parent: string): boolean =>
  pointer.startsWith(parent) && (pointer.length === parent.length || pointer[parent.length] === "/");

/** Makes a report of an object whose owners are unknown, in steps: of a version of the past, or of a server that does not say them. */
export function* withoutOwners(object: Value, report: BlameReport["object"]): Steps<BlameReport> {
  const leaves: BlameReport["leaves"][number][] = [];
  const containers: BlameReport["containers"][number][] = [];
  const open: { readonly value: Value; readonly pointer: string }[] = [{ value: object, pointer: "" }];
  for (let left = VALUES_A_STEP; ; left--) {
    const next = open.pop();
    if (!next) break;
    if (left === 0) {
      left = VALUES_A_STEP;
      yield;
    }
    const { value, pointer } = next;
    const members: (readonly [string | number, Value])[] = Array.isArray(value)
      ? [...value.entries()]
      : isObject(value)
        ? Object.entries(value)
        : [];
    if (members.length === 0) {
      leaves.push({ field: pointer, pointer, value, managers: [] });
      continue;
    }
    if (pointer !== "") containers.push({ field: pointer, pointer, list: Array.isArray(value), managers: [] });
    for (const [key, member] of members.reverse())
      open.push({ value: member, pointer: `${pointer}/${escapeToken(String(key))}` });
  }
  return { kind: "Blame", apiVersion: "keelson.dev/v1", object: report, leaves, containers, absent: [] };
}

/** Makes the text of an object without owners, in steps. */
export function* plainText(object: Value, hidden: Hidden = {}): Steps<string> {
  const report = yield* withoutOwners(object, { apiVersion: "", kind: "", name: "" });
  return (yield* ownedText(report, hidden)).text;
}

/** A manager in the legend: its sign and its colour, and how many lines it owns. */
export interface LegendEntry {
  readonly manager: string;
  /** `A` for the first one, so that users need not distinguish colours. */
  readonly sign: string;
  /** From 0 on; colours are used again. */
  readonly colour: number;
  readonly lines: number;
  readonly operations: readonly string[];
}

/** How many colours there are. */
export const COLOURS = 8;

/** The managers of a text, in the order of their first lines. */
export function legendOf(lines: readonly LineOwner[]): LegendEntry[] {
  const found = new Map<string, { lines: number; readonly operations: Set<string> }>();
  for (const { managers } of lines)
    for (const { manager, operation, subresource } of managers) {
      const entry = found.get(manager) ?? { lines: 0, operations: new Set<string>() };
      found.set(manager, entry);
      entry.lines++;
      entry.operations.add(subresource ? `${operation} ${subresource}` : operation);
    }
  return [...found].map(([manager, { lines: count, operations }], index) => ({
    manager,
    sign: signOf(index),
    colour: index % COLOURS,
    lines: count,
    operations: [...operations],
  }));
}

/** `A` to `Z`, then `AA`. */
function signOf(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : signOf(Math.floor(index / 26) - 1) + letter;
}

/** Ranges of lines (from 0, the end is not in it) that a manager does not own, longer than one line: what is folded to see only its lines. */
export function foldedFor(lines: readonly LineOwner[], manager: string): (readonly [from: number, to: number])[] {
  const kept = new Set<number>();
  const parents = new Set<string>();
  // From the end, so that what contains an owned line is known when it is met.
  for (let at = lines.length - 1; at >= 0; at--) {
    const { pointer, managers } = lines[at]!;
    if (!managers.some((one) => one.manager === manager) && !parents.has(pointer)) continue;
    kept.add(at);
    for (let end = pointer.lastIndexOf("/"); end > 0; end = pointer.lastIndexOf("/", end - 1)) {
      const parent = pointer.slice(0, end);
      if (parents.has(parent)) break;
      parents.add(parent);
    }
  }
  const folded: [number, number][] = [];
  let from = 0;
  for (let at = 0; at <= lines.length; at++) {
    if (at < lines.length && !kept.has(at)) continue;
    if (at - from > 1) folded.push([from, at]);
    from = at + 1;
  }
  return folded;
}

/** The lines (from 0) of a new text that an old one did not have at the same place of the object. */
export function changedLines(before: OwnedText, after: OwnedText): number[] {
  const old = new Map<string, string>();
  const texts = before.text.split("\n");
  for (const [at, { pointer }] of before.lines.entries())
    old.set(pointer, `${old.get(pointer) ?? ""}${texts[at]?.trimStart() ?? ""}\n`);
  const changed: number[] = [];
  const now = after.text.split("\n");
  for (let at = 0; at < after.lines.length;) {
    const { pointer } = after.lines[at]!;
    let text = "";
    let end = at;
    for (; end < after.lines.length && after.lines[end]!.pointer === pointer; end++)
      text += `${now[end]?.trimStart() ?? ""}\n`;
    // The first member of an item stands in its line: its dash may come and go.
    if (old.get(pointer)?.replace(/^(?:- )+/, "") !== text.replace(/^(?:- )+/, ""))
      for (let line = at; line < end; line++) changed.push(line);
    at = end;
  }
  return changed;
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

/**
 * Whether the values of two reports differ, without those that every write changes, and without the status if that is hidden.
 */
export function isChanged(before: BlameReport, after: BlameReport, { status = false }: Hidden = {}): boolean {
  const ignored = status ? [...EVERY_WRITE, "/status"] : EVERY_WRITE;
  const isCompared = ({ pointer }: { readonly pointer: string }): boolean =>
    !ignored.some((one) => isBelow(pointer, one));
  const old = new Map<string, Value>();
  for (const leaf of before.leaves) if (isCompared(leaf)) old.set(leaf.pointer, leaf.value);
  let same = 0;
  for (const leaf of after.leaves) {
    if (!isCompared(leaf)) continue;
    const was = old.get(leaf.pointer);
    if (was === undefined || !equal(was, leaf.value)) return true;
    same++;
  }
  return same !== old.size;
}

const EVERY_WRITE = [...UNREPORTED_METADATA, "generation"].map((name) => `/metadata/${name}`);
