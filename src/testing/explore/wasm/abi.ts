/**
 * The imports of a Go program for js/wasm: the runtime (`gojs`, Go 1.21 and newer) and the requests of {@link ROUND_TRIP_GO}.
 *
 * A function of the runtime gets the stack pointer; its arguments and results are in the memory behind it. A value of JavaScript is a
 * number of 64 bits: a number itself, or a NaN with an id and its type.
 *
 * @module
 */
import { type GoRequest, type Requests, requestOf } from "./requests.ts";
import type { GoExports } from "./module.ts";
import type { Values } from "./values.ts";
import type { WasmImports } from "./webassembly.ts";

/** The part of a process that its imports need. */
interface AbiParts {
  readonly exports: () => GoExports;
  readonly values: Values;
  readonly requests: Pick<Requests, "head" | "read" | "failure" | "cancel"> & { add(request: GoRequest): void };
  /** Nanoseconds of a steady counter. */
  readonly nanotime: () => bigint;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly setTimer: (ms: number) => number;
  readonly clearTimer: (id: number) => void;
  /** Tells of the next timer that is set how long the program could wait without its short tickers; -1 for ever. */
  readonly setDeadline: (ms: number) => void;
  readonly fillRandom: (bytes: Uint8Array) => void;
  readonly onWrite: (fd: number, bytes: Uint8Array) => void;
  readonly onExit: (code: number) => void;
}

const NAN_HEAD = 0x7ff8_0000;
const TYPE_FLAGS: Readonly<Record<string, number>> = { object: 1, string: 2, symbol: 3, function: 4 };
const TWO_32 = 2 ** 32;

/** Reads and writes the memory of a program. */
export class GoMemory {
  readonly #exports: () => GoExports;
  readonly #values: Values;
  #view: DataView | undefined;

  constructor(exports: () => GoExports, values: Values) {
    this.#exports = exports;
    this.#values = values;
  }

  /** The memory has grown: its buffer is another one. */
  reset(): void {
    this.#view = undefined;
  }

  get view(): DataView {
    return (this.#view ??= new DataView(this.#exports().mem.buffer));
  }

  /** A number of 64 bits that is an address or a length. */
  int64(address: number): number {
    return this.view.getUint32(address, true) + this.view.getInt32(address + 4, true) * TWO_32;
  }

  setInt64(address: number, value: number): void {
    this.view.setUint32(address, value, true);
    this.view.setInt32(address + 4, Math.floor(value / TWO_32), true);
  }

  bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.view.buffer, address, length);
  }

  slice(address: number): Uint8Array {
    return this.bytes(this.int64(address), this.int64(address + 8));
  }

  text(address: number): string {
    return Buffer.from(this.slice(address)).toString();
  }

  value(address: number): unknown {
    const number = this.view.getFloat64(address, true);
    if (number === 0) return undefined;
    return Number.isNaN(number) ? this.#values.get(this.view.getUint32(address, true)) : number;
  }

  valuesAt(address: number): unknown[] {
    const start = this.int64(address);
    return Array.from({ length: this.int64(address + 8) }, (_, index) => this.value(start + index * 8));
  }

  setValue(address: number, value: unknown): void {
    if (value === undefined) return this.view.setFloat64(address, 0, true);
    if (typeof value === "number" && value !== 0 && !Number.isNaN(value)) {
      return this.view.setFloat64(address, value, true);
    }
    const id = Number.isNaN(value) ? 0 : this.#values.add(value);
    const flag = value === null ? 0 : (TYPE_FLAGS[typeof value] ?? 0);
    this.view.setUint32(address, id, true);
    this.view.setUint32(address + 4, NAN_HEAD | flag, true);
  }
}

type Import = (sp: number) => void;

/** Returns the imports of a program. */
export function importsOf(parts: AbiParts, memory: GoMemory): WasmImports {
  const gojs = { ...runtimeImports(parts, memory), ...valueImports(parts, memory) };
  // Addresses have 32 bits, and come as signed numbers.
  const unsigned = Object.entries(gojs).map(([name, work]): [string, Import] => [name, (sp) => work(sp >>> 0)]);
  return { gojs: Object.fromEntries(unsigned), keelson: requestImports(parts, memory) };
}

function runtimeImports(parts: AbiParts, memory: GoMemory): Record<string, Import> {
  return {
    "runtime.wasmExit": (sp) => parts.onExit(memory.view.getInt32(sp + 8, true)),
    "runtime.wasmWrite": (sp) => {
      const bytes = memory.bytes(memory.int64(sp + 16), memory.view.getInt32(sp + 24, true));
      parts.onWrite(memory.int64(sp + 8), bytes.slice());
    },
    "runtime.resetMemoryDataView": () => memory.reset(),
    "runtime.nanotime1": (sp) => memory.view.setBigInt64(sp + 8, parts.nanotime(), true),
    "runtime.walltime": (sp) => {
      const millis = parts.now();
      memory.setInt64(sp + 8, Math.floor(millis / 1000));
      memory.view.setInt32(sp + 16, (millis % 1000) * 1e6, true);
    },
    "runtime.scheduleTimeoutEvent": (sp) => {
      memory.view.setInt32(sp + 16, parts.setTimer(memory.int64(sp + 8)), true);
    },
    "runtime.clearTimeoutEvent": (sp) => parts.clearTimer(memory.view.getInt32(sp + 8, true)),
    "runtime.getRandomData": (sp) => parts.fillRandom(memory.slice(sp + 8)),
    debug: () => {},
  };
}

function valueImports({ exports, values }: AbiParts, memory: GoMemory): Record<string, Import> {
  /** Stores the result or error of a call; code of the program may have run in it and moved the stack. */
  const store = (offset: number, work: () => unknown): void => {
    let result: unknown;
    let isReturned = 1;
    try {
      result = work();
    } catch (error) {
      [result, isReturned] = [error, 0];
    }
    const sp = exports().getsp() >>> 0;
    memory.setValue(sp + offset, result);
    memory.view.setUint8(sp + offset + 8, isReturned);
  };
  const object = (address: number): object => memory.value(address) as object;
  const isBytes = (value: unknown): value is Uint8Array =>
    value instanceof Uint8Array || value instanceof Uint8ClampedArray;
  const copy = (sp: number, to: unknown, from: unknown): void => {
    const isPossible = isBytes(to) && isBytes(from);
    memory.view.setUint8(sp + 48, isPossible ? 1 : 0);
    if (!isPossible) return;
    const length = Math.min(to.length, from.length);
    to.set(from.subarray(0, length));
    memory.setInt64(sp + 40, length);
  };
  return {
    "syscall/js.finalizeRef": (sp) => values.release(memory.view.getUint32(sp + 8, true)),
    "syscall/js.stringVal": (sp) => memory.setValue(sp + 24, memory.text(sp + 8)),
    "syscall/js.valueGet": (sp) => {
      const result: unknown = Reflect.get(object(sp + 8), memory.text(sp + 16));
      memory.setValue((exports().getsp() >>> 0) + 32, result);
    },
    "syscall/js.valueSet": (sp) => void Reflect.set(object(sp + 8), memory.text(sp + 16), memory.value(sp + 32)),
    "syscall/js.valueDelete": (sp) => void Reflect.deleteProperty(object(sp + 8), memory.text(sp + 16)),
    "syscall/js.valueIndex": (sp) => {
      memory.setValue(sp + 24, Reflect.get(object(sp + 8), memory.int64(sp + 16)));
    },
    "syscall/js.valueSetIndex": (sp) => {
      Reflect.set(object(sp + 8), memory.int64(sp + 16), memory.value(sp + 24));
    },
    "syscall/js.valueCall": (sp) => {
      const [target, name, sent] = [object(sp + 8), memory.text(sp + 16), memory.valuesAt(sp + 32)];
      store(56, () => Reflect.apply(Reflect.get(target, name) as () => unknown, target, sent));
    },
    "syscall/js.valueInvoke": (sp) => {
      const [called, sent] = [memory.value(sp + 8) as () => unknown, memory.valuesAt(sp + 16)];
      store(40, () => Reflect.apply(called, undefined, sent));
    },
    "syscall/js.valueNew": (sp) => {
      const [made, sent] = [memory.value(sp + 8) as new () => unknown, memory.valuesAt(sp + 16)];
      store(40, () => Reflect.construct(made, sent));
    },
    "syscall/js.valueLength": (sp) => memory.setInt64(sp + 16, (memory.value(sp + 8) as unknown[]).length),
    "syscall/js.valuePrepareString": (sp) => {
      const bytes = new TextEncoder().encode(String(memory.value(sp + 8)));
      memory.setValue(sp + 16, bytes);
      memory.setInt64(sp + 24, bytes.length);
    },
    "syscall/js.valueLoadString": (sp) => memory.slice(sp + 16).set(memory.value(sp + 8) as Uint8Array),
    "syscall/js.valueInstanceOf": (sp) => {
      const isOne = memory.value(sp + 8) instanceof (memory.value(sp + 16) as new () => unknown);
      memory.view.setUint8(sp + 24, isOne ? 1 : 0);
    },
    "syscall/js.copyBytesToGo": (sp) => copy(sp, memory.slice(sp + 8), memory.value(sp + 32)),
    "syscall/js.copyBytesToJS": (sp) => copy(sp, memory.value(sp + 8), memory.slice(sp + 16)),
  };
}

function requestImports({ requests, setDeadline }: AbiParts, memory: GoMemory): WasmImports[string] {
  const give = (bytes: Uint8Array, to: number, length: number): number => {
    if (length > 0) memory.bytes(to >>> 0, length).set(bytes.subarray(0, length));
    return bytes.length;
  };
  return {
    send: (id: number, head: number, headLength: number, body: number, bodyLength: number) => {
      const text = Buffer.from(memory.bytes(head >>> 0, headLength)).toString();
      requests.add(requestOf(id, text, memory.bytes(body >>> 0, bodyLength).slice()));
    },
    head: (id: number, to: number, length: number) => {
      const head = requests.head(id);
      return typeof head === "number" ? head : give(head, to, length);
    },
    read: (id: number, to: number, length: number) => requests.read(id, memory.bytes(to >>> 0, length)),
    failure: (id: number, to: number, length: number) => give(requests.failure(id), to, length),
    cancel: (id: number) => requests.cancel(id),
    deadline: (ms: number | bigint) => setDeadline(Number(ms)),
  };
}
