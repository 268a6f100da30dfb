/**
 * The part of WebAssembly that programs of Go need: the types of Node do not have it.
 *
 * @module
 */

declare const compiled: unique symbol;

/** A compiled module. */
export interface WasmModule {
  readonly [compiled]: true;
}

/** The memory of an instance. Its buffer is another one after it has grown. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  /** Adds pages of 64 KiB. */
  grow(pages: number): number;
}

/** A global variable of an instance. */
export interface WasmGlobal {
  value: unknown;
}

/** A module with its own memory and globals. */
export interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>;
}

/** The imports of an instance, by module and name. */
export type WasmImports = Readonly<Record<string, Readonly<Record<string, (...args: number[]) => unknown>>>>;

interface Wasm {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  readonly Module: { imports(module: WasmModule): readonly { readonly module: string; readonly name: string }[] };
  readonly Instance: new (module: WasmModule, imports: WasmImports) => WasmInstance;
  readonly Global: new (...args: never) => WasmGlobal;
}

/** WebAssembly of this process. */
export const wasm: Wasm = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
