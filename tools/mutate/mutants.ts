/**
 * The mutants of a source file: small changes of what it does, each of which a test should notice.
 *
 * Types, imports and the text of errors are left as they are: no test is meant to notice a change of those.
 *
 * @module
 */
import ts from "typescript";
import type { Random } from "../../src/util/clock.ts";

/** One change of a file. */
export interface Mutant {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** The change in words of the language: `a < b` becomes `a <= b`. */
  readonly change: string;
  readonly start: number;
  readonly end: number;
  /** The text between `start` and `end` in the mutant. */
  readonly replacement: string;
}

/** What an operator becomes: the neighbour at a bound, or the opposite. */
const OPERATORS: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
};
const LOGICAL = [ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken];
const MAX_SHOWN = 60;

/** All mutants of a file, in the order of its text. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const add = (node: ts.Node, replacement: string): void => {
    const [start, end] = [node.getStart(source), node.getEnd()];
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    const change = lostSide(node, replacement) ?? `${shown(text.slice(start, end))} becomes ${shown(replacement)}`;
    mutants.push({ file, line, change, start, end, replacement });
  };
  const visit = (node: ts.Node): void => {
    if (isLeftOut(node)) return;
    for (const replacement of replacementsOf(node)) add(node, replacement);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}

/** The text of a file in which one mutant is. */
export const mutated = (text: string, { start, end, replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end);

/** Some mutants, by chance. */
export function chosen(mutants: readonly Mutant[], most: number, random: Random): Mutant[] {
  const keyed = mutants.map((mutant) => ({ mutant, key: random.next() })).toSorted((a, b) => a.key - b.key);
  return keyed.slice(0, most).map(({ mutant }) => mutant);
}

function shown(text: string): string {
  const flat = text.replaceAll(/\s+/g, " ");
  if (flat === "") return "nothing";
  return `\`${flat.length > MAX_SHOWN ? `${flat.slice(0, MAX_SHOWN)}...` : flat}\``;
}

/** The change of a logical operator that loses one of its sides. */
function lostSide(node: ts.Node, replacement: string): string | undefined {
  if (!ts.isBinaryExpression(node) || !isLogical(node)) return undefined;
  const lost = replacement === node.left.getText() ? node.right : node.left;
  return `${shown(lost.getText())} is left out`;
}

/** Whether nothing below a node is changed. */
const isLeftOut = (node: ts.Node): boolean =>
  ts.isTypeNode(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node) ||
  ts.isThrowStatement(node) ||
  ts.isNewExpression(node);

function replacementsOf(node: ts.Node): string[] {
  if (ts.isBinaryExpression(node)) return ofBinary(node);
  if (isCondition(node)) return [`!(${node.getText()})`];
  if (ts.isExpressionStatement(node)) return isCallOfSuper(node) ? [] : [";"];
  if (ts.isReturnStatement(node)) return returnsNothing(node) ? [] : ["return;"];
  return ofConstant(node);
}

const isLogical = ({ operatorToken }: ts.BinaryExpression): boolean => LOGICAL.includes(operatorToken.kind);

function ofBinary(node: ts.BinaryExpression): string[] {
  const [left, right] = [node.left.getText(), node.right.getText()];
  if (isLogical(node)) return [left, right];
  const operator = OPERATORS[node.operatorToken.getText()];
  return operator === undefined ? [] : [`${left} ${operator} ${right}`];
}

/** Whether a node decides which way the program goes; comparisons have mutants of their own. */
function isCondition(node: ts.Node): boolean {
  const { parent } = node;
  if (parent === undefined || ts.isBinaryExpression(node)) return false;
  if (ts.isIfStatement(parent) || ts.isWhileStatement(parent)) return parent.expression === node;
  return ts.isConditionalExpression(parent) && parent.condition === node;
}

const isCallOfSuper = ({ expression }: ts.ExpressionStatement): boolean =>
  ts.isCallExpression(expression) && expression.expression.kind === ts.SyntaxKind.SuperKeyword;

const returnsNothing = ({ expression }: ts.ReturnStatement): boolean =>
  expression === undefined || expression.getText() === "undefined";

function ofConstant(node: ts.Node): string[] {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return ["false"];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return ["true"];
  if (ts.isNumericLiteral(node)) return [node.text === "0" ? "1" : "0"];
  if (!ts.isStringLiteral(node) || isName(node)) return [];
  return [node.text === "" ? '"mutated"' : '""'];
}

/** Whether a text is the name of a member. */
const isName = (node: ts.StringLiteral): boolean => ts.isPropertyAssignment(node.parent) && node.parent.name === node;
