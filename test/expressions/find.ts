/**
 * The regular expressions in the text of a module: literals, and those that are made of texts which stand in the same module.
 *
 * @module
 */
import ts from "typescript";
import type { Expression } from "./judge.ts";

/** An expression, and where it stands. */
export interface FoundExpression extends Expression {
  /** `src/a.ts:12` */
  readonly place: string;
  /** The constant that it is the value of. */
  readonly name?: string;
  /** Whether it is tried again and again whatever its flags are: it says where to split. */
  readonly splits?: boolean;
}

/** What is in a module. */
export interface Findings {
  readonly expressions: readonly FoundExpression[];
  /** Names by which a text is split: constants, if they are expressions. */
  readonly splitters: ReadonlySet<string>;
  /** Names that are matched with. */
  readonly matchers: readonly { readonly name: string; readonly place: string }[];
  /** What may make expressions that cannot be seen. */
  readonly hidden: readonly string[];
}

/** Methods of texts that make an expression of an argument that is none. */
const MAKERS: ReadonlySet<string> = new Set(["match", "matchAll", "search"]);

/** Finds all expressions of a module. @param path as it is to be told */
export function findExpressions(path: string, text: string): Findings {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return new Finder(file).findings();
}

class Finder {
  readonly #file: ts.SourceFile;
  readonly #constants = new Map<string, ts.Expression>();
  readonly #expressions: FoundExpression[] = [];
  readonly #splitters = new Set<string>();
  readonly #matchers: { name: string; place: string }[] = [];
  readonly #hidden: string[] = [];

  constructor(file: ts.SourceFile) {
    this.#file = file;
    for (const statement of file.statements) {
      if (!ts.isVariableStatement(statement) || !(statement.declarationList.flags & ts.NodeFlags.Const)) continue;
      for (const { name, initializer } of statement.declarationList.declarations) {
        if (ts.isIdentifier(name) && initializer) this.#constants.set(name.text, initializer);
      }
    }
  }

  findings(): Findings {
    this.#visit(this.#file);
    return {
      expressions: this.#expressions,
      splitters: this.#splitters,
      matchers: this.#matchers,
      hidden: this.#hidden,
    };
  }

  #visit(node: ts.Node): void {
    if (ts.isRegularExpressionLiteral(node)) this.#add(node, partsOf(node.text));
    else if (ts.isIdentifier(node) && node.text === "RegExp") this.#construction(node);
    else if (ts.isStringLiteralLike(node) && node.text === "RegExp") this.#hide(node, "RegExp by its name");
    else if (ts.isCallExpression(node)) this.#call(node);
    ts.forEachChild(node, (one) => this.#visit(one));
  }

  #place(node: ts.Node): string {
    const { line } = this.#file.getLineAndCharacterOfPosition(node.getStart(this.#file));
    return `${this.#file.fileName}:${line + 1}`;
  }

  #hide(node: ts.Node, what: string): void {
    this.#hidden.push(`${this.#place(node)} ${what}: ${node.parent.getText(this.#file).slice(0, 100)}`);
  }

  #add(node: ts.Expression, expression: Expression): void {
    const { parent } = node;
    const isNamed =
      (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)) &&
      "text" in parent.name;
    const splits = ts.isCallExpression(parent) && parent.arguments[0] === node && methodOf(parent) === "split";
    this.#expressions.push({
      ...expression,
      place: this.#place(node),
      ...(isNamed ? { name: parent.name.text } : {}),
      ...(splits ? { splits } : {}),
    });
  }

  /** `RegExp` is called, or a type, or what something is an instance of. */
  #construction(node: ts.Identifier): void {
    const { parent } = node;
    if (ts.isTypeReferenceNode(parent) && parent.typeName === node) return;
    if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword) return;
    const isCall = (ts.isNewExpression(parent) || ts.isCallExpression(parent)) && parent.expression === node;
    if (!isCall) return this.#hide(node, "RegExp that is not called");
    const [source, flags] = parent.arguments ?? [];
    const texts = [source && this.#textOf(source), flags === undefined ? "" : this.#textOf(flags)];
    if (texts[0] === undefined || texts[1] === undefined) this.#hide(node, "an expression of what is not known here");
    else this.#add(parent, { source: texts[0], flags: texts[1] });
  }

  #call(node: ts.CallExpression): void {
    const method = methodOf(node);
    const [argument] = node.arguments;
    if (method === undefined || !argument) return;
    const name = nameOf(argument);
    if (method === "split" && name !== undefined) this.#splitters.add(name);
    if (!MAKERS.has(method) || ts.isRegularExpressionLiteral(argument)) return;
    if (name === undefined) this.#hide(argument, `${method} with what may be no expression`);
    else this.#matchers.push({ name, place: this.#place(node) });
  }

  /** The text that an expression of the language is; undefined where that is not known here. */
  #textOf(node: ts.Expression): string | undefined {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isParenthesizedExpression(node)) return this.#textOf(node.expression);
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
      return joined([this.#textOf(node.left), this.#textOf(node.right)]);
    }
    if (ts.isTemplateExpression(node)) return this.#template(node, ({ text }) => text);
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText(this.#file) === "String.raw") {
      const raw = ({ rawText }: ts.TemplateLiteralLikeNode): string => rawText!;
      return ts.isTemplateExpression(node.template) ? this.#template(node.template, raw) : raw(node.template);
    }
    const constant = ts.isIdentifier(node) ? this.#constants.get(node.text) : undefined;
    return constant && this.#textOf(constant);
  }

  #template(
    { head, templateSpans }: ts.TemplateExpression,
    textOf: (part: ts.TemplateLiteralLikeNode) => string,
  ): string | undefined {
    return joined([
      textOf(head),
      ...templateSpans.flatMap(({ expression, literal }) => [this.#textOf(expression), textOf(literal)]),
    ]);
  }
}

const joined = (parts: readonly (string | undefined)[]): string | undefined =>
  parts.some((part) => part === undefined) ? undefined : parts.join("");

function partsOf(literal: string): Expression {
  const end = literal.lastIndexOf("/");
  return { source: literal.slice(1, end), flags: literal.slice(end + 1) };
}

/** The name of the method that is called: `a.b(…)`, `a?.["b"](…)`. */
function methodOf({ expression }: ts.CallExpression): string | undefined {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  const argument = ts.isElementAccessExpression(expression) ? expression.argumentExpression : undefined;
  return argument && ts.isStringLiteralLike(argument) ? argument.text : undefined;
}

/** The last name of `A`, `a.B`, `this.#B`. */
function nameOf(node: ts.Expression): string | undefined {
  if (ts.isIdentifier(node)) return node.text;
  return ts.isPropertyAccessExpression(node) ? node.name.text : undefined;
}
