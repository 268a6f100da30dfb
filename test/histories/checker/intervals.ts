/** A set of whole numbers, kept as intervals `(after, upTo]`: the revisions of which everything is known. */
export class Intervals {
  #parts: { readonly after: number; readonly upTo: number }[] = [];
  #sorted = true;

  add(after: number, upTo: number): void {
    if (upTo <= after) return;
    this.#parts.push({ after, upTo });
    this.#sorted = false;
  }

  /** Whether every number of `(after, upTo]` is in the set. */
  covers(after: number, upTo: number): boolean {
    if (upTo <= after) return true;
    const part = this.#partBefore(after);
    return part !== undefined && part.upTo >= upTo;
  }

  /** The last number up to which every number after `after` is in the set. */
  reach(after: number): number {
    return Math.max(after, this.#partBefore(after)?.upTo ?? after);
  }

  /** The parts, in order, none touching another. */
  get parts(): readonly { readonly after: number; readonly upTo: number }[] {
    if (!this.#sorted) this.#merge();
    return this.#parts;
  }

  /** The last part that begins at `after` or before. */
  #partBefore(after: number): { readonly after: number; readonly upTo: number } | undefined {
    const { parts } = this;
    let low = 0;
    let high = parts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (parts[middle]!.after <= after) low = middle + 1;
      else high = middle;
    }
    return parts[low - 1];
  }

  #merge(): void {
    const merged: { after: number; upTo: number }[] = [];
    for (const { after, upTo } of this.#parts.toSorted((a, b) => a.after - b.after)) {
      const last = merged.at(-1);
      if (last && after <= last.upTo) last.upTo = Math.max(last.upTo, upTo);
      else merged.push({ after, upTo });
    }
    this.#parts = merged;
    this.#sorted = true;
  }
}
