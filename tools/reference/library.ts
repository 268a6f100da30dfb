/**
 * A page for each entry of the package: every exported symbol with its docstring and its declaration, as the compiler
 * writes declarations. What has no docstring is an error.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { type Doc, docOf, firstSentence, plain, prose } from "./docstring.ts";
import { MADE, table } from "./markdown.ts";
import { filesOf, mentionedBy, originOf } from "./mentioned.ts";

/** A symbol that a program may import. */
interface Exported {
  readonly name: string;
  readonly doc: Doc;
  /** The declarations without the docstring: overloads, and the value and the type of one name. */
  readonly code: string;
}

interface Entry {
  /** `keelson/client`. */
  readonly name: string;
  /** Its source. */
  readonly source: string;
  /** Its page below `docs/reference/library/`. */
  readonly page: string;
}

/** The pages by their path from the root of the project. */
export function libraryPages(root: string): [path: string, text: string][] {
  const entries = entriesOf(root);
  const program = ts.createProgram(
    entries.map(({ source }) => join(root, source)),
    { ...compilerOptions(root), noEmit: false, emitDeclarationOnly: true, declaration: true, stripInternal: true },
  );
  const declarations = new Declarations(program);
  const files = entries.map(({ source }) => program.getSourceFile(join(root, source))!);
  const known = new Set(files.flatMap((file) => [...exportsOf(program, file).values()]));
  const pages = entries.map((entry, i) => ({ ...entry, ...readEntry(program, declarations, files[i]!, known) }));
  const bare = pages.flatMap(({ name, symbols }) =>
    symbols.filter(({ doc }) => doc.text === "").map((symbol) => `${symbol.name} of ${name}`),
  );
  if (bare.length > 0)
    throw new Error(`expected a docstring on every exported symbol, found none on ${bare.join(", ")}`);
  const places = new Map(
    pages.toReversed().flatMap(({ page, symbols }) => symbols.map((s) => [s.name, page] as const)),
  );
  return pages.map((page) => [`docs/reference/library/${page.page}`, pageOf(page, places)]);
}

function entriesOf(root: string): Entry[] {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, string | { readonly types: string }>;
  };
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === "string") return [];
    const name = `keelson${path.slice(1)}`;
    const source = target.types.replace("./dist/", "src/").replace(".d.ts", ".ts");
    return [{ name, source, page: `${name.replaceAll("/", "-")}.md` }];
  });
}

function compilerOptions(root: string): ts.CompilerOptions {
  const file = join(root, "tsconfig.json");
  return ts.parseJsonConfigFileContent(ts.readConfigFile(file, (path) => ts.sys.readFile(path)).config, ts.sys, root)
    .options;
}

/** The declarations of source files, emitted at their first use. */
class Declarations {
  readonly #program: ts.Program;
  readonly #files = new Map<string, ts.SourceFile>();

  constructor(program: ts.Program) {
    this.#program = program;
  }

  /** The statements of a source file that declare a name. */
  named(source: ts.SourceFile, name: string): readonly ts.Statement[] {
    return this.#of(source).statements.filter((statement) => declares(statement, name));
  }

  #of(source: ts.SourceFile): ts.SourceFile {
    const known = this.#files.get(source.fileName);
    if (known) return known;
    let text = "";
    this.#program.emit(source, (_, written) => void (text = written), undefined, true);
    const file = ts.createSourceFile(source.fileName, text, ts.ScriptTarget.Latest, true);
    this.#files.set(source.fileName, file);
    return file;
  }
}

function declares(statement: ts.Statement, name: string): boolean {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.some((one) => one.name.getText() === name);
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEnumDeclaration(statement);
  return isNamed && statement.name?.text === name;
}

/** What a file exports: the names, and what they stand for. */
function exportsOf(program: ts.Program, file: ts.SourceFile): Map<string, ts.Symbol> {
  const checker = program.getTypeChecker();
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(file)!);
  return new Map(exported.map((symbol) => [symbol.name, originOf(checker, symbol)]));
}

/** @param known what any entry exports */
function readEntry(
  program: ts.Program,
  declarations: Declarations,
  file: ts.SourceFile,
  known: ReadonlySet<ts.Symbol>,
): Omit<Page, keyof Entry> {
  const exported = exportsOf(program, file);
  const read = (name: string, symbol: ts.Symbol): Exported => {
    const statements = filesOf(symbol).flatMap((from) => declarations.named(from, symbol.name));
    const shown = exportedOf(name, statements);
    const members = inferredMembers(program.getTypeChecker(), symbol);
    return members === undefined ? shown : { ...shown, code: `type ${name} = ${members};` };
  };
  const symbols = [...exported].map(([name, symbol]) => read(name, symbol));
  const all = new Set([...exported.values()].flatMap((symbol) => [...mentionedBy(program.getTypeChecker(), symbol)]));
  const code = symbols.map((symbol) => symbol.code).join("\n");
  const mentioned = [...all].filter(
    (symbol) => !known.has(symbol) && !exported.has(symbol.name) && new RegExp(`\\b${symbol.name}\\b`).test(code),
  );
  return {
    about: docOf(file.text),
    augments: file.statements.filter(ts.isModuleDeclaration).map((statement) => statement.getText()),
    symbols: symbols.toSorted(byName),
    mentioned: mentioned.map((symbol) => read(symbol.name, symbol)).toSorted(byName),
  };
}

/** The members of a type that is read off a value, which no reader of the page sees; undefined for all other types. */
function inferredMembers(checker: ts.TypeChecker, symbol: ts.Symbol): string | undefined {
  const mapped = symbol.declarations?.find(ts.isTypeAliasDeclaration)?.type;
  if (mapped === undefined || !ts.isMappedTypeNode(mapped) || !/\btypeof\b/.test(mapped.getText())) return undefined;
  const { NoTruncation, UseAliasDefinedOutsideCurrentScope } = ts.TypeFormatFlags;
  const lines = checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map((member) => {
      const name = /^[a-z]+$/.test(member.name) ? member.name : JSON.stringify(member.name);
      const type = checker.getTypeOfSymbol(member);
      const flags = NoTruncation | UseAliasDefinedOutsideCurrentScope;
      return `  readonly ${name}: ${checker.typeToString(type, undefined, flags)};`;
    });
  return `{\n${lines.join("\n")}\n}`;
}

const placeOf = ({ declarations: [first] = [] }: ts.Symbol): number => first?.pos ?? 0;

const byName = (a: Exported, b: Exported): number => compare(a.name, b.name);
const compare = (a: string, b: string): number => compareText(a.toLowerCase(), b.toLowerCase()) || compareText(a, b);
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function exportedOf(name: string, statements: readonly ts.Statement[]): Exported {
  const docs = statements.map((statement) => docOf(statement.getFullText()));
  const code = statements.map((statement) => statement.getText().replace(/^export (declare )?/, ""));
  const doc = docs.find(({ text }) => text !== "") ?? { text: "", tags: [] };
  return { name, doc, code: plain(code.map(dedent).join("\n")) };
}

/** Declarations are emitted with steps of four blanks; the project has two. */
const dedent = (code: string): string =>
  code.replace(/^ +#private;\n/gm, "").replace(/^(?: {4})+/gm, (blanks) => blanks.slice(blanks.length / 2));

interface Page extends Entry {
  readonly about: Doc;
  /** What it adds to modules of others. */
  readonly augments: readonly string[];
  readonly symbols: readonly Exported[];
  /** What their declarations mention and no entry exports. */
  readonly mentioned: readonly Exported[];
}

const MENTIONED = `## Types that are mentioned

They stand in declarations above and are not exported: a program has them from there.
`;

function pageOf({ name, about, augments, symbols, mentioned }: Page, places: ReadonlyMap<string, string>): string {
  const link = (symbol: string): string | undefined => {
    const [head = ""] = symbol.split(".");
    const here = [...symbols, ...mentioned].some((one) => one.name === head);
    const place = here ? "" : places.get(head);
    return place === undefined ? undefined : `${place}#${head.toLowerCase()}`;
  };
  const rows = symbols.map((symbol) => [
    `[\`${symbol.name}\`](#${symbol.name.toLowerCase()})`,
    firstSentence(symbol.doc, link),
  ]);
  const sectionOf = (depth: string, { name: title, doc, code }: Exported): string =>
    [`${depth} ${title}`, prose(doc, link), `\`\`\`ts\n${code}\n\`\`\`\n`].filter((part) => part !== "").join("\n\n");
  return [
    `# ${name}\n`,
    `${MADE}\n`,
    `${prose(about, link)}\n`,
    ...augments.map((code) => `\`\`\`ts\n${code}\n\`\`\`\n`),
    ...(rows.length > 0 ? [`${table(["symbol", "what it is"], rows)}\n`] : []),
    ...symbols.map((symbol) => sectionOf("##", symbol)),
    ...(mentioned.length > 0 ? [MENTIONED] : []),
    ...mentioned.map((symbol) => sectionOf("###", symbol)),
  ].join("\n");
}
