/**
 * The form of a regular expression: what in it may be repeated, and whether that alone shows that it is linear.
 *
 * A _loop_ is a quantifier that may take its element more than once, and more or less often: `a*`, `a{2,5}`, but not `a?` nor
 * `a{4}`. One with a bound counts as one without: a bound is no excuse for trying 2^60 ways.
 *
 * @module
 */
import { type AST, RegExpParser } from "@eslint-community/regexpp";

type Node = AST.Node;

const parser = new RegExpParser({ ecmaVersion: 2025 });

/** @throws SyntaxError for what is no expression */
export const parse = (source: string, flags: string): AST.Pattern =>
  parser.parsePattern(source, 0, source.length, { unicode: flags.includes("u"), unicodeSets: flags.includes("v") });

function below(node: Node): readonly Node[] {
  if (node.type === "Quantifier") return [node.element];
  if ("alternatives" in node) return node.alternatives;
  return node.type === "Alternative" ? node.elements : [];
}

const some = (node: Node, holds: (node: Node) => boolean): boolean =>
  holds(node) || below(node).some((one) => some(one, holds));

/** How many characters a node matches, where it does so without a choice; NaN where it has one. */
function fixedLength(node: Node): number {
  if (node.type === "Quantifier") return node.min === node.max ? node.min * fixedLength(node.element) : Number.NaN;
  if (node.type === "Group" || node.type === "CapturingGroup") {
    const [only, ...others] = node.alternatives;
    return others.length > 0 ? Number.NaN : only!.elements.reduce((sum, one) => sum + fixedLength(one), 0);
  }
  return ["Character", "CharacterSet", "CharacterClass"].includes(node.type) ? 1 : Number.NaN;
}

/** So many characters are read for each one of a text at most, and count as one. */
const MOST_FIXED = 1000;

const isLoop = (node: Node): node is AST.Quantifier =>
  node.type === "Quantifier" && node.max > 1 && !(fixedLength(node) <= MOST_FIXED);
/** A loop with a bound. */
const isBounded = (node: Node): node is AST.Quantifier => isLoop(node) && Number.isFinite(node.max);
const hasLoop = (node: Node): boolean => some(node, isLoop);

/** Whether a node looks ahead or behind. */
const isLook = (node: Node): node is AST.LookaroundAssertion =>
  node.type === "Assertion" && (node.kind === "lookahead" || node.kind === "lookbehind");

/** Whether an expression is not the same as its relaxed form. */
export const isRelaxed = (pattern: AST.Pattern): boolean => some(pattern, (node) => isLook(node) || isBounded(node));

/** Why nothing can be proven of an expression; undefined where something can be. */
export function obstacle(pattern: AST.Pattern, flags: string): string | undefined {
  if (flags.includes("v")) return "it has the flag v, of whose classes nothing is proven here";
  if (some(pattern, ({ type }) => type === "Backreference"))
    return "it has a backreference, of which nothing is proven";
  if (some(pattern, (node) => isLook(node) && hasLoop(node))) return "it looks ahead or behind with a loop";
  if (some(pattern, (node) => isBounded(node) && isNullable(node.element))) return "it repeats what may be nothing";
  return undefined;
}

/** Whether a node also matches nothing, wherever it stands. */
function isNullable(node: Node): boolean {
  if (node.type === "Quantifier") return node.min === 0 || isNullable(node.element);
  if (node.type === "Group" || node.type === "CapturingGroup") return node.alternatives.some(isNullable);
  return node.type === "Alternative" && node.elements.every(isNullable);
}

/**
 * Whether only what may be left out follows each loop. Then a try that has been around a loop once succeeds, at least as far on
 * as it has come there: no try reads much that it does not match, from wherever it begins. So the expression is linear in
 * every use, also where it is tried at each character of a text.
 */
export const endsInLoops = ({ alternatives }: { readonly alternatives: readonly AST.Alternative[] }): boolean =>
  alternatives.every(({ elements }) => {
    const first = elements.findIndex(hasLoop);
    return first < 0 || (elements.slice(first + 1).every(isNullable) && elements.slice(first).every(isSureInside));
  });

/** The same inside of an element that follows, or is, a loop. */
function isSureInside(node: Node): boolean {
  if (!hasLoop(node)) return true;
  if (node.type === "Group" || node.type === "CapturingGroup") return endsInLoops(node);
  if (node.type !== "Quantifier") return false;
  // Around once is not enough where it has to go around more often.
  return hasLoop(node.element) ? node.min <= 1 && isSureInside(node.element) : true;
}

/**
 * The source with all loops unbounded, and what only looks left out. Whatever way the expression goes, this one may go; but it
 * succeeds where the other one goes on to another way.
 */
export function relaxed(pattern: AST.Pattern): string {
  const text = (node: Node): string => {
    if (isLook(node)) return "(?:)";
    if (isLoop(node)) {
      return `${text(node.element)}${node.min === 0 ? "*" : "+"}${node.greedy ? "" : "?"}`;
    }
    let out = "";
    let at = node.start;
    for (const one of below(node)) {
      out += pattern.raw.slice(at, one.start) + text(one);
      at = one.end;
    }
    return out + pattern.raw.slice(at, node.end);
  };
  return text(pattern);
}
