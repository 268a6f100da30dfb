import type { HeaderField } from "./header-field.ts";

/** What each entry counts beside its bytes (RFC 7541 4.1). */
export const ENTRY_BYTES = 32;

/** The header fields that a peer has said last (RFC 7541 2.3.2). */
export class DynamicTable {
  /** A ring with as many places as the smallest entries could take. */
  readonly #ring: (HeaderField | undefined)[] = [];
  readonly #places: number;
  #newest = 0;
  #count = 0;
  #bytes = 0;
  #most: number;

  /** @param most bytes that it may have */
  constructor(most: number) {
    this.#most = most;
    this.#places = Math.max(1, Math.floor(most / ENTRY_BYTES));
  }

  /** The entry of an index; 0 is the newest, undefined where there is none. */
  at(index: number): HeaderField | undefined {
    return index < this.#count ? this.#ring[this.#place(index)] : undefined;
  }

  /** Adds an entry; older ones make room for it, and one that is larger than the table leaves it empty (RFC 7541 4.4). */
  add(field: HeaderField): void {
    const bytes = bytesOf(field);
    this.#shrink(this.#most - bytes);
    if (bytes > this.#most) return;
    this.#newest = (this.#newest + 1) % this.#places;
    this.#ring[this.#newest] = field;
    this.#count++;
    this.#bytes += bytes;
  }

  /** Bounds it anew, by no more bytes than it was made for. */
  resize(most: number): void {
    this.#most = most;
    this.#shrink(most);
  }

  #place(index: number): number {
    return (this.#newest - index + this.#places) % this.#places;
  }

  /** Drops the oldest entries until it has so many bytes at most. */
  #shrink(most: number): void {
    while (this.#count > 0 && this.#bytes > most) {
      const oldest = this.#place(this.#count - 1);
      this.#bytes -= bytesOf(this.#ring[oldest]!);
      this.#ring[oldest] = undefined;
      this.#count--;
    }
  }
}

/** What a field counts, in a table and in a list (RFC 7541 4.1, RFC 9113 6.5.2). */
export const bytesOf = ({ name, value }: HeaderField): number => name.length + value.length + ENTRY_BYTES;
