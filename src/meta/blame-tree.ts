/**
 * The lines of an object in YAML with the owners of each, from a report of ownership: what `keelson blame` prints and the
 * console shows.
 *
 * @module
 */
import { atOnce, type Steps } from "../util/steps.ts";
import { escapeToken, parsePointer } from "../value/pointer.ts";
import type { Value } from "../value/value.ts";
import { encodeYaml } from "../value/yaml-encode.ts";
import type { BlameReport, ReportedManager, ReportedSetter } from "./ownership-reports.ts";

/** A member or an item of the object; its text has several lines where its value has. */
export interface BlameLine {
  readonly text: string;
  /** The JSON pointer of the member or item; of a first member in the line of its item, that of the member. */
  readonly pointer: string;
  readonly managers: readonly ReportedManager[];
  /** Whether this is a leaf without an owner. */
  readonly isUnowned: boolean;
  /** Who sets such a leaf. */
  readonly setBy?: ReportedSetter | undefined;
}

/** Members of these nodes that stand first, by the pointer of the node, as manifests are usually written. */
const FIRST_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  "": ["apiVersion", "kind", "metadata"],
  "/metadata": ["name", "generateName", "namespace"],
};

/** Yields the lines of the object: its type and name first, other members in the order of the report. */
export const blameTree = (report: BlameReport): Generator<BlameLine> => blameLines(atOnce(blameNodes(report)));

/** Yields the lines of an object whose tree {@link blameNodes} has made, as {@link blameTree} does. */
export const blameLines = (root: BlameNode): Generator<BlameLine> => treeLines(root, "", "", "");

/** A node of the tree. */
export interface BlameNode {
  readonly list: boolean;
  readonly managers: readonly ReportedManager[];
  /** Defined for a leaf. */
  readonly value?: Value;
  readonly setBy?: ReportedSetter | undefined;
  readonly children: Map<string, BlameNode>;
}

/** How many leaves of a report become nodes in one step. */
const LEAVES_A_STEP = 1000;

/** Returns the tree of a report, by its root, in steps. */
export function* blameNodes(report: BlameReport): Steps<BlameNode> {
  const root: BlameNode = { list: false, managers: [], children: new Map() };
  // Containers are created when a leaf needs them, which keeps the order of the object.
  const containers = new Map(report.containers.map((container) => [container.pointer, container]));
  for (const [at, { pointer, value, managers, setBy }] of report.leaves.entries()) {
    if (at % LEAVES_A_STEP === LEAVES_A_STEP - 1) yield;
    const tokens = parsePointer(pointer);
    let parent = root;
    let path = "";
    for (const [i, raw] of pointer.split("/").slice(1, -1).entries()) {
      path += `/${raw}`;
      const token = tokens[i] ?? raw;
      let child = parent.children.get(token);
      if (child === undefined) {
        const { list = false, managers: owners = [] } = containers.get(path) ?? {};
        child = { list, managers: owners, children: new Map() };
        parent.children.set(token, child);
      }
      parent = child;
    }
    parent.children.set(tokens.at(-1) ?? "", { list: false, managers, value, setBy, children: new Map() });
  }
  return root;
}

/** Yields the lines below a node; the first one begins with `first` instead of the indentation. */
function* treeLines(node: BlameNode, first: string, indent: string, path: string): Generator<BlameLine> {
  let start = first;
  for (const [name, child] of membersOf(node, path)) {
    const head = start;
    start = indent;
    const pointer = `${path}/${escapeToken(name)}`;
    yield* node.list ? itemLines(child, head, indent, pointer) : memberLines(name, child, head, indent, pointer);
  }
}

function membersOf({ children }: BlameNode, path: string): Iterable<[string, BlameNode]> {
  const names = FIRST_MEMBERS[path];
  if (!names) return children;
  const first = new Map(names.flatMap((name) => (children.has(name) ? [[name, children.get(name)!]] : [])));
  return new Map([...first, ...children]);
}

function* memberLines(
  name: string,
  child: BlameNode,
  head: string,
  indent: string,
  pointer: string,
): Generator<BlameLine> {
  if (child.value !== undefined) {
    yield leafLine({ [name]: child.value }, child, head, indent, pointer);
    return;
  }
  const key = encodeYaml({ [name]: 0 }).slice(0, -" 0\n".length);
  const below = child.list ? indent : `${indent}  `;
  yield { text: head + key, pointer, managers: child.managers, isUnowned: false };
  yield* treeLines(child, below, below, pointer);
}

function* itemLines(child: BlameNode, head: string, indent: string, pointer: string): Generator<BlameLine> {
  if (child.value !== undefined) yield leafLine([child.value], child, head, indent, pointer);
  else yield* treeLines(child, `${head}- `, `${indent}  `, pointer);
}

function leafLine(
  value: Value,
  { managers, setBy }: BlameNode,
  head: string,
  indent: string,
  pointer: string,
): BlameLine {
  const lines = encodeYaml(value).trimEnd().split("\n");
  const text = lines.map((line, i) => (i === 0 ? head : indent) + line).join("\n");
  return { text, pointer, managers, isUnowned: managers.length === 0, setBy };
}
