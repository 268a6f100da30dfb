/**
 * The types that declarations mention by name.
 *
 * @module
 */
import ts from "typescript";

/** The symbol itself, where a name stands for one of another file. */
export const originOf = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** The files that declare a symbol. */
export const filesOf = (symbol: ts.Symbol): ts.SourceFile[] => [
  ...new Set((symbol.declarations ?? []).map((node) => node.getSourceFile())),
];

/** The types of the project that the declarations of a symbol mention, in their order; bodies of functions do not count. */
export function mentionedBy(checker: ts.TypeChecker, symbol: ts.Symbol): Set<ts.Symbol> {
  const found = new Set<ts.Symbol>();
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node)) return;
    const name = nameIn(node);
    const named = name && checker.getSymbolAtLocation(name);
    if (named) found.add(originOf(checker, named));
    ts.forEachChild(node, visit);
  };
  for (const declaration of symbol.declarations ?? []) visit(declaration);
  return new Set([...found].filter(isOfTheProject));
}

function nameIn(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  return ts.isExpressionWithTypeArguments(node) ? node.expression : undefined;
}

const isOfTheProject = (symbol: ts.Symbol): boolean =>
  !(symbol.flags & ts.SymbolFlags.TypeParameter) &&
  filesOf(symbol).some(({ fileName, isDeclarationFile }) => !isDeclarationFile && fileName.includes("/src/"));
