import type { HeaderField } from "./header-field.ts";

/** The size of an entry besides its bytes (RFC 7541 4.1). */
export const ENTRY_BYTES = 32;

/** The header fields that a peer has added last (RFC 7541 2.3.2). */
export class DynamicTable {
  /** A ring for the maximum of entries, which all have the smallest size. */
  readonly #ring: (HeaderField | undefined)[] = [];
  readonly #capacity: number;
  #newest = 0;
  #count = 0;
  #bytes = 0;
  #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#capacity = Math.max(1, Math.floor(maxBytes / ENTRY_BYTES));
  }

  /** The entry of an index, of which 0 is the newest; undefined beyond the last one. */
  at(index: number): HeaderField | undefined {
    return index < this.#count ? this.#ring[this.#slot(index)] : undefined;
  }

  /** Adds an entry and removes old ones; one that is larger than the table empties it (RFC 7541 4.4). */
  add(field: HeaderField): void {
    const bytes = bytesOf(field);
    this.#shrink(this.#maxBytes - bytes);
    if (bytes > this.#maxBytes) return;
    this.#newest = (this.#newest + 1) % this.#capacity;
    this.#ring[this.#newest] = field;
    this.#count++;
    this.#bytes += bytes;
  }

  /** Changes the size, up to that of the constructor. */
  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#shrink(maxBytes);
  }

  #slot(index: number): number {
    return (this.#newest - index + this.#capacity) % this.#capacity;
  }

  /** Removes the oldest entries until at most `maxBytes` are left. */
  #shrink(maxBytes: number): void {
    while (this.#count > 0 && this.#bytes > maxBytes) {
      const oldest = this.#slot(this.#count - 1);
      this.#bytes -= bytesOf(this.#ring[oldest]!);
      this.#ring[oldest] = undefined;
      this.#count--;
    }
  }
}

/** The size of a field in a table and in a list (RFC 7541 4.1, RFC 9113 6.5.2). */
export const bytesOf = ({ name, value }: HeaderField): number => name.length + value.length + ENTRY_BYTES;
