/**
 * Decodes the Huffman code of HPACK (RFC 7541 5.2 and appendix B).
 *
 * The code is canonical: codes of one length are consecutive in the order of their symbols, so the table below follows from the lengths.
 * It reads four bits at a time: each inner node of the tree is a state.
 *
 * @module
 */

/** The code length of each symbol: the 256 bytes, and the end of the text. */
const BITS: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26, 30,
];
const END = 256;

/** The results of reading four bits in a state: the next state, the completed byte, and flags. */
interface Table {
  /** At `state * 16 + bits`. */
  readonly next: Uint8Array;
  readonly symbol: Uint8Array;
  readonly flags: Uint8Array;
}

/** A symbol is complete. */
const EMITS = 1;
/** A text can end here: the rest is less than a byte of ones (RFC 7541 5.2). */
const MAY_END = 2;
/** The code is invalid. */
const WRONG = 4;

/** An inner node: its children for 0 and 1, each an inner node or a symbol. */
type Node = [Node | number, Node | number];

function treeOf(bits: readonly number[]): Node {
  const root = emptyNode();
  const order = bits.map((_, symbol) => symbol).toSorted((a, b) => bits[a]! - bits[b]! || a - b);
  let code = 0;
  let length = 0;
  for (const symbol of order) {
    code *= 2 ** (bits[symbol]! - length);
    length = bits[symbol]!;
    plant(root, code++, length, symbol);
  }
  return root;
}

const emptyNode = (): Node => [-1, -1];

function plant(root: Node, code: number, length: number, symbol: number): void {
  let node = root;
  for (let i = length - 1; i > 0; i--) {
    const bit = (code >>> i) & 1;
    if (typeof node[bit] === "number") node[bit] = emptyNode();
    node = node[bit] as Node;
  }
  node[code & 1] = symbol;
}

function tableOf(root: Node): Table {
  const states = innerNodes(root);
  const number = new Map(states.map((node, i) => [node, i]));
  const endings = endingNodes(root);
  const table = { next: new Uint8Array(4096), symbol: new Uint8Array(4096), flags: new Uint8Array(4096) };
  states.forEach((state, i) => {
    for (let bits = 0; bits < 16; bits++) fill(table, i * 16 + bits, walk(root, state, bits), number, endings);
  });
  return table;
}

/** All inner nodes, the root first; there are 256. */
function innerNodes(root: Node): readonly Node[] {
  const nodes = [root];
  for (const node of nodes) for (const next of node) if (typeof next !== "number") nodes.push(next);
  return nodes;
}

/** The states where a text can end: the root, and those after up to seven ones. */
function endingNodes(root: Node): ReadonlySet<Node> {
  const nodes = new Set([root]);
  let node = root;
  for (let i = 0; i < 7; i++) nodes.add((node = node[1] as Node));
  return nodes;
}

interface Walked {
  readonly node: Node;
  /** The completed symbol; -1 for none. A symbol has at least five bits, so there is at most one. */
  readonly symbol: number;
}

function walk(root: Node, from: Node, bits: number): Walked {
  let node = from;
  let symbol = -1;
  for (let i = 3; i >= 0; i--) {
    const next = node[(bits >>> i) & 1] as Node | number;
    if (typeof next !== "number") node = next;
    else [node, symbol] = [root, next];
  }
  return { node, symbol };
}

function fill(
  { next, symbol, flags }: Table,
  at: number,
  walked: Walked,
  number: ReadonlyMap<Node, number>,
  endings: ReadonlySet<Node>,
): void {
  next[at] = number.get(walked.node)!;
  if (walked.symbol === END) flags[at] = WRONG;
  else if (walked.symbol >= 0) [symbol[at], flags[at]] = [walked.symbol, EMITS];
  if (endings.has(walked.node)) flags[at]! |= MAY_END;
}

const { next: NEXT, symbol: SYMBOL, flags: FLAGS } = tableOf(treeOf(BITS));

/** The buffer of decoded texts that fit; each becomes a string before the next one is decoded. */
const SCRATCH = Buffer.allocUnsafeSlow(8192);

/** The maximum of decoded bytes: a symbol has at least five bits. */
const mostOf = (length: number): number => Math.ceil((length * 8) / 5);

/** Decodes a text, each character a byte; undefined for an invalid one. */
export function decodeHuffman(bytes: Uint8Array, from: number, to: number): string | undefined {
  const most = mostOf(to - from);
  const out = most <= SCRATCH.length ? SCRATCH : Buffer.allocUnsafe(most);
  let state = 0;
  let length = 0;
  let flags = MAY_END;
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!;
    for (let half = byte >>> 4, left = 2; left > 0; half = byte & 15, left--) {
      const at = state * 16 + half;
      flags = FLAGS[at]!;
      if (flags & WRONG) return undefined;
      if (flags & EMITS) out[length++] = SYMBOL[at]!;
      state = NEXT[at]!;
    }
  }
  return flags & MAY_END ? out.toString("latin1", 0, length) : undefined;
}
