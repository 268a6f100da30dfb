/**
 * Our trees in the form in which the specification's tests write theirs.
 *
 * @module
 */
import { KindAdorner, toDebugString } from "@bufbuild/cel-spec/testdata/to-debug-string.js";
import type { Constant, Expr } from "../../../src/cel/ast.ts";
import type { Checked } from "../../../src/cel/checked.ts";
import { shownType } from "../../../src/cel/types.ts";

/** A tree as the parser makes it: each node with its kind. */
export const treeText = (expr: Expr): string => toDebugString(message(expr) as Printed, KindAdorner.singleton);

/** A tree as the checker leaves it: each node with its type; names of overloads are left out. */
export function checkedText(checked: Checked): string {
  const types = new Map<unknown, Expr>();
  const tree = message(checked.expr, { checked, types });
  const adorner = {
    GetMetadata(node: unknown): string {
      const expr = types.get(node);
      return expr ? `~${shownType(checked.typeOf(expr))}` : "";
    },
  };
  return toDebugString(tree as Printed, adorner as unknown as Adorner);
}

/** A recorded checked tree without what follows the types: names of variables (of those in front) and of overloads. */
export const withoutReferences = (text: string): string =>
  text.replace(/((?<![\w.@])[\w.@#]+)(~[^\n~^]*)\^\1/g, "$1$2").replace(/\^[A-Za-z_@#][\w@#|]*/g, "");

type Printed = Parameters<typeof toDebugString>[0];
type Adorner = NonNullable<Parameters<typeof toDebugString>[1]>;

interface Context {
  readonly checked: Checked;
  /** Which node of ours each printed node stands for. */
  readonly types: Map<unknown, Expr>;
}

function message(expr: Expr, context?: Context): object {
  const node = { $typeName: "cel.expr.Expr", exprKind: kindOf(expr, context) };
  context?.types.set(node, expr);
  return node;
}

function kindOf(expr: Expr, context?: Context): { readonly case: string; readonly value: unknown } {
  const inner = (one: Expr): object => message(one, context);
  const qualified = context?.checked.qualified.get(expr.id)?.replace(/^type:/, "");
  if (qualified !== undefined && expr.kind !== "call") return { case: "identExpr", value: { name: qualified } };
  switch (expr.kind) {
    case "const":
      return { case: "constExpr", value: { constantKind: constantKind(expr.value) } };
    case "ident":
      return { case: "identExpr", value: { name: expr.name } };
    case "select":
      return { case: "selectExpr", value: { operand: inner(expr.of), field: expr.field, testOnly: expr.test } };
    case "call": {
      const target = expr.target && qualified === undefined ? { target: inner(expr.target) } : {};
      return { case: "callExpr", value: { ...target, function: qualified ?? expr.name, args: expr.args.map(inner) } };
    }
    case "list":
      return { case: "listExpr", value: { elements: expr.elements.map(inner) } };
    case "map":
      return {
        case: "structExpr",
        value: { messageName: "", entries: expr.entries.map((entry) => entryOf(entry, inner)) },
      };
    case "message":
      return {
        case: "structExpr",
        value: { messageName: expr.name, entries: expr.fields.map((one) => fieldOf(one, inner)) },
      };
    case "comprehension":
      return { case: "comprehensionExpr", value: foldOf(expr, inner) };
  }
}

type Inner = (expr: Expr) => object;

const entryOf = (entry: (Expr & { kind: "map" })["entries"][number], inner: Inner): object => ({
  $typeName: "cel.expr.Expr.CreateStruct.Entry",
  optionalEntry: entry.optional,
  keyKind: { case: "mapKey", value: inner(entry.key) },
  value: inner(entry.value),
});

const fieldOf = (field: (Expr & { kind: "message" })["fields"][number], inner: Inner): object => ({
  $typeName: "cel.expr.Expr.CreateStruct.Entry",
  optionalEntry: field.optional,
  keyKind: { case: "fieldKey", value: field.name },
  value: inner(field.value),
});

const foldOf = ({ comprehension }: Expr & { kind: "comprehension" }, inner: Inner): object => ({
  iterVar: comprehension.iter,
  iterRange: inner(comprehension.range),
  accuVar: comprehension.accu,
  accuInit: inner(comprehension.init),
  loopCondition: inner(comprehension.cond),
  loopStep: inner(comprehension.step),
  result: inner(comprehension.result),
});

function constantKind(value: Constant): { readonly case: string; readonly value: unknown } {
  switch (typeof value) {
    case "boolean":
      return { case: "boolValue", value };
    case "bigint":
      return { case: "int64Value", value };
    case "number":
      return { case: "doubleValue", value };
    case "string":
      return { case: "stringValue", value };
    default:
      if (value === null) return { case: "nullValue", value: 0 };
      return value instanceof Uint8Array ? { case: "bytesValue", value } : { case: "uint64Value", value: value.uint };
  }
}
