/**
 * A program of Go as a module of WebAssembly whose globals can be read and set, so that a running program can be copied.
 *
 * @module
 */
import { type WasmGlobal, type WasmInstance, type WasmMemory, wasm } from "./webassembly.ts";

const HEADER_BYTES = 8;
const SECTION = { global: 6, export: 7, data: 11 };
const GLOBAL_KIND = 3;
/** A segment of data at a constant offset. */
const [ACTIVE, I32_CONST, END] = [0x00, 0x41, 0x0b];
const OTHER_DATA = "expected data at constant offsets, as the linker of Go writes them, got others";

/** The name under which {@link goCodeOf} exports a global. */
const globalName = (index: number): string => `global ${index}`;

/** An unsigned LEB128 number at an offset, and the offset behind it. */
function unsigned(bytes: Uint8Array, offset: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let [at, shift] = [offset, 0]; ; at++, shift += 7) {
    const byte = bytes[at];
    if (byte === undefined || shift > 28) throw new Error("expected a module of WebAssembly, got bytes that end early");
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, end: at + 1 };
  }
}

/** A signed LEB128 number of 32 bits at an offset, and the offset behind it. */
function signed32(bytes: Uint8Array, offset: number): { readonly value: number; readonly end: number } {
  const { value, end } = unsigned(bytes, offset);
  const bits = (end - offset) * 7;
  const isNegative = bits < 32 && (bytes[end - 1]! & 0x40) !== 0;
  return { value: isNegative ? value - 2 ** bits : value, end };
}

function encodeUnsigned(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return [...bytes, left];
    bytes.push((left % 128) + 128);
  }
}

interface Section {
  readonly id: number;
  /** Offset of the section, of its content, and of its end. */
  readonly start: number;
  readonly content: number;
  readonly end: number;
}

function sectionsOf(bytes: Uint8Array): readonly Section[] {
  const sections: Section[] = [];
  for (let start = HEADER_BYTES; start < bytes.length;) {
    const { value: length, end: content } = unsigned(bytes, start + 1);
    sections.push({ id: bytes[start]!, start, content, end: content + length });
    start = content + length;
  }
  return sections;
}

/** Bytes that the memory of a new process begins with. */
export interface Segment {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** A module of Go from which processes are copied. */
interface GoCode {
  /** The module, with its globals exported and without its data. */
  readonly bytes: Uint8Array;
  readonly data: readonly Segment[];
}

/**
 * Prepares a module. It exports all its own globals, too: Go keeps the state of a program in its memory and in these globals (its stack
 * pointer among them), and exports the memory alone. Its data stand beside it, as a copy of a process has them in its memory.
 *
 * @throws Error for bytes that are no module with globals, exports and data
 */
export function goCodeOf(bytes: Uint8Array): GoCode {
  if (Buffer.from(bytes.subarray(0, 4)).toString("latin1") !== "\0asm") {
    throw new Error("expected a module of WebAssembly, as GOOS=js GOARCH=wasm go build makes it");
  }
  const sections = sectionsOf(bytes);
  const [globals, exported, data] = [SECTION.global, SECTION.export, SECTION.data].map((wanted) =>
    sections.find(({ id }) => id === wanted),
  );
  if (!globals || !exported || !data)
    throw new Error("expected a module of Go, got one without globals, exports or data");
  const count = unsigned(bytes, globals.content).value;
  const before = unsigned(bytes, exported.content);
  const added = Array.from({ length: count }, (_, index) => {
    const name = Buffer.from(globalName(index));
    return [...encodeUnsigned(name.length), ...name, GLOBAL_KIND, ...encodeUnsigned(index)];
  }).flat();
  const head = encodeUnsigned(before.value + count);
  const length = head.length + (exported.end - before.end) + added.length;
  const parts = sections.flatMap((section) => {
    if (section === data) return [];
    if (section !== exported) return [bytes.subarray(section.start, section.end)];
    const start = Uint8Array.from([SECTION.export, ...encodeUnsigned(length), ...head]);
    return [start, bytes.subarray(before.end, exported.end), Uint8Array.from(added)];
  });
  return { bytes: Buffer.concat([bytes.subarray(0, HEADER_BYTES), ...parts]), data: segmentsOf(bytes, data) };
}

function segmentsOf(bytes: Uint8Array, { content }: Section): readonly Segment[] {
  const { value: count, end: first } = unsigned(bytes, content);
  const segments: Segment[] = [];
  for (let start = first; segments.length < count;) {
    if (bytes[start] !== ACTIVE || bytes[start + 1] !== I32_CONST) throw new Error(OTHER_DATA);
    const { value: offset, end } = signed32(bytes, start + 2);
    if (bytes[end] !== END) throw new Error(OTHER_DATA);
    const { value: length, end: from } = unsigned(bytes, end + 1);
    segments.push({ offset: offset >>> 0, bytes: new Uint8Array(bytes.subarray(from, from + length)) });
    start = from + length;
  }
  return segments;
}

/** The exports of a module of Go, with the globals of {@link goCodeOf}. */
export interface GoExports {
  readonly mem: WasmMemory;
  readonly run: (argc: number, argv: number) => void;
  readonly resume: () => void;
  readonly getsp: () => number;
}

/** The globals of an instance in their order. */
export function globalsOf(instance: WasmInstance): readonly WasmGlobal[] {
  const globals: WasmGlobal[] = [];
  for (;;) {
    const global = instance.exports[globalName(globals.length)];
    if (!(global instanceof wasm.Global)) return globals;
    globals.push(global);
  }
}
