/**
 * A second implementation of the Huffman code of HPACK, one bit at a time (RFC 7541 5.2 and appendix B).
 *
 * @module
 */

const chars = (text: string): number[] => Array.from(text, (one) => one.codePointAt(0)!);

/** The symbols of each length, in the order of their codes. */
const BY_LENGTH: readonly (readonly [bits: number, symbols: readonly number[]])[] = [
  [5, chars("012aceiost")],
  [6, chars(" %-./3456789=A_bdfghlmnpru")],
  [7, chars(":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz")],
  [8, chars("&*,;XZ")],
  [10, chars('!"()?')],
  [11, chars("'+|")],
  [12, chars("#>")],
  [13, chars("\0$@[]~")],
  [14, chars("^}")],
  [15, chars("<`{")],
  [19, [92, 195, 208]],
  [20, [128, 130, 131, 162, 184, 194, 224, 226]],
  [21, [153, 161, 167, 172, 176, 177, 179, 209, 216, 217, 227, 229, 230]],
  [
    22,
    [
      129, 132, 133, 134, 136, 146, 154, 156, 160, 163, 164, 169, 170, 173, 178, 181, 185, 186, 187, 189, 190, 196, 198,
      228, 232, 233,
    ],
  ],
  [
    23,
    [
      1, 135, 137, 138, 139, 140, 141, 143, 147, 149, 150, 151, 152, 155, 157, 158, 165, 166, 168, 174, 175, 180, 182,
      183, 188, 191, 197, 231, 239,
    ],
  ],
  [24, [9, 142, 144, 145, 148, 159, 171, 206, 215, 225, 236, 237]],
  [25, [199, 207, 234, 235]],
  [26, [192, 193, 200, 201, 202, 205, 210, 213, 218, 219, 238, 240, 242, 243, 255]],
  [27, [203, 204, 211, 212, 214, 221, 222, 223, 241, 244, 245, 246, 247, 248, 250, 251, 252, 253, 254]],
  [
    28,
    [2, 3, 4, 5, 6, 7, 8, 11, 12, 14, 15, 16, 17, 18, 19, 20, 21, 23, 24, 25, 26, 27, 28, 29, 30, 31, 127, 220, 249],
  ],
  [30, [10, 13, 22, 256]],
];

/** The end-of-string symbol, which is invalid in a text. */
const END = 256;

/** The codes of all symbols as texts of zeros and ones. */
const CODES: readonly string[] = codes();

function codes(): string[] {
  const all: string[] = [];
  let code = 0;
  let length = 0;
  for (const [bits, symbols] of BY_LENGTH) {
    code *= 2 ** (bits - length);
    length = bits;
    for (const symbol of symbols) all[symbol] = (code++).toString(2).padStart(bits, "0");
  }
  return all;
}

/** Encodes a text with one byte for each character; ones fill the last byte. */
export function huffmanEncode(text: string): Buffer {
  let bits = "";
  for (let i = 0; i < text.length; i++) bits += CODES[text.charCodeAt(i)]!;
  return packed(bits.padEnd(Math.ceil(bits.length / 8) * 8, "1"));
}

/** Packs zeros and ones into bytes. */
function packed(bits: string): Buffer {
  const bytes = Buffer.alloc(bits.length / 8);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(bits.slice(8 * i, 8 * i + 8), 2);
  return bytes;
}

/** The successors of each state for 0 and 1: another state, or below 0 a symbol. */
const TREE: readonly [number, number][] = tree();

function tree(): [number, number][] {
  const states: [number, number][] = [[0, 0]];
  CODES.forEach((code, symbol) => {
    let state = 0;
    for (const bit of code.slice(0, -1)) state = states[state]![Number(bit)] ||= states.push([0, 0]) - 1;
    states[state]![Number(code.at(-1))] = -1 - symbol;
  });
  return states;
}

/** Decodes a text; undefined where it is invalid (RFC 7541 5.2). */
export function huffmanDecode(bytes: Uint8Array): string | undefined {
  let text = "";
  let state = 0;
  /** The bits since the last symbol, and whether all were ones. */
  let left = 0;
  let ones = true;
  for (let at = 0; at < bytes.length * 8; at++) {
    const bit = (bytes[at >> 3]! >> (7 - (at & 7))) & 1;
    const next = TREE[state]![bit]!;
    left++;
    ones &&= bit === 1;
    state = Math.max(0, next);
    if (next > 0) continue;
    if (next === -1 - END) return undefined;
    text += String.fromCharCode(-1 - next);
    left = 0;
    ones = true;
  }
  return left > 7 || !ones ? undefined : text;
}
