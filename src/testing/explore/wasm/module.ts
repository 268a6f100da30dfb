/**
 * A program of Go as a module of WebAssembly whose globals can be read and set, so that a running program can be copied.
 *
 * @module
 */
import { type WasmGlobal, type WasmInstance, type WasmMemory, wasm } from "./webassembly.ts";

const HEADER_BYTES = 8;
const SECTION = { global: 6, export: 7 };
const GLOBAL_KIND = 3;

/** The name under which {@link exportGlobals} exports a global. */
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

function encodeUnsigned(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return [...bytes, left];
    bytes.push((left % 128) + 128);
  }
}

interface Section {
  readonly id: number;
  /** Offset of the section, of its content, and of what follows. */
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

/**
 * Returns a module that exports all its own globals, too. Go keeps the state of a program in its memory and in these globals (its stack
 * pointer among them), and exports the memory alone.
 *
 * @throws Error for bytes that are no module with globals and exports
 */
export function exportGlobals(bytes: Uint8Array): Uint8Array {
  if (Buffer.from(bytes.subarray(0, 4)).toString("latin1") !== "\0asm") {
    throw new Error("expected a module of WebAssembly, as GOOS=js GOARCH=wasm go build makes it");
  }
  const sections = sectionsOf(bytes);
  const globals = sections.find(({ id }) => id === SECTION.global);
  const exported = sections.find(({ id }) => id === SECTION.export);
  if (!globals || !exported) throw new Error("expected a module of Go, got one without globals or exports");
  const count = unsigned(bytes, globals.content).value;
  const before = unsigned(bytes, exported.content);
  const added = Array.from({ length: count }, (_, index) => {
    const name = Buffer.from(globalName(index));
    return [...encodeUnsigned(name.length), ...name, GLOBAL_KIND, ...encodeUnsigned(index)];
  }).flat();
  const head = encodeUnsigned(before.value + count);
  const length = head.length + (exported.end - before.end) + added.length;
  return Buffer.concat([
    bytes.subarray(0, exported.start),
    Uint8Array.from([SECTION.export, ...encodeUnsigned(length), ...head]),
    bytes.subarray(before.end, exported.end),
    Uint8Array.from(added),
    bytes.subarray(exported.end),
  ]);
}

/** What a module of Go exports, with the globals of {@link exportGlobals}. */
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
